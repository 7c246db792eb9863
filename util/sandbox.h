/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of system calls that a program has installed for itself. */
#ifndef UTIL_SANDBOX_H
#define UTIL_SANDBOX_H

#include <stdbool.h>

/*
 * Whether the calling thread has a filter that the process's parent has not:
 * what it ends the program for is unknown. A container's filters are not meant,
 * and where /proc does not tell the answer is no.
 */
bool sandbox_is_own(void);

#endif
