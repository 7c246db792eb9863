/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for numbers, where no two numbers may have the same text. */
#ifndef EXPORT_LABELS_H
#define EXPORT_LABELS_H

#include "tracefile/tracefile.h"
#include "util/buffer.h"

enum { LABEL_SIZE = 1024 };

/* The text of an index into one of a trace's arrays. */
typedef void (*label_fn)(struct buffer *out, const struct trace *trace, uint32_t index);

/* The text, cut to LABEL_SIZE - 1 bytes. */
void label_text(char text[LABEL_SIZE], label_fn label, const struct trace *trace, uint32_t index);

/* For each index the least one of the same text. NULL when memory is out. */
uint32_t *labels_number(label_fn label, const struct trace *trace, size_t count);

#endif
