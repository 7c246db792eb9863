/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of globs over libraries, GLOB[:GLOB...]. */
#ifndef NAMES_GLOBS_H
#define NAMES_GLOBS_H

#include <stdbool.h>

/*
 * Context: bind, setup. Whether a text is such a list: no set in it is
 * unfinished, and no comma stands where a colon was meant.
 */
bool globs_are(const char *text);

#endif
