/* SPDX-License-Identifier: Apache-2.0 */
/* The report of the leak hook for people, in the process and of its JSON. */
#include "analysis/leak_text.h"

#include <string.h>

#include "analysis/text_page.h"

enum { PATH_COLUMNS = 72, NAME_COLUMNS = 48, NUMBER = 9, BYTES = 16, WHAT = 24 };

static void number(struct out *out, uint64_t value, size_t width)
{
	out_right(out, out_count(value).text, width);
}

/* Of a file, anything. */
static void name(struct out *out, const char *text)
{
	out_printed(out, text, strlen(text));
}

static void pad(struct out *out, const char *text, size_t width)
{
	size_t length = strlen(text);

	name(out, text);
	out_spaces(out, length < width ? width - length : 1);
}

static void call_site(struct out *out, const struct leak_text_site *site)
{
	if (site->symbol) {
		out_fit(out, site->symbol, NAME_COLUMNS);
		if (site->file) {
			out_text(out, " at ");
			out_fit(out, site->file, NAME_COLUMNS);
			out_text(out, ":");
			out_u64(out, site->line);
		} else if (site->distance != LEAK_TEXT_NO_DISTANCE) {
			out_text(out, "+");
			out_hex(out, site->distance);
		}
		out_text(out, " ");
	}
	out_text(out, site->known ? "(" : "(address ");
	out_hex(out, site->offset);
	out_text(out, ")");
}

static void whole_site(struct out *out, const char *before, const struct leak_text_site *site)
{
	out_text(out, before);
	out_fit(out, site->function, NAME_COLUMNS);
	out_text(out, ", called by ");
	out_fit(out, page_component(site->library), NAME_COLUMNS);
	out_text(out, " ");
	call_site(out, site);
}

void leak_text_head(struct out *out, const struct leak_text_head *head)
{
	out_text(out, "cuaudit: leak of pid ");
	out_u64(out, head->pid);
	out_text(out, ": ");
	out_plural(out, head->allocated, "object");
	out_text(out, ", ");
	out_u64(out, head->objects);
	out_text(out, " left at exit (");
	out_plural(out, head->bytes, "byte");
	if (head->unsized) {
		out_text(out, " and ");
		out_u64(out, head->unsized);
		out_text(out, " of unknown size");
	}
	out_text(out, "), ");
	out_plural(out, head->errors, "error");
	out_text(out, "\n");
}

void leak_text_left(struct out *out, const struct leak_text_left *left, const char *library)
{
	if (!library)
		out_text(out, "\nLeft at exit\n    Count            Bytes  What"
			      "                    Allocated in, called from\n");
	if (!library || strcmp(library, left->site.library) != 0) {
		out_text(out, "  ");
		out_fit(out, left->site.library, PATH_COLUMNS);
		out_text(out, "\n");
	}
	number(out, left->count, NUMBER);
	number(out, left->bytes, BYTES);
	out_text(out, "  ");
	pad(out, left->what, WHAT);
	out_fit(out, left->site.function, NAME_COLUMNS);
	out_text(out, ", ");
	call_site(out, &left->site);
	if (left->unsized) {
		out_text(out, ", ");
		out_u64(out, left->unsized);
		out_text(out, " of unknown size");
	}
	if (left->primary)
		out_text(out, ", of a primary context");
	out_text(out, "\n");
}

static void object(struct out *out, const struct leak_text_fault *fault)
{
	out_text(out, "\n             ");
	name(out, fault->what ? fault->what : "handle");
	out_text(out, " ");
	out_hex(out, fault->handle);
	if (fault->size == LEAK_TEXT_UNSIZED) {
		out_text(out, ", of unknown size");
	} else if (fault->size) {
		out_text(out, ", ");
		out_plural(out, fault->size, "byte");
	}
	if (fault->contexts) {
		out_text(out, ", of context ");
		out_hex(out, fault->context);
		out_text(out, ", not ");
		out_hex(out, fault->other);
	}
	out_text(out, "\n");
}

void leak_text_fault(struct out *out, const struct leak_text_fault *fault, bool first)
{
	if (first)
		out_text(out, "\nErrors\n");
	number(out, fault->count, NUMBER);
	out_text(out, "  ");
	name(out, fault->error);
	whole_site(out, " in ", &fault->site);
	if (fault->result) {
		out_text(out, ", answer ");
		name(out, fault->result);
	}
	object(out, fault);
	if (fault->allocated.function) {
		whole_site(out, "             allocated in ", &fault->allocated);
		out_text(out, "\n");
	}
	if (fault->freed.function) {
		whole_site(out, "             freed in ", &fault->freed);
		if (fault->with) {
			out_text(out, ", with its ");
			name(out, fault->with);
		}
		out_text(out, "\n");
	}
}

static void note(struct out *out, uint64_t count, const char *what)
{
	if (!count)
		return;
	number(out, count, NUMBER);
	out_text(out, what);
}

void leak_text_notes(struct out *out, const struct leak_text_notes *notes)
{
	if (notes->suppressed_left || notes->suppressed_errors || notes->unseen ||
	    notes->lost_objects || notes->lost_errors)
		out_text(out, "\nNot shown\n");
	note(out, notes->suppressed_left, "  left at exit, suppressed\n");
	note(out, notes->suppressed_errors, "  errors, suppressed\n");
	note(out, notes->unseen, "  objects whose end was not seen: their handles came back\n");
	note(out, notes->lost_objects, "  objects there was no memory for\n");
	note(out, notes->lost_errors, "  errors there was no room for\n");
}
