/* SPDX-License-Identifier: Apache-2.0 */
/* Lock files, read and written. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/baseline.h"
#include "analysis/baseline_field.h"
#include "analysis/baseline_word.h"
#include "util/buffer.h"

#define MAGIC "cuaudit-lock"
#define VERSION "1"

static const char *const headers[BASELINE_HEADERS] = {
	[BASELINE_COMMAND] = "command",
	[BASELINE_DRIVER] = "driver",
	[BASELINE_KERNELS] = "kernels",
	[BASELINE_RUNS_MADE] = "runs",
};

/* Kinds of facts, and how many fields they have before the count. */
static const struct {
	const char *name;
	size_t fields;
} kinds[] = {
	{ "bytes", 4 },
	{ "calls", 4 },
	{ "errors", 5 },
	{ "launches", 4 },
	{ "routes", 4 },
	{ "unsized", 4 },
};

/* A part of the text that is read. */
struct part {
	const char *at;
	size_t size;
};

struct reader {
	struct baseline_lock *lock;
	struct baseline_fault *fault;
	struct part rest;	/* lines to come */
	const char *line;	/* where the current one begins */
	const char *comment;	/* where what belongs to the next line begins */
	struct out key;
};

static struct part cut(struct part *rest, char separator)
{
	const char *end = memchr(rest->at, separator, rest->size);
	struct part part = { rest->at, end ? (size_t)(end - rest->at) : rest->size };
	size_t taken = part.size + (end != NULL);

	rest->at += taken;
	rest->size -= taken;
	return part;
}

static bool is_word(struct part part, const char *word)
{
	return part.size == strlen(word) && !memcmp(part.at, word, part.size);
}

