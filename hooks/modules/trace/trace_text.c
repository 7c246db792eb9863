/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as lines of text, while the program runs. */
#include "hooks/modules/trace/trace_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>
#include <cuaudit/params.h>

#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_self.h"
#include "util/io.h"
#include "util/text.h"

enum { LINE = 4096, TAIL = 256 };

static const char suffix[] = ".trace";

static int fd = -1;
static struct trace_self self;	/* which file that is */
static char path[PATH_MAX];	/* "" for standard error */
static bool moved;		/* a child of fork: its path may be another */
static _Atomic uint64_t unwritten;

/* Of each thread, as its stack may be a signal's of a few KiB. */
static int key;

struct line {
	char text[LINE];
	size_t used;
};

static void add(struct line *line, const char *text)
{
	while (*text && line->used < sizeof(line->text) - 1)
		line->text[line->used++] = *text++;
}

/* A name, in place of which there may be anything. */
static void add_name(struct line *line, const char *text)
{
	line->used += text_print(line->text + line->used, sizeof(line->text) - line->used, text,
				 strlen(text));
}

static void add_number(struct line *line, uint64_t value)
{
	char digits[24], *at = digits + sizeof(digits);

	*--at = '\0';
	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	add(line, at);
}

/* Three digits or more of nanoseconds, one of them behind the point. */
static void add_time(struct line *line, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		add_number(line, ns / units[i].ns);
		add(line, ".");
		add_number(line, ns % units[i].ns / (units[i].ns / 10));
		add(line, units[i].name);
		return;
	}
	add_number(line, ns);
	add(line, "ns");
}

int trace_text_setup(void)
{
	/* There is nothing to do at a thread's end. */
	static const struct cuaudit_module owner = { .size = sizeof(owner) };

	key = cuaudit_thread_key(sizeof(struct line), &owner);
	if (key < 0)
		return key;
	fd = cuaudit_output(suffix);
	if (fd < 0)
		return -ECANCELED;
	if (cuaudit_output_path(suffix, path, sizeof(path)))
		path[0] = '\0';
	if (*path && fcntl(fd, F_SETFL, O_APPEND))
		return -errno;
	return trace_self_look(fd, &self);
}

/* One that has the parent's path goes on in the parent's file. */
static void reopen(void)
{
	static char own[PATH_MAX];
	struct trace_lock saved;
	int file;

	trace_lock(&saved);
	if (moved && *path && !cuaudit_output_path(suffix, own, sizeof(own)) && strcmp(own, path)) {
		file = io_open(own, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, IO_NOW);
		strcpy(path, own);
		if (file >= 0 && !trace_self_look(file, &self))
			fd = file;
	}
	moved = false;
	trace_unlock(&saved);
}

/* The program may have closed the descriptor, and have another file there. */
static void put(const struct line *line)
{
	if (moved)
		reopen();
	if (!trace_self_is(fd, &self) || io_write(fd, line->text, line->used, IO_REPORT))
		atomic_fetch_add_explicit(&unwritten, 1, memory_order_relaxed);
}

void trace_text(const struct cuaudit_call *call)
{
	int error = errno;
	struct line *line = cuaudit_thread_block((uint32_t)key);
	size_t length, room;

	if (!line) {
		atomic_fetch_add_explicit(&unwritten, 1, memory_order_relaxed);
		return;
	}
	line->used = 0;
	add(line, "[");
	add_number(line, (uint64_t)syscall(SYS_gettid));
	add(line, "] ");
	for (uint32_t i = 0; i < call->depth && i < 16; i++)
		add(line, "  ");
	room = sizeof(line->text) - line->used - TAIL;
	length = cuaudit_call_print(call, CUAUDIT_PRINT_AFTER, line->text + line->used, room);
	if (length >= room)
		length = text_cut(line->text + line->used, room);
	line->used += length;
	if (call->flags & CUAUDIT_CALL_SKIPPED) {
		add(line, " <skipped>");
	} else {
		add(line, " <");
		add_time(line, (int64_t)(call->end - call->start) > 0 ?
				cuaudit_clock_ns(call->end - call->start) : 0);
		add(line, ">");
	}
	add(line, " ");
	add_name(line, cuaudit_call_library(call)->name);
	if (line->used == sizeof(line->text) - 1)
		line->used--;
	line->text[line->used++] = '\n';
	put(line);
	errno = error;
}

void trace_text_finish(void)
{
	if (unwritten)
		cuaudit_log(CUAUDIT_WARN, "trace: %llu lines could not be written",
			    (unsigned long long)unwritten);
	if (fd >= 0)
		io_close(fd);
	fd = -1;
}

void trace_text_forked(void)
{
	unwritten = 0;
	moved = true;
}
