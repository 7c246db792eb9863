/* SPDX-License-Identifier: Apache-2.0 */
/* Saved JSON reports of modules, printed with functions, files and lines. */
#include "tools/hook_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/callers.h"
#include "analysis/leak_text.h"
#include "print/print.h"
#include "tools/tool.h"
#include "util/hash_table.h"
#include "util/json.h"

enum { SIZE_MAX_READ = 64 << 20, ID = 32 };

struct reading {
	struct symbols *symbols;	/* NULL: callers are as they are in the file */
	struct out out;
};

/* All of a file, with a NUL behind it; NULL and *fault. */
static char *read_all(const char *path, const char **fault)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	size_t used = 0, size;
	char *text = NULL;
	ssize_t got = 1;

	*fault = NULL;
	if (fd < 0 || fstat(fd, &status)) {
		*fault = strerror(errno);
	} else if (status.st_size > SIZE_MAX_READ) {
		*fault = "too large for a report of a hook";
	} else {
		size = (size_t)status.st_size;
		text = malloc(size + 1);
		while (text && used < size && (got = read(fd, text + used, size - used)) > 0)
			used += (size_t)got;
		if (!text || got < 0)
			*fault = strerror(text ? errno : ENOMEM);
		else
			text[used] = '\0';
	}
	if (fd >= 0)
		close(fd);
	if (!*fault)
		return text;
	free(text);
	return NULL;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes of a build ID; 0: it is none. */
static uint32_t id_of(const char *text, uint8_t id[ID])
{
	size_t length = text ? strlen(text) : 0;

	if (length % 2 || length > 2 * ID)
		return 0;
	for (size_t i = 0; i < length / 2; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		id[i] = (uint8_t)(high << 4 | low);
	}
	return (uint32_t)length / 2;
}

/* What is at the call of a site, if its file is known. */
static struct symbol_stack find(struct reading *reading, const struct json_value *site)
{
	const char *path = json_text(site, "library");
	struct symbol_stack found = { .count = 0 };
	uint8_t id[ID];
	uint32_t size = id_of(json_text(site, "build_id"), id);
	uint64_t offset = json_number(site, "offset", UINT64_MAX);

	if (reading->symbols && path && size && offset != UINT64_MAX)
		symbols_find(reading->symbols, symbols_library(reading->symbols, path, id, size), offset,
			     &found);
	return found;
}

static const char *text_or(const struct json_value *value, const char *key, const char *otherwise)
{
	const char *text = json_text(value, key);

	return text ? text : otherwise;
}

static struct leak_text_site site_of(struct reading *reading, const struct json_value *value)
{
	struct leak_text_site site = { .function = NULL };
	struct symbol_stack found;

	if (!value)
		return site;
	found = find(reading, value);
	site.function = text_or(value, "function", "?");
	site.library = text_or(value, "library", "");
	site.known = json_get(value, "offset");
	site.offset = json_number(value, site.known ? "offset" : "address", 0);
	site.symbol = json_text(value, "symbol");
	site.distance = json_number(value, "distance", LEAK_TEXT_NO_DISTANCE);
	/* A function alone says less than the report, which has the distance as well. */
	if (found.count && (found.at->file || !site.symbol)) {
		site.symbol = found.at->function;
		site.distance = LEAK_TEXT_NO_DISTANCE;
		site.file = found.at->file;
		site.line = found.at->line;
	}
	return site;
}

static void print_fault(struct reading *reading, const struct json_value *value, bool first)
{
	const struct json_value *size = json_get(value, "bytes");
	const struct json_value *freed = json_get(value, "freed");
	char result[PRINT_RESULT];
	struct leak_text_fault fault = {
		.error = text_or(value, "error", "?"), .what = json_text(value, "what"),
		.with = json_text(freed, "with"), .count = json_number(value, "count", 0),
		.handle = json_number(value, "handle", 0),
		.size = size && size->kind == JSON_NULL ? LEAK_TEXT_UNSIZED : json_number(value, "bytes", 0),
		.contexts = json_get(value, "context"), .context = json_number(value, "context", 0),
		.other = json_number(value, "other_context", 0), .site = site_of(reading, value),
		.allocated = site_of(reading, json_get(value, "allocated")),
		.freed = site_of(reading, freed),
	};

	if (json_get(value, "result"))
		fault.result = print_result_text(result, NULL, (int32_t)json_number(value, "result", 0));
	leak_text_fault(&reading->out, &fault, first);
}

static void print_left(struct reading *reading, const struct json_value *values)
{
	const char *library = NULL;

	for (const struct json_value *value = values; value; value = value->next) {
		const struct json_value *primary = json_get(value, "primary");
		const struct leak_text_left left = {
			text_or(value, "what", "?"), json_number(value, "count", 0),
			json_number(value, "bytes", 0), json_number(value, "unsized", 0),
			primary && primary->kind == JSON_TRUE, site_of(reading, value),
		};

		leak_text_left(&reading->out, &left, library);
		library = left.site.library ? left.site.library : "";
	}
}

