/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded calls were given, parameter by parameter. */
#ifndef CONVERT_ARGUMENTS_H
#define CONVERT_ARGUMENTS_H

#include "print/table.h"
#include "trace/arguments.h"

/* A parameter's value as text, "?" where nobody knows. */
void arguments_value(struct buffer *out, const struct trace_arguments *arguments, uint32_t index);

/* The one number a parameter is, or leads to; false if it is more, none, or not known. */
bool arguments_number(const struct trace_arguments *arguments, const struct print_param *param,
		      uint64_t *number);

#endif
