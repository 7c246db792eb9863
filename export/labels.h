/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for numbers, where no two numbers may have the same text. */
#ifndef EXPORT_LABELS_H
#define EXPORT_LABELS_H

#include "export/convert.h"
#include "tracefile/tracefile.h"
#include "util/buffer.h"

/* The text of an index into one of a trace's arrays. */
typedef void (*label_fn)(struct buffer *out, const struct convert *convert, const struct trace *trace,
			 uint32_t index);

/* Of each index, the text, and the least index of the same text. */
struct labels {
	char **texts;
	uint32_t *numbers;
	size_t count;
};

/* 0, or -ENOMEM; labels_free in both cases. */
int labels_make(struct labels *labels, label_fn label, const struct convert *convert,
		const struct trace *trace, size_t count);
void labels_free(struct labels *labels);

#endif