static void print_text(struct reading *reading, const struct json_value *report)
{
	const struct json_value *errors = json_get(report, "errors")->first;
	struct leak_text_head head = {
		json_number(report, "pid", 0), json_number(report, "allocated", 0),
		json_number(report, "left_objects", 0), json_number(report, "left_bytes", 0),
		json_number(report, "left_unsized", 0), 0,
	};
	const struct leak_text_notes notes = {
		json_number(report, "suppressed_left", 0), json_number(report, "suppressed_errors", 0),
		json_number(report, "unseen_ends", 0), json_number(report, "lost_objects", 0),
		json_number(report, "lost_errors", 0),
	};

	for (const struct json_value *value = errors; value; value = value->next)
		head.errors += json_number(value, "count", 0);
	leak_text_head(&reading->out, &head);
	for (const struct json_value *value = errors; value; value = value->next)
		print_fault(reading, value, value == errors);
	print_left(reading, json_get(report, "left")->first);
	leak_text_notes(&reading->out, &notes);
}

/* As it was, and what is known of call sites. */
static void print_json(struct reading *reading, struct writer *json, const struct json_value *value)
{
	if (value->kind != JSON_OBJECT && value->kind != JSON_ARRAY) {
		writer_raw(json, value->key, value->raw, value->length);
		return;
	}
	writer_begin(json, value->key, value->kind == JSON_OBJECT ? '{' : '[');
	for (const struct json_value *member = value->first; member; member = member->next)
		print_json(reading, json, member);
	if (value->kind == JSON_OBJECT && json_get(value, "offset"))
		callers_json(json, find(reading, value));
	writer_end(json, value->kind == JSON_OBJECT ? '}' : ']');
}

static bool is_array(const struct json_value *value, const char *key)
{
	const struct json_value *member = json_get(value, key);

	return member && member->kind == JSON_ARRAY;
}

/* What is a report of which hook; the hook's own text has all but the lines. */
static const struct kind {
	const char *arrays[2];	/* NULL: none */
	const char *member;
	const char *as_json_alone;	/* NULL: there is a text */
} kinds[] = {
	{ { "left", "errors" }, "left_objects", NULL },
	{ { "refusals", "denied" }, "refusals",
	  "a report of the limit hook, of which --format json names the call sites" },
	{ { "drivers", "escapes" }, "lost_bindings",
	  "a report of the coverage hook, of which --format json names the call sites" },
	{ { NULL }, "fault_rule",
	  "a report of the fault hook, of which --format json names the call sites" },
	{ { NULL }, "memory_function",
	  "a report of the dbgmem hook, of which --format json names the call sites" },
};

static const struct kind *kind_of(const struct json_value *report)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((!kinds[i].arrays[0] || (is_array(report, kinds[i].arrays[0]) &&
					     is_array(report, kinds[i].arrays[1]))) &&
		    json_get(report, kinds[i].member))
			return &kinds[i];
	return NULL;
}

/* What an object must have to be such a report, of this version. */
static const char *judge(const struct json_value *report, bool as_json)
{
	const struct kind *kind = kind_of(report);

	if (!report)
		return "no JSON";
	if (!kind)
		return "no JSON report of a hook";
	if (json_number(report, "version", 0) != 1)
		return "a report of a newer version";
	return as_json ? NULL : kind->as_json_alone;
}

static void complain(void *data, const char *path, const char *text)
{
	(void)data;
	tool_complain("%s: %s", path, text);
}

/* One report after the other: processes may have written to one file. */
static const char *print_all(struct reading *reading, const char *text, bool as_json)
{
	const char *fault = NULL;

	do {
		struct json *memory = NULL;
		struct json_value *report = json_read(&memory, text, &text);
		struct writer json = { .out = &reading->out };

		fault = judge(report, as_json);
		if (!fault && as_json) {
			print_json(reading, &json, report);
			out_text(&reading->out, "\n");
		} else if (!fault) {
			print_text(reading, report);
		}
		json_free(memory);
	} while (!fault && *text);
	return fault;
}

const char *hook_report(const char *path, bool as_json, bool symbols, enum demangle names)
{
	struct reading reading = { .symbols = NULL };
	const char *fault;
	char *text = read_all(path, &fault);
	int error = 0;

	if (symbols && text) {
		reading.symbols = symbols_new(names, complain, NULL);
		if (!reading.symbols)
			fault = strerror(ENOMEM);
	}
	if (text && !fault)
		fault = print_all(&reading, text, as_json);
	if (!fault && reading.symbols)
		error = symbols_error(reading.symbols);
	if (!fault && !error)
		error = out_write(&reading.out, STDOUT_FILENO, IO_FOREVER);
	if (error)
		fault = strerror(-error);
	symbols_free(reading.symbols);
	out_free(&reading.out);
	free(text);
	return fault;
}
