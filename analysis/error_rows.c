/* SPDX-License-Identifier: Apache-2.0 */
/* Which errors there were: of each function by result, of each result by who called. */
#include "analysis/error_rows.h"

#include <errno.h>
#include <string.h>

#include "analysis/text_page.h"
#include "print/print.h"
#include "util/buffer.h"
#include "util/sort.h"

enum { SITE_NAME = 72 };

static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : ORDER(a != NULL, b != NULL);
}

static int by_place(const void *left, const void *right)
{
	const struct error_calls *a = left, *b = right;

	return strcmp(a->function, b->function) ?: ORDER(a->others, b->others) ?:
	       ORDER(a->result, b->result) ?: compare_texts(a->library, b->library) ?:
	       ORDER(a->offset, b->offset) ?: ORDER(a->id_size, b->id_size) ?:
	       memcmp(a->id_size ? a->build_id : (const uint8_t *)"",
		      b->id_size ? b->build_id : (const uint8_t *)"", a->id_size);
}

static int callers_by_count(const void *left, const void *right)
{
	const struct error_calls *a = left, *b = right;

	return ORDER(b->count, a->count) ?: compare_texts(a->library, b->library) ?:
	       ORDER(a->offset, b->offset);
}

static int rows_by_count(const void *left, const void *right)
{
	const struct error_row *a = left, *b = right;

	return ORDER(b->count, a->count) ?: strcmp(a->function, b->function) ?:
	       ORDER(a->others, b->others) ?: ORDER(a->result, b->result);
}

/* Equal ones become one; returns how many are left. */
static size_t merge(struct error_calls *calls, size_t count)
{
	size_t kept = 0;

	sort(calls, count, sizeof(*calls), by_place);
	for (size_t i = 0; i < count; i++) {
		if (kept && !by_place(&calls[kept - 1], &calls[i]))
			calls[kept - 1].count += calls[i].count;
		else if (calls[i].count)
			calls[kept++] = calls[i];
	}
	return kept;
}

static bool alike(const struct error_calls *a, const struct error_calls *b)
{
	return !strcmp(a->function, b->function) && a->others == b->others &&
	       (a->others || a->result == b->result);
}

/* The rows of what merge left, in its order. */
static size_t group(struct error_row *rows, struct error_calls *calls, size_t count)
{
	size_t n = 0;

	for (size_t i = 0, end; i < count; i = end) {
		struct error_row *row = &rows[n++];

		*row = (struct error_row){
			.function = calls[i].function, .result = calls[i].result,
			.others = calls[i].others, .callers = &calls[i]
		};
		for (end = i; end < count && alike(&calls[i], &calls[end]); end++)
			row->count += calls[end].count;
		row->ncallers = end - i;
		sort(&calls[i], end - i, sizeof(*calls), callers_by_count);
	}
	return n;
}

/* The least frequent results of a function that has too many become others. */
static bool limit(struct error_row *rows, size_t count)
{
	sort(rows, count, sizeof(*rows), rows_by_count);
	for (size_t i = ERROR_RESULTS; i < count; i++) {
		struct error_calls *calls = (struct error_calls *)(uintptr_t)rows[i].callers;

		for (size_t j = 0; j < rows[i].ncallers; j++) {
			calls[j].others = true;
			calls[j].result = 0;
		}
	}
	return count > ERROR_RESULTS;
}

/* The same for each function; whether there was one. */
static bool limit_all(struct error_row *rows, size_t count)
{
	bool changed = false;

	for (size_t i = 0, end, named; i < count; i = end) {
		for (end = i; end < count && !strcmp(rows[i].function, rows[end].function); end++)
			;
		/* Others that there were come last. */
		named = end - i - rows[end - 1].others;
		changed |= limit(&rows[i], named);
	}
	return changed;
}

