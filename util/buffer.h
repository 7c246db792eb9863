/* SPDX-License-Identifier: Apache-2.0 */
/* Text into a buffer of any size, counted beyond its end. Context: call. */
#ifndef UTIL_BUFFER_H
#define UTIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
	char *at;
	size_t size;	/* of the buffer; 0: nothing is written */
	size_t length;	/* of all the text, the buffer's share of it and what did not fit */
};

/* Ends the text with a 0, in place of its last byte where it was cut. */
size_t buffer_end(struct buffer *out);

void buffer_char(struct buffer *out, char c);
void buffer_text(struct buffer *out, const char *text);
void buffer_bytes(struct buffer *out, const char *bytes, size_t size);
void buffer_unsigned(struct buffer *out, uint64_t value);
void buffer_signed(struct buffer *out, int64_t value);
void buffer_hex(struct buffer *out, uint64_t value);

/* Six significant digits. */
void buffer_real(struct buffer *out, double value);

/* A text from outside, as util/text.h has it for people. */
void buffer_printed(struct buffer *out, const char *text, size_t size);
void buffer_name(struct buffer *out, const char *text);

/* In quotes, what is not printable escaped. */
void buffer_quoted(struct buffer *out, const char *bytes, size_t size);

#endif
