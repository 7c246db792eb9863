/* SPDX-License-Identifier: Apache-2.0 */
/* Text gathered in memory and written in one piece, without stdio. */
#ifndef UTIL_OUT_H
#define UTIL_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/io.h"

struct out {
	char *data;
	size_t used;
	size_t size;
	int error;	/* -ENOMEM: some of the text is missing */
	bool fixed;	/* data is the caller's, of size bytes: what does not fit is missing */
};

/* Texts of numbers, for out_right. */
struct out_number {
	char text[32];
};

void out_bytes(struct out *out, const char *bytes, size_t count);
void out_text(struct out *out, const char *text);
void out_spaces(struct out *out, size_t count);
void out_u64(struct out *out, uint64_t value);

/* "1 call", "2 calls", "3 processes", "4 copies". */
void out_plural(struct out *out, uint64_t count, const char *thing);

/* text at the right of width columns, with one space before it. */
void out_right(struct out *out, const char *text, size_t width);

/* text at the left of width columns. */
void out_left(struct out *out, const char *text, size_t width);

/* A text from outside, as util/text.h has it for people. */
void out_printed(struct out *out, const char *text, size_t length);

/* The same in at most width characters, the middle of a longer one as two dots. */
void out_fit(struct out *out, const char *text, size_t width);

/* A JSON string with its quotes, as util/text.h has it. */
void out_json(struct out *out, const char *text);

/*
 * What stands between the quotes of a metric's label: as for people, but for a line break, "\n".
 * Behind one that has what does not print are a "~" and eight digits of its bytes, for readers refuse
 * labels that are equal.
 */
void out_label(struct out *out, const char *text);

/* "0x" and hexadecimal digits. */
void out_hex(struct out *out, uint64_t value);

/* Sixteen bytes as 8-4-4-4-12 hexadecimal digits. */
void out_uuid(struct out *out, const uint8_t *uuid);

/* "1.23us": a number of digits, 3 or more, and a unit. */
struct out_number out_time(uint64_t ns, int digits);

/* Whole and nine decimals. */
struct out_number out_seconds(uint64_t ns);

struct out_number out_count(uint64_t value);

/* The share of part in whole in percent, "61.2". */
struct out_number out_percent(uint64_t part, uint64_t whole);

/* Writes everything to fd as io_write does, and begins anew. 0 or -errno. */
int out_write(struct out *out, int fd, int patience);

void out_free(struct out *out);

#endif