int error_rows_fill(struct error_rows *rows, struct arena *memory, struct error_calls *calls,
		    size_t count)
{
	count = merge(calls, count);
	rows->rows = arena_take(memory, count, sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	rows->count = group(rows->rows, calls, count);
	if (limit_all(rows->rows, rows->count))
		rows->count = group(rows->rows, calls, merge(calls, count));
	sort(rows->rows, rows->count, sizeof(*rows->rows), rows_by_count);
	return 0;
}

const char *error_result_text(char text[ERROR_TEXT], const struct error_row *row)
{
	_Static_assert((int)ERROR_TEXT >= (int)PRINT_RESULT, "room for a result");

	if (row->others)
		return strcpy(text, "other results");
	return print_result_text(text, row->function, row->result);
}

static struct error_site find(const struct error_rows *rows, const struct error_calls *caller)
{
	if (!rows->find || !caller->offset)
		return (struct error_site){ .function = NULL };
	return rows->find(rows->data, caller);
}

/* The end of a long name says more. */
static void add_end(struct buffer *out, const char *name, size_t most)
{
	size_t length = strlen(name);

	buffer_text(out, length > most ? name + length - most : name);
}

const char *error_caller_text(char text[ERROR_CALLER_TEXT], const struct error_rows *rows,
			      const struct error_calls *caller)
{
	struct buffer out = { text, ERROR_CALLER_TEXT, 0 };
	const char *name = caller->library ? page_component(caller->library) : "(unknown library)";
	struct error_site site = find(rows, caller);
	bool here = site.function && !site.file && site.distance != ERROR_NO_DISTANCE;

	if (site.function) {
		size_t length = strlen(site.function);

		buffer_bytes(&out, site.function, length < SITE_NAME ? length : SITE_NAME);
		buffer_text(&out, length > SITE_NAME ? "..." : "");
		if (site.file) {
			buffer_text(&out, " at ");
			add_end(&out, site.file, SITE_NAME);
			buffer_char(&out, ':');
			buffer_unsigned(&out, site.line);
		}
		if (here) {
			buffer_char(&out, '+');
			buffer_hex(&out, site.distance);
		}
		buffer_text(&out, here ? " (" : ", ");
	}
	add_end(&out, name, 96);
	if (here) {
		buffer_char(&out, ')');
	} else if (caller->offset) {
		buffer_char(&out, '+');
		buffer_hex(&out, caller->offset);
	}
	buffer_end(&out);
	return text;
}

static void callers(const struct page *page, const struct error_rows *rows,
		    const struct error_row *row)
{
	char text[ERROR_CALLER_TEXT];

	for (size_t i = 0; i < row->ncallers && i < ERROR_CALLERS; i++) {
		page_number(page, out_count(row->callers[i].count), 8);
		out_spaces(page->out, 4);
		page_name(page, error_caller_text(text, rows, &row->callers[i]), 13);
	}
	if (row->ncallers <= ERROR_CALLERS)
		return;
	out_spaces(page->out, 13);
	out_text(page->out, "and ");
	page_plural(page, row->ncallers - ERROR_CALLERS, "more caller");
	out_text(page->out, "\n");
}

void error_rows_text(const struct page *page, const struct error_rows *rows)
{
	page_heading(page, "    Calls  Result, name, callers");
	PAGE_EACH(page, i, rows->count, "result") {
		const struct error_row *row = &rows->rows[i];
		char text[ERROR_TEXT];

		page_number(page, out_count(row->count), 8);
		out_spaces(page->out, 2);
		out_fit(page->out, error_result_text(text, row), 56);
		out_text(page->out, ", ");
		page_name(page, row->function, 71);
		callers(page, rows, row);
	}
}

static void json_site(struct writer *json, const struct error_rows *rows,
		      const struct error_calls *caller)
{
	struct error_site site = find(rows, caller);

	if (!site.function)
		return;
	writer_text(json, "caller_function", site.function);
	if (!site.file)
		return;
	writer_text(json, "caller_file", site.file);
	writer_number(json, "caller_line", site.line);
}

void error_row_json(struct writer *json, const struct error_rows *rows, const struct error_row *row,
		    size_t callers)
{
	char text[ERROR_TEXT];

	writer_text(json, "result", row->others ? NULL : error_result_text(text, row));
	if (row->others)
		writer_null(json, "code");
	else
		writer_signed(json, "code", row->result);
	writer_number(json, "calls", row->count);
	WRITER_OBJECTS(json, "callers", i, row->ncallers < callers ? row->ncallers : callers) {
		writer_text(json, "library", row->callers[i].library);
		writer_known(json, "offset", row->callers[i].offset, row->callers[i].offset);
		writer_number(json, "calls", row->callers[i].count);
		json_site(json, rows, &row->callers[i]);
	}
}
