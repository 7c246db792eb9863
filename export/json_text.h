/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and numbers as JSON wants them. */
#ifndef EXPORT_JSON_TEXT_H
#define EXPORT_JSON_TEXT_H

#include "export/typed.h"
#include "util/buffer.h"

/* A string with its quotes, as util/text.h has it. */
void escape_bytes(struct buffer *out, const char *text, size_t size);
void escape_text(struct buffer *out, const char *text);

/*
 * A number, or a string where it is more than readers keep all digits of: those who take
 * numbers for doubles, or who have none of its size.
 */
#define JSON_EXACT (UINT64_C(1) << 53)
void json_unsigned(struct buffer *out, uint64_t value, uint64_t most);

/* Addresses and handles are strings. */
void escape_typed(struct buffer *out, const struct typed *typed);

#endif
