/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor tells of CUAUDIT_PROVIDERS. */
#ifndef TOOLS_DOCTOR_PROVIDERS_H
#define TOOLS_DOCTOR_PROVIDERS_H

#include "tools/program.h"

/* Prints which libraries that a program is linked with are taken, or that none is. */
void doctor_providers(const struct program *program);

#endif
