/* SPDX-License-Identifier: Apache-2.0 */
/* Names and counts as a lock file has them. */
#ifndef ANALYSIS_BASELINE_FIELD_H
#define ANALYSIS_BASELINE_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/baseline.h"
#include "util/out.h"

/* A text as a field: NULL is "-". */
void baseline_field(struct out *out, const char *text);

/* A name of any bytes but NUL. */
void baseline_field_bytes(struct out *out, const char *text, size_t length);

/* A field that somebody may have typed, as this tool writes it; false: it is none. */
bool baseline_field_read(struct out *out, const char *field, size_t length);

/* "= N", "LOW..HIGH" or "any". */
void baseline_count(struct out *out, const struct baseline_fact *fact);

#endif
