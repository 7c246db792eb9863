/* SPDX-License-Identifier: Apache-2.0 */
/* What traces hold as JSON values; NULL when memory is out. */
#ifndef CONVERT_JSON_H
#define CONVERT_JSON_H

#include <jansson.h>

#include "convert/convert.h"
#include "convert/utf8.h"
#include "trace/arguments.h"

/* A string; what is no UTF-8 in it becomes question marks. */
json_t *json_text(struct utf8_scratch *scratch, const char *text);

/* An integer, or a string where none of JSON's readers would keep it. */
json_t *json_unsigned(uint64_t number);

/*
 * An object of what is known of the arguments: numbers and structures as such,
 * enumerators by name, addresses and handles as strings in hexadecimal digits.
 */
json_t *json_arguments(struct utf8_scratch *scratch, const struct trace_arguments *arguments);

/* Writes it on a line and releases it; returns sink->error. */
int json_line(struct sink *sink, json_t *value);

#endif
