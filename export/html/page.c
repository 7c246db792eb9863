/* SPDX-License-Identifier: Apache-2.0 */
/* A summary and the timeline of its files as one page for a browser, which needs nothing else. */
#include <config.h>

#include "export/html/page.h"

#include <string.h>

#include "export/html/page_tables.h"
#include "export/html/timeline.h"

enum { PIECE = 1 << 20 };

static int flush(struct out *out, int fd, size_t least)
{
	return out->used < least ? out->error : out_write(out, fd, IO_FOREVER);
}

/* '<' is within strings alone, where JSON has another word for it: no text can end the script. */
static int write_data(struct out *page, const char *data, size_t size, int fd)
{
	int error = 0;

	while (size && !error) {
		size_t most = size < PIECE ? size : PIECE;
		const char *less = memchr(data, '<', most);
		size_t length = less ? (size_t)(less - data) : most;

		out_bytes(page, data, length);
		if (less)
			out_text(page, "\\u003c");
		data += length + !!less;
		size -= length + !!less;
		error = flush(page, fd, PIECE);
	}
	return error;
}

int page_write(const struct summary *summary, int fd)
{
	struct out data = { 0 }, page = { 0 };
	struct writer json = { .out = &data, .lines = true };
	struct timeline timeline;
	int error = timeline_build(&timeline, summary);

	if (!error) {
		writer_begin(&json, NULL, '{');
		writer_text(&json, "cuaudit", PACKAGE_VERSION);
		tables_json(summary, &json);
		tables_memory(summary, &json);
		timeline_json(&timeline, &json);
		writer_end(&json, '}');
		error = data.error;
	}
	timeline_free(&timeline);
	if (!error) {
		out_text(&page, page_before);
		error = write_data(&page, data.data, data.used, fd);
	}
	if (!error) {
		out_text(&page, "\n");
		out_text(&page, page_after);
		error = flush(&page, fd, 0);
	}
	out_free(&page);
	out_free(&data);
	return error;
}
