/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the leak hook reports. */
#include "hooks/modules/leak/leak_print.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <cuaudit/hook.h>
#include <cuaudit/params.h>

#include "hooks/modules/leak/leak_fault.h"
#include "hooks/modules/leak/leak_suppress.h"
#include "util/out.h"
#include "util/writer.h"

enum { PATH_COLUMNS = 72, NAME_COLUMNS = 48, NUMBER = 9, BYTES = 16, WHAT = 24 };

/* A return address as addr2line and people want it. */
struct call_site {
	uint64_t offset;	/* of the call, in the file */
	const char *symbol;	/* NULL: none is exported there */
	uint64_t distance;	/* from the symbol to the call */
	bool known;		/* the library is where it was */
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct call_site find_call_site(const struct leak_site *site)
{
	uintptr_t call = (uintptr_t)site->caller - 1;
	struct call_site where = { .offset = call };
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((void *)call, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return where;
	/* The program's own name is empty, others may have taken a closed library's place. */
	if (*map->l_name && strcmp(last_part(map->l_name), last_part(site->library->path)) != 0)
		return where;
	where.known = true;
	where.offset = call - map->l_addr;
	where.symbol = info.dli_sname;
	if (info.dli_sname)
		where.distance = call - (uintptr_t)info.dli_saddr;
	return where;
}

static void number(struct out *out, uint64_t value, size_t width)
{
	out_right(out, out_count(value).text, width);
}

static void pad(struct out *out, const char *text, size_t width)
{
	size_t length = strlen(text);

	out_printed(out, text, length);
	out_spaces(out, length < width ? width - length : 1);
}

static void text_call_site(struct out *out, const struct leak_site *site)
{
	struct call_site where = find_call_site(site);

	if (where.symbol) {
		out_fit(out, where.symbol, NAME_COLUMNS);
		out_text(out, "+");
		out_hex(out, where.distance);
		out_text(out, " ");
	}
	out_text(out, where.known ? "(" : "(address ");
	out_hex(out, where.offset);
	out_text(out, ")");
}

static void text_site(struct out *out, const char *before, const struct leak_site *site)
{
	out_text(out, before);
	out_fit(out, site->function->name, NAME_COLUMNS);
	out_text(out, ", called by ");
	out_fit(out, site->library->name, NAME_COLUMNS);
	out_text(out, " ");
	text_call_site(out, site);
}

static void text_left(const struct leak_report *report, struct out *out)
{
	const struct cuaudit_library *library = NULL;

	if (report->nleft)
		out_text(out, "\nLeft at exit\n    Count            Bytes  What"
			      "                    Allocated in, called from\n");
	for (size_t i = 0; i < report->nleft; i++) {
		const struct leak_left *left = &report->left[i];

		if (left->site.library != library) {
			library = left->site.library;
			out_text(out, "  ");
			out_fit(out, library->path, PATH_COLUMNS);
			out_text(out, "\n");
		}
		number(out, left->count, NUMBER);
		number(out, left->bytes, BYTES);
		out_text(out, "  ");
		pad(out, leak_kind_text(left->kind), WHAT);
		out_fit(out, left->site.function->name, NAME_COLUMNS);
		out_text(out, ", ");
		text_call_site(out, &left->site);
		if (left->unsized) {
			out_text(out, ", ");
			out_u64(out, left->unsized);
			out_text(out, " of unknown size");
		}
		if (left->primary)
			out_text(out, ", of a primary context");
		out_text(out, "\n");
	}
}

static void text_fault(struct out *out, const struct leak_fault *fault)
{
	number(out, fault->count, NUMBER);
	out_text(out, "  ");
	out_text(out, leak_fault_text(fault->type));
	text_site(out, " in ", &fault->site);
	if (fault->result != LEAK_NO_RESULT) {
		const char *name = cuaudit_result_name(fault->result);

		out_text(out, ", answer ");
		if (name)
			out_text(out, name);
		else
			out_u64(out, (uint32_t)fault->result);
	}
	out_text(out, "\n             ");
	out_text(out, fault->kind < LEAK_KINDS ? leak_kind_text(fault->kind) : "handle");
	out_text(out, " ");
	out_hex(out, fault->handle);
	if (fault->size == LEAK_UNSIZED) {
		out_text(out, ", of unknown size");
	} else if (fault->size) {
		out_text(out, ", ");
		out_u64(out, fault->size);
		out_text(out, " bytes");
	}
	if (fault->type == LEAK_WRONG_CONTEXT) {
		out_text(out, ", of context ");
		out_hex(out, fault->contexts[0]);
		out_text(out, ", not ");
		out_hex(out, fault->contexts[1]);
	}
	out_text(out, "\n");
	if (fault->allocated.function) {
		text_site(out, "             allocated in ", &fault->allocated);
		out_text(out, "\n");
	}
	if (fault->freed.function) {
		text_site(out, "             freed in ", &fault->freed);
		if (fault->died_with) {
			out_text(out, ", with its ");
			out_text(out, leak_kind_text((uint8_t)(fault->died_with - 1)));
		}
		out_text(out, "\n");
	}
}

static void text_counts(const struct leak_report *report, struct out *out)
{
	out_text(out, "cuaudit: leak of pid ");
	out_u64(out, (uint64_t)getpid());
	out_text(out, ": ");
	out_u64(out, leak_counts.allocated);
	out_text(out, " objects, ");
	out_u64(out, report->objects);
	out_text(out, " left at exit (");
	out_u64(out, report->bytes);
	out_text(out, " bytes");
	if (report->unsized) {
		out_text(out, " and ");
		out_u64(out, report->unsized);
		out_text(out, " of unknown size");
	}
	out_text(out, "), ");
	out_u64(out, report->nfaults);
	out_text(out, report->nfaults == 1 ? " error\n" : " errors\n");
}

static void text_note(struct out *out, uint64_t count, const char *what)
{
	if (!count)
		return;
	number(out, count, NUMBER);
	out_text(out, what);
}

static void text(const struct leak_report *report, struct out *out)
{
	const struct leak_fault *fault;

	text_counts(report, out);
	if (report->nfaults)
		out_text(out, "\nErrors\n");
	for (uint32_t i = 0; (fault = leak_fault_get(i)); i++)
		if (!fault->suppressed)
			text_fault(out, fault);
	text_left(report, out);
	if (report->suppressed_left || report->suppressed_faults || leak_counts.unseen ||
	    leak_counts.lost || leak_fault_lost())
		out_text(out, "\nNot shown\n");
	text_note(out, report->suppressed_left, "  left at exit, suppressed\n");
	text_note(out, report->suppressed_faults, "  errors, suppressed\n");
	text_note(out, leak_counts.unseen, "  objects whose end was not seen: their handles came back\n");
	text_note(out, leak_counts.lost, "  objects there was no memory for\n");
	text_note(out, leak_fault_lost(), "  errors there was no room for\n");
}

/* Members of an object that is open. */
static void json_site(struct writer *json, const struct leak_site *site)
{
	struct call_site where = find_call_site(site);

	writer_text(json, "function", site->function->name);
	writer_text(json, "library", site->library->path);
	writer_hex(json, "address", (uintptr_t)site->caller);
	if (where.known)
		writer_hex(json, "offset", where.offset);
	if (where.symbol) {
		writer_text(json, "symbol", where.symbol);
		writer_number(json, "distance", where.distance);
	}
}

static void json_left(const struct leak_report *report, struct writer *json)
{
	WRITER_OBJECTS(json, "left", i, report->nleft) {
		const struct leak_left *left = &report->left[i];

		writer_text(json, "what", leak_kind_text(left->kind));
		writer_number(json, "count", left->count);
		writer_number(json, "bytes", left->bytes);
		writer_flag(json, "primary", left->primary);
		writer_number(json, "unsized", left->unsized);
		json_site(json, &left->site);
	}
}

static void json_freed(struct writer *json, const struct leak_fault *fault)
{
	writer_begin(json, "freed", '{');
	json_site(json, &fault->freed);
	if (fault->died_with)
		writer_text(json, "with", leak_kind_text((uint8_t)(fault->died_with - 1)));
	writer_end(json, '}');
}

static void json_fault(struct writer *json, const struct leak_fault *fault)
{
	writer_begin(json, NULL, '{');
	writer_text(json, "error", leak_fault_text(fault->type));
	writer_number(json, "count", fault->count);
	if (fault->result != LEAK_NO_RESULT)
		writer_number(json, "result", (uint32_t)fault->result);
	writer_text(json, "what", fault->kind < LEAK_KINDS ? leak_kind_text(fault->kind) : NULL);
	writer_hex(json, "handle", fault->handle);
	writer_known(json, "bytes", fault->size, fault->size != LEAK_UNSIZED);
	if (fault->type == LEAK_WRONG_CONTEXT) {
		writer_hex(json, "context", fault->contexts[0]);
		writer_hex(json, "other_context", fault->contexts[1]);
	}
	json_site(json, &fault->site);
	if (fault->allocated.function) {
		writer_begin(json, "allocated", '{');
		json_site(json, &fault->allocated);
		writer_end(json, '}');
	}
	if (fault->freed.function)
		json_freed(json, fault);
	writer_end(json, '}');
}

static void json_report(const struct leak_report *report, struct out *out)
{
	struct writer json = { .out = out };
	const struct leak_fault *fault;

	writer_begin(&json, NULL, '{');
	writer_number(&json, "version", 1);
	writer_number(&json, "pid", (uint64_t)getpid());
	writer_number(&json, "allocated", leak_counts.allocated);
	writer_number(&json, "freed", leak_counts.freed);
	writer_number(&json, "left_objects", report->objects);
	writer_number(&json, "left_bytes", report->bytes);
	writer_number(&json, "left_unsized", report->unsized);
	json_left(report, &json);
	writer_begin(&json, "errors", '[');
	for (uint32_t i = 0; (fault = leak_fault_get(i)); i++)
		if (!fault->suppressed)
			json_fault(&json, fault);
	writer_end(&json, ']');
	writer_number(&json, "suppressed_left", report->suppressed_left);
	writer_number(&json, "suppressed_errors", report->suppressed_faults);
	writer_number(&json, "unseen_ends", leak_counts.unseen);
	writer_number(&json, "lost_objects", leak_counts.lost);
	writer_number(&json, "lost_errors", leak_fault_lost());
	writer_end(&json, '}');
	out_text(out, "\n");
}

int leak_report_write(const struct leak_report *report, int json)
{
	struct out out = { .used = 0 };
	int fd, error = 0;

	if (json)
		json_report(report, &out);
	else
		text(report, &out);
	fd = cuaudit_output(".leak");
	if (fd >= 0) {
		error = out_write(&out, fd, IO_REPORT);
		io_close(fd);
	}
	out_free(&out);
	return error;
}
