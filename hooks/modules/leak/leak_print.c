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

enum { PATH_COLUMNS = 72, NAME_COLUMNS = 48, NUMBER = 9, BYTES = 16, WHAT = 24 };

/* A return address as addr2line and people want it. */
struct place {
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

static struct place find_place(const struct leak_site *site)
{
	uintptr_t call = (uintptr_t)site->caller - 1;
	struct place place = { .offset = call };
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((void *)call, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return place;
	/* The program's own name is empty, others may have taken a closed library's place. */
	if (*map->l_name && strcmp(last_part(map->l_name), last_part(site->library->path)) != 0)
		return place;
	place.known = true;
	place.offset = call - map->l_addr;
	place.symbol = info.dli_sname;
	if (info.dli_sname)
		place.distance = call - (uintptr_t)info.dli_saddr;
	return place;
}

static void hex(struct out *out, uint64_t value)
{
	char digits[20], *at = digits + sizeof(digits);

	*--at = '\0';
	do
		*--at = "0123456789abcdef"[value % 16];
	while (value /= 16);
	out_text(out, "0x");
	out_text(out, at);
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

static void text_place(struct out *out, const struct leak_site *site)
{
	struct place place = find_place(site);

	if (place.symbol) {
		out_fit(out, place.symbol, NAME_COLUMNS);
		out_text(out, "+");
		hex(out, place.distance);
		out_text(out, " ");
	}
	out_text(out, place.known ? "(" : "(address ");
	hex(out, place.offset);
	out_text(out, ")");
}

static void text_site(struct out *out, const char *before, const struct leak_site *site)
{
	out_text(out, before);
	out_fit(out, site->function->name, NAME_COLUMNS);
	out_text(out, ", called by ");
	out_fit(out, site->library->name, NAME_COLUMNS);
	out_text(out, " ");
	text_place(out, site);
}

static void text_left(const struct leak_report *report, struct out *out)
{
	const struct cuaudit_library *library = NULL;

	if (report->nleft)
		out_text(out, "\nLeft at exit\n    Count            Bytes  What"
			      "                    Born in, called from\n");
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
		text_place(out, &left->site);
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
	hex(out, fault->handle);
	if (fault->size == LEAK_UNSIZED) {
		out_text(out, ", of unknown size");
	} else if (fault->size) {
		out_text(out, ", ");
		out_u64(out, fault->size);
		out_text(out, " bytes");
	}
	if (fault->type == LEAK_WRONG_CONTEXT) {
		out_text(out, ", of context ");
		hex(out, fault->contexts[0]);
		out_text(out, ", not ");
		hex(out, fault->contexts[1]);
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

static void key(struct out *out, const char *before, const char *name)
{
	out_text(out, before);
	out_json(out, name);
	out_text(out, ":");
}

static void json_number(struct out *out, const char *name, uint64_t value)
{
	key(out, ",", name);
	out_u64(out, value);
}

static void json_hex(struct out *out, const char *name, uint64_t value)
{
	key(out, ",", name);
	out_text(out, "\"");
	hex(out, value);
	out_text(out, "\"");
}

/* "function": ... of a site, without its brackets. */
static void json_site(struct out *out, const char *before, const struct leak_site *site)
{
	struct place place = find_place(site);

	key(out, before, "function");
	out_json(out, site->function->name);
	key(out, ",", "library");
	out_json(out, site->library->path);
	json_hex(out, "address", (uintptr_t)site->caller);
	if (place.known)
		json_hex(out, "offset", place.offset);
	if (place.symbol) {
		key(out, ",", "symbol");
		out_json(out, place.symbol);
		json_number(out, "distance", place.distance);
	}
}

static void json_left(const struct leak_report *report, struct out *out)
{
	key(out, ",", "left");
	out_text(out, "[");
	for (size_t i = 0; i < report->nleft; i++) {
		const struct leak_left *left = &report->left[i];

		key(out, i ? ",{" : "{", "what");
		out_json(out, leak_kind_text(left->kind));
		json_number(out, "count", left->count);
		json_number(out, "bytes", left->bytes);
		key(out, ",", "primary");
		out_text(out, left->primary ? "true" : "false");
		json_number(out, "unsized", left->unsized);
		json_site(out, ",", &left->site);
		out_text(out, "}");
	}
	out_text(out, "]");
}

static void json_fault(struct out *out, const char *before, const struct leak_fault *fault)
{
	key(out, before, "error");
	out_json(out, leak_fault_text(fault->type));
	json_number(out, "count", fault->count);
	if (fault->result != LEAK_NO_RESULT)
		json_number(out, "result", (uint32_t)fault->result);
	key(out, ",", "what");
	if (fault->kind < LEAK_KINDS)
		out_json(out, leak_kind_text(fault->kind));
	else
		out_text(out, "null");
	json_hex(out, "handle", fault->handle);
	if (fault->size != LEAK_UNSIZED) {
		json_number(out, "bytes", fault->size);
	} else {
		key(out, ",", "bytes");
		out_text(out, "null");
	}
	if (fault->type == LEAK_WRONG_CONTEXT) {
		json_hex(out, "context", fault->contexts[0]);
		json_hex(out, "other_context", fault->contexts[1]);
	}
	json_site(out, ",", &fault->site);
	if (fault->allocated.function) {
		key(out, ",", "allocated");
		json_site(out, "{", &fault->allocated);
		out_text(out, "}");
	}
	if (fault->freed.function) {
		key(out, ",", "freed");
		json_site(out, "{", &fault->freed);
		if (fault->died_with) {
			key(out, ",", "with");
			out_json(out, leak_kind_text((uint8_t)(fault->died_with - 1)));
		}
		out_text(out, "}");
	}
	out_text(out, "}");
}

static void json_report(const struct leak_report *report, struct out *out)
{
	const struct leak_fault *fault;
	const char *before = "{";

	key(out, "{", "version");
	out_text(out, "1");
	json_number(out, "pid", (uint64_t)getpid());
	json_number(out, "allocated", leak_counts.allocated);
	json_number(out, "freed", leak_counts.freed);
	json_number(out, "left_objects", report->objects);
	json_number(out, "left_bytes", report->bytes);
	json_number(out, "left_unsized", report->unsized);
	json_left(report, out);
	key(out, ",", "errors");
	out_text(out, "[");
	for (uint32_t i = 0; (fault = leak_fault_get(i)); i++) {
		if (fault->suppressed)
			continue;
		json_fault(out, before, fault);
		before = ",{";
	}
	out_text(out, "]");
	json_number(out, "suppressed_left", report->suppressed_left);
	json_number(out, "suppressed_errors", report->suppressed_faults);
	json_number(out, "unseen_ends", leak_counts.unseen);
	json_number(out, "lost_objects", leak_counts.lost);
	json_number(out, "lost_errors", leak_fault_lost());
	out_text(out, "}\n");
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
