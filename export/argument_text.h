/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded calls were given, parameter by parameter. */
#ifndef EXPORT_ARGUMENT_TEXT_H
#define EXPORT_ARGUMENT_TEXT_H

#include "print/table.h"
#include "tracefile/arguments.h"

enum { ARGUMENTS_TEXT = 4096 };

/* A parameter's value, "?" where nobody knows; what does not fit ends as text_cut says. */
void arguments_value(char *text, size_t size, const struct trace_arguments *arguments,
		     uint32_t index);

/* The one number a parameter is, or leads to; false if it is more, none, or not known. */
bool arguments_number(const struct trace_arguments *arguments, const struct print_param *param,
		      uint64_t *number);

#endif
