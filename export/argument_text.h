/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded calls were given, parameter by parameter. */
#ifndef EXPORT_ARGUMENT_TEXT_H
#define EXPORT_ARGUMENT_TEXT_H

#include "print/table.h"
#include "tracefile/arguments.h"

enum { ARGUMENTS_TEXT = 4096 };

/* The value of one of these parameters, "?" where nobody knows; what does not fit ends as text_cut says. */
void arguments_value(char *text, size_t size, const struct trace_arguments *arguments,
		     const struct print_param *params, uint32_t index);

/* What a call returned as trace_call_result has it, cut in the same way; the text is returned. */
enum { ARGUMENTS_RESULT = 512 };
const char *arguments_result(char text[ARGUMENTS_RESULT], const struct trace *trace,
			     const struct trace_call *call);

/* The one number a parameter is, or leads to; false if it is more, none, or not known. */
bool arguments_number(const struct trace_arguments *arguments, const struct print_param *param,
		      uint64_t *number);

#endif
