/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the leak hook reports. */
#include "hooks/modules/leak/leak_print.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <cuaudit/call.h>
#include <cuaudit/hook.h>
#include <cuaudit/params.h>

#include "analysis/leak_text.h"
#include "hooks/call_site.h"
#include "hooks/modules/leak/leak_fault.h"
#include "hooks/modules/leak/leak_suppress.h"
#include "util/out.h"
#include "util/writer.h"

/* name: of CALL_SITE_SYMBOL bytes. */
static struct leak_text_site text_site(const struct leak_site *site, char *name)
{
	struct call_site where;

	if (!site->function)
		return (struct leak_text_site){ .function = NULL };
	where = call_site_find(site->caller, site->library, name, CALL_SITE_SYMBOL);
	return (struct leak_text_site){
		.function = site->function->name, .library = site->library->path,
		.known = where.known, .offset = where.offset, .symbol = *name ? name : NULL,
		.distance = where.distance,
	};
}

static void text_left(const struct leak_report *report, struct out *out)
{
	const char *library = NULL;
	char symbol[CALL_SITE_SYMBOL];

	for (size_t i = 0; i < report->nleft; i++) {
		const struct leak_left *left = &report->left[i];
		const struct leak_text_left row = {
			leak_kind_text(left->kind), left->count, left->bytes, left->unsized,
			left->primary, text_site(&left->site, symbol),
		};

		leak_text_left(out, &row, library);
		library = row.site.library;
	}
}

static void text_fault(struct out *out, const struct leak_fault *fault, bool first)
{
	const char *name = fault->result == LEAK_NO_RESULT ? NULL : cuaudit_result_name(fault->result);
	struct out_number number = out_count((uint32_t)fault->result);
	char symbols[3][CALL_SITE_SYMBOL];
	const struct leak_text_fault row = {
		.error = leak_fault_text(fault->type),
		.what = fault->kind < LEAK_KINDS ? leak_kind_text(fault->kind) : NULL,
		.result = fault->result == LEAK_NO_RESULT ? NULL : name ? name : number.text,
		.with = fault->died_with ? leak_kind_text((uint8_t)(fault->died_with - 1)) : NULL,
		.count = fault->count, .handle = fault->handle,
		.size = fault->size == LEAK_UNSIZED ? LEAK_TEXT_UNSIZED : fault->size,
		.contexts = fault->type == LEAK_WRONG_CONTEXT,
		.context = fault->contexts[0], .other = fault->contexts[1],
		.site = text_site(&fault->site, symbols[0]),
		.allocated = text_site(&fault->allocated, symbols[1]),
		.freed = text_site(&fault->freed, symbols[2]),
	};

	leak_text_fault(out, &row, first);
}

static void text(const struct leak_report *report, struct out *out)
{
	const struct leak_text_head head = {
		(uint64_t)getpid(), leak_counts.allocated, report->objects, report->bytes,
		report->unsized, report->nfaults,
	};
	const struct leak_text_notes notes = {
		report->suppressed_left, report->suppressed_faults, leak_counts.unseen,
		leak_counts.lost, leak_fault_lost(),
	};
	const struct leak_fault *fault;
	bool first = true;

	leak_text_head(out, &head);
	for (uint32_t i = 0; (fault = leak_fault_get(i)); i++) {
		if (fault->suppressed)
			continue;
		text_fault(out, fault, first);
		first = false;
	}
	text_left(report, out);
	leak_text_notes(out, &notes);
}

/* Members of an object that is open. */
static void json_site(struct writer *json, const struct leak_site *site)
{
	char name[CALL_SITE_SYMBOL];

	writer_text(json, "function", site->function->name);
	call_site_json(json, site->caller, site->library, name, sizeof(name));
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
