/* SPDX-License-Identifier: Apache-2.0 */
/* What traces hold as JSON. */
#ifndef EXPORT_JSON_ARGUMENTS_H
#define EXPORT_JSON_ARGUMENTS_H

#include "export/convert.h"
#include "tracefile/arguments.h"
#include "util/buffer.h"

/* ,"caller_function":"step","caller_file":"train.c","caller_line":42 of a call site, as far as it is known. */
void json_caller(struct buffer *out, const struct convert *convert, const struct trace *trace,
		 uint32_t site);

/*
 * ,"stack":[...] of a backtrace. Where any of its functions is known ,"frames":[...] follows,
 * the same with inlined functions as objects of their own.
 */
void json_stack(struct buffer *out, const struct convert *convert, const struct trace *trace,
		uint32_t number);

/*
 * An object of what is known of the arguments: numbers and structures as such,
 * enumerators by name, addresses and handles as strings in hexadecimal digits.
 */
void json_arguments(struct buffer *out, const struct trace_arguments *arguments);

#endif
