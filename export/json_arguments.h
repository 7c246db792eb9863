/* SPDX-License-Identifier: Apache-2.0 */
/* What traces hold as JSON. */
#ifndef EXPORT_JSON_ARGUMENTS_H
#define EXPORT_JSON_ARGUMENTS_H

#include "tracefile/arguments.h"
#include "util/buffer.h"

/* ,"stack":[...] of a backtrace. */
void json_stack(struct buffer *out, const struct trace *trace, uint32_t number);

/*
 * An object of what is known of the arguments: numbers and structures as such,
 * enumerators by name, addresses and handles as strings in hexadecimal digits.
 */
void json_arguments(struct buffer *out, const struct trace_arguments *arguments);

#endif