/* A message with a part of the text, which may hold anything. */
__attribute__((format(printf, 3, 4)))
static bool refuse(struct reader *reader, struct part part, const char *format, ...)
{
	struct buffer out = { reader->fault->text, sizeof(reader->fault->text), 0 };
	char text[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	reader->fault->line = reader->lock->lines;
	reader->fault->column = (uint32_t)(part.at - reader->line) + 1;
	buffer_char(&out, '\'');
	buffer_printed(&out, part.at, part.size < 80 ? part.size : 80);
	buffer_text(&out, part.size < 80 ? "' " : "...' ");
	buffer_text(&out, text);
	buffer_end(&out);
	return false;
}

static bool no_memory(struct reader *reader)
{
	*reader->fault = (struct baseline_fault){ 0, 0, "" };
	snprintf(reader->fault->text, sizeof(reader->fault->text), "%s", strerror(ENOMEM));
	return false;
}

/* As it is written: 010 may have been meant for another. */
static bool read_number(struct part part, uint64_t *number)
{
	*number = 0;
	if (part.size > 1 && *part.at == '0')
		return false;
	for (size_t i = 0; i < part.size; i++)
		if (part.at[i] < '0' || part.at[i] > '9' ||
		    __builtin_mul_overflow(*number, 10u, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(part.at[i] - '0'), number))
			return false;
	return part.size;
}

/* "= N", "LOW..HIGH" or "any". */
static bool read_count(struct reader *reader, struct part part, struct baseline_fact *fact)
{
	const char *dots = memmem(part.at, part.size, "..", 2);
	size_t low = dots ? (size_t)(dots - part.at) : 0;

	fact->any = is_word(part, "any");
	if (fact->any)
		return true;
	if (part.size > 2 && !memcmp(part.at, "= ", 2) &&
	    read_number((struct part){ part.at + 2, part.size - 2 }, &fact->low)) {
		fact->high = fact->low;
		return true;
	}
	if (!dots || !read_number((struct part){ part.at, low }, &fact->low) ||
	    !read_number((struct part){ dots + 2, part.size - low - 2 }, &fact->high))
		return refuse(reader, part, "is no count: = N, LOW..HIGH or any");
	return fact->low <= fact->high ||
	       refuse(reader, part, "has no number in it: the first is the larger one");
}

/* The comment that the line before which we are has. */
static struct baseline_comment comment_before(const struct reader *reader, const char *line)
{
	return (struct baseline_comment){ reader->comment, (size_t)(line - reader->comment) };
}

static bool add_fact(struct reader *reader, struct part line, const struct baseline_fact *fact)
{
	struct baseline_lock *lock = reader->lock;
	uint32_t before = lock->facts.count, number;

	out_bytes(&reader->key, "", 1);
	if (reader->key.error)
		return no_memory(reader);
	number = table_find(&lock->facts, reader->key.data, reader->key.used);
	if (number == TABLE_NONE)
		return no_memory(reader);
	if (number < before) {
		const struct baseline_fact *first = table_row(&lock->facts, number);

		return refuse(reader, line, "is the same fact as in line %u", first->line);
	}
	*(struct baseline_fact *)table_row(&lock->facts, number) = *fact;
	return true;
}

/* The texts that are in the key at these places, each with a tab or the end behind it. */
static bool is_right(struct reader *reader, struct part part, const char *kind, size_t field, size_t before,
		     size_t at)
{
	char wrong[BASELINE_WRONG], *function, *word;
	bool right;

	out_bytes(&reader->key, "", 1);
	if (reader->key.error)
		return no_memory(reader);
	reader->key.used--;
	word = reader->key.data + at;
	function = reader->key.data + before;
	word[-1] = '\0';
	right = baseline_word(kind, field, word, function, wrong);
	word[-1] = '\t';
	return right || refuse(reader, part, "%s", wrong);
}

static bool read_fact(struct reader *reader, struct part line, const char *kind, size_t fields)
{
	struct baseline_fact fact = { .line = reader->lock->lines,
				      .comment = comment_before(reader, line.at) };
	struct part rest = line;
	size_t before, at = 0;

	cut(&rest, '\t');
	reader->key.used = 0;
	out_text(&reader->key, kind);
	out_text(&reader->key, "\t");
	for (size_t i = 1; i < fields; i++) {
		struct part field = cut(&rest, '\t');

		before = at;
		at = reader->key.used;
		if (!baseline_field_read(&reader->key, field.at, field.size))
			return refuse(reader, field, "is no name: field %zu of %s; a backslash "
				      "begins \\\\, \\e or \\xHH", i + 1, kind);
		if (!is_right(reader, field, kind, i, before, at))
			return false;
		out_text(&reader->key, "\t");
	}
	if (!rest.size || memchr(rest.at, '\t', rest.size))
		return refuse(reader, line, "has not the %zu fields of %s, with tabs between them",
			      fields + 1, kind);
	return read_count(reader, rest, &fact) && add_fact(reader, line, &fact);
}

static bool read_header(struct reader *reader, struct part line, enum baseline_header header)
{
	struct baseline_lock *lock = reader->lock;
	struct part rest = line;
	uint64_t runs;

	cut(&rest, '\t');
	if (lock->headers[header])
		return refuse(reader, line, "is there a second time");
	if (header == BASELINE_RUNS_MADE && (!read_number(rest, &runs) || !runs))
		return refuse(reader, rest, "is no number of runs: from 1 on, digits alone, behind one tab");
	if (header == BASELINE_KERNELS && !is_word(rest, BASELINE_DEMANGLED) &&
	    !is_word(rest, BASELINE_MANGLED))
		return refuse(reader, rest,
			      "is neither " BASELINE_DEMANGLED " nor " BASELINE_MANGLED);
	lock->comments[header] = comment_before(reader, line.at);
	lock->headers[header] = strndup(rest.at, rest.size);
	return lock->headers[header] || no_memory(reader);
}

/* What git leaves in a file for whoever merges. */
static bool is_conflict(struct part line)
{
	static const char *const marks[] = { "<<<<<<<", "=======", ">>>>>>>", "|||||||" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (line.size >= strlen(marks[i]) && !memcmp(line.at, marks[i], strlen(marks[i])))
			return true;
	return false;
}

/* Whether a line of that word has blanks in place of the tab behind it. */
static bool has_blanks(struct part line, const char *word)
{
	size_t length = strlen(word);

	return line.size > length && !memcmp(line.at, word, length) && line.at[length] == ' ';
}

static bool read_line(struct reader *reader, struct part line)
{
	struct part rest = line, word = cut(&rest, '\t');

	if (memchr(line.at, '\0', line.size))
		return refuse(reader, line, "has a byte that is zero");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is_word(word, kinds[i].name))
			return read_fact(reader, line, kinds[i].name, kinds[i].fields);
	for (int i = 0; i < BASELINE_HEADERS; i++)
		if (is_word(word, headers[i]))
			return read_header(reader, line, i);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (has_blanks(line, kinds[i].name))
			return refuse(reader, word, "has a blank where the tab is that ends '%s'",
				      kinds[i].name);
	for (int i = 0; i < BASELINE_HEADERS; i++)
		if (has_blanks(line, headers[i]))
			return refuse(reader, word, "has a blank where the tab is that ends '%s'",
				      headers[i]);
	if (is_conflict(line))
		return refuse(reader, line, "is left of a merge: take the lines of one side, and run "
			      "cuaudit check --update");
	return refuse(reader, word,
		      "is no kind of fact: bytes, calls, errors, launches, routes or unsized");
}

static bool is_comment(struct part line)
{
	size_t blanks = 0;

	while (blanks < line.size && (line.at[blanks] == ' ' || line.at[blanks] == '\t'))
		blanks++;
	return blanks == line.size || line.at[blanks] == '#';
}

/* What was cut short at its end has lost lines, or digits of a count. */
static bool next_line(struct reader *reader, struct part *line)
{
	reader->line = reader->rest.at;
	*line = cut(&reader->rest, '\n');
	reader->lock->lines++;
	if (line->size && line->at[line->size - 1] == '\r')
		return refuse(reader, *line, "has a CRLF line end: a lock file has LF alone; "
			      "'*.lock -text' in .gitattributes keeps git from changing it");
	return reader->rest.at > line->at + line->size ||
	       refuse(reader, *line, "has no end: the file was cut short");
}

static bool read_magic(struct reader *reader)
{
	struct part line, rest;

	if (!next_line(reader, &line))
		return false;
	rest = line;
	if (!is_word(cut(&rest, '\t'), MAGIC))
		return refuse(reader, line, "is not how a lock file of cuaudit begins");
	return is_word(rest, VERSION) ||
	       refuse(reader, rest, "is a version of lock files that this cuaudit does not know");
}

static bool read_lines(struct reader *reader)
{
	struct baseline_lock *lock = reader->lock;

	if (!read_magic(reader))
		return false;
	reader->comment = reader->rest.at;
	while (reader->rest.size) {
		struct part line;

		if (!next_line(reader, &line))
			return false;
		if (is_comment(line))
			continue;
		if (!read_line(reader, line))
			return false;
		reader->comment = reader->rest.at;
	}
	lock->comments[BASELINE_HEADERS] = comment_before(reader, reader->rest.at);
	return true;
}

/* What no lock file is without. */
static bool has_headers(struct reader *reader)
{
	static const enum baseline_header needed[] = { BASELINE_KERNELS, BASELINE_RUNS_MADE };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!reader->lock->headers[needed[i]]) {
			reader->line = headers[needed[i]];
			return refuse(reader, (struct part){ reader->line, strlen(reader->line) }, "is missing");
		}
	return true;
}

