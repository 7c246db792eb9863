/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for numbers, where no two numbers may have the same text. */
#include "export/labels.h"

#include <stdlib.h>
#include <string.h>

struct texts {
	label_fn label;
	const struct trace *trace;
};

void label_text(char text[LABEL_SIZE], label_fn label, const struct trace *trace, uint32_t index)
{
	struct buffer out = { text, LABEL_SIZE, 0 };

	label(&out, trace, index);
	buffer_end(&out);
}

static int compare_texts(const struct texts *texts, uint32_t x, uint32_t y)
{
	char a[LABEL_SIZE], b[LABEL_SIZE];

	label_text(a, texts->label, texts->trace, x);
	label_text(b, texts->label, texts->trace, y);
	return strcmp(a, b);
}

static int compare(const void *a, const void *b, void *texts)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_texts(texts, x, y);

	return order ? order : (x > y) - (x < y);
}

uint32_t *labels_number(label_fn label, const struct trace *trace, size_t count)
{
	uint32_t *order = calloc(count + 1, sizeof(*order));
	uint32_t *numbers = calloc(count + 1, sizeof(*numbers));
	struct texts texts = { label, trace };

	if (!order || !numbers) {
		free(order);
		free(numbers);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare, &texts);
	for (size_t i = 0; i < count; i++)
		numbers[order[i]] = i && !compare_texts(&texts, order[i - 1], order[i]) ?
				    numbers[order[i - 1]] : order[i];
	free(order);
	return numbers;
}
