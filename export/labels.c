/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for numbers, where no two numbers may have the same text. */
#include "export/labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };	/* bytes, of nearly all of them */

static char *render(label_fn label, const struct convert *convert, const struct trace *trace, uint32_t index)
{
	char text[MOST];
	struct buffer out = { text, sizeof(text), 0 };

	label(&out, convert, trace, index);
	if (out.length < sizeof(text)) {
		buffer_end(&out);
		return strdup(text);
	}
	out = (struct buffer){ malloc(out.length + 1), out.length + 1, 0 };
	if (!out.at)
		return NULL;
	label(&out, convert, trace, index);
	buffer_end(&out);
	return out.at;
}

static int compare(const void *a, const void *b, void *texts)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = strcmp(((char **)texts)[x], ((char **)texts)[y]);

	return order ? order : (x > y) - (x < y);
}

int labels_make(struct labels *labels, label_fn label, const struct convert *convert,
		const struct trace *trace, size_t count)
{
	uint32_t *order = calloc(count + 1, sizeof(*order)), *numbers = calloc(count + 1, sizeof(*numbers));
	char **texts = calloc(count + 1, sizeof(*texts));

	*labels = (struct labels){ texts, numbers, count };
	if (!order || !numbers || !texts) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++) {
		order[i] = i;
		texts[i] = render(label, convert, trace, i);
		if (!texts[i]) {
			free(order);
			return -ENOMEM;
		}
	}
	qsort_r(order, count, sizeof(*order), compare, texts);
	for (size_t i = 0; i < count; i++)
		numbers[order[i]] = i && !strcmp(texts[order[i - 1]], texts[order[i]]) ?
				    numbers[order[i - 1]] : order[i];
	free(order);
	return 0;
}

void labels_free(struct labels *labels)
{
	for (size_t i = 0; labels->texts && i < labels->count; i++)
		free(labels->texts[i]);
	free(labels->texts);
	free(labels->numbers);
	*labels = (struct labels){ .texts = NULL };
}
