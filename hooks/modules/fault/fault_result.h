/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the driver by name. Context: setup. */
#ifndef MODULES_FAULT_RESULT_H
#define MODULES_FAULT_RESULT_H

#include <stdint.h>

/* A result's number from its name or number, -1 for neither. */
int32_t fault_result_find(const char *text);

/* The name that a mistyped one was meant to be, NULL if none is near. */
const char *fault_result_near(const char *name);

#endif