bool baseline_read(struct baseline_lock *lock, const char *text, size_t size,
		   struct baseline_fault *fault)
{
	struct reader reader = { .lock = lock, .fault = fault, .rest = { text, size } };
	bool is_read;

	*lock = BASELINE_LOCK;
	is_read = read_lines(&reader) && has_headers(&reader);
	out_free(&reader.key);
	return is_read;
}

int baseline_header(struct baseline_lock *lock, enum baseline_header header,
		    const char *const *fields, size_t count)
{
	struct out out = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (i)
			out_text(&out, "\t");
		baseline_field(&out, fields[i]);
	}
	out_bytes(&out, "", 1);
	free(lock->headers[header]);
	lock->headers[header] = out.error ? NULL : strdup(out.data);
	out_free(&out);
	return lock->headers[header] ? 0 : -ENOMEM;
}

static void write_comment(struct out *out, const struct baseline_comment *comment)
{
	out_bytes(out, comment->text ? comment->text : "", comment->size);
}

static void write_headers(const struct baseline_lock *lock, struct out *out)
{
	out_text(out, MAGIC "\t" VERSION "\n");
	for (int i = 0; i < BASELINE_HEADERS; i++) {
		if (!lock->headers[i])
			continue;
		write_comment(out, &lock->comments[i]);
		out_text(out, headers[i]);
		out_text(out, "\t");
		out_text(out, lock->headers[i]);
		out_text(out, "\n");
	}
}

void baseline_write(const struct baseline_lock *lock, struct out *out)
{
	struct baseline_item *items = baseline_sorted(&lock->facts);

	if (!items)
		out->error = -ENOMEM;
	write_headers(lock, out);
	for (size_t i = 0; items && i < lock->facts.count; i++) {
		const struct baseline_fact *fact = items[i].row;

		if (fact->gone)
			continue;
		write_comment(out, &fact->comment);
		out_text(out, items[i].key);
		baseline_count(out, fact);
		out_text(out, "\n");
	}
	write_comment(out, &lock->comments[BASELINE_HEADERS]);
	free(items);
}

void baseline_lock_free(struct baseline_lock *lock)
{
	for (int i = 0; i < BASELINE_HEADERS; i++)
		free(lock->headers[i]);
	table_free(&lock->facts);
	*lock = BASELINE_LOCK;
}
