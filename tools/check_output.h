/* SPDX-License-Identifier: Apache-2.0 */
/* Where cuaudit check writes its result. */
#ifndef TOOLS_CHECK_OUTPUT_H
#define TOOLS_CHECK_OUTPUT_H

#include <stdbool.h>

#include "analysis/check_result.h"

/* Takes an option that asks for an output, its value in optarg. False: it is another one. */
bool check_output_take(int option);

/* Whether one was asked for. */
bool check_output_any(void);

/*
 * Whether all can be written, and none is an input, of which rules and lock may be NULL; then files
 * that are there are emptied. 0, or -1 after a message.
 */
int check_output_begin(const char *rules, const char *lock, const char *program);

/* Writes those that were asked for. 0, or -1 after a message. */
int check_output_write(const struct check_result *result);

#endif
