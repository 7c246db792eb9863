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
#include "util/buffer.h"
#include "util/io.h"
#include "util/text.h"

enum { LINE = 4096, TAIL = 256, TEXT = 1024 };

static const char suffix[] = ".trace";

static _Atomic int fd = -1;
static struct trace_self self;	/* which file that is */
static char path[PATH_MAX];	/* "" for standard error */
static bool named;		/* the path is the file itself, and no link to it */
static bool moved;		/* a child of fork: its path may be another */
static _Atomic uint64_t unwritten;
static _Atomic int hindrance;	/* why the last of these was not written */

/* Of each thread, as its stack may be a signal's of a few KiB. */
static int key;

/* Three digits or more of nanoseconds, one of them behind the point. */
static void add_time(struct buffer *out, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		buffer_unsigned(out, ns / units[i].ns);
		buffer_char(out, '.');
		buffer_unsigned(out, ns % units[i].ns / (units[i].ns / 10));
		buffer_text(out, units[i].name);
		return;
	}
	buffer_unsigned(out, ns);
	buffer_text(out, "ns");
}

static void add_error_text(struct buffer *out, const char *text)
{
	if (!text || out->length + TAIL >= LINE)
		return;
	buffer_text(out, " (");
	out->length += text_print(out->at + out->length, LINE - TAIL - out->length, text, strlen(text));
	buffer_char(out, ')');
}

/* Counts a line, unless error is 0. */
static void lose(int error)
{
	if (!error)
		return;
	atomic_store_explicit(&hindrance, error, memory_order_relaxed);
	atomic_fetch_add_explicit(&unwritten, 1, memory_order_relaxed);
}

static int look(int file)
{
	int error = trace_self_look(file, &self);

	named = !error && *path && trace_self_is_named(path, &self);
	return error;
}

int trace_text_setup(void)
{
	/* There is nothing to do at a thread's end. */
	static const struct cuaudit_module owner = { .size = sizeof(owner) };

	key = cuaudit_thread_key(LINE, &owner);
	if (key < 0)
		return key;
	fd = cuaudit_output(suffix);
	if (fd < 0)
		return -ECANCELED;
	if (cuaudit_output_path(suffix, path, sizeof(path)))
		path[0] = '\0';
	/* Of the program's own descriptor the flags are its own. */
	if (*path && io_descriptor(path) < 0 && fcntl(fd, F_SETFL, O_APPEND))
		return -errno;
	return look(fd);
}

/* One that has the parent's path goes on in the parent's file. */
static void follow_fork(void)
{
	static char own[PATH_MAX];
	int file;

	if (moved && *path && !cuaudit_output_path(suffix, own, sizeof(own)) && strcmp(own, path)) {
		file = io_open(own, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, IO_NOW);
		strcpy(path, own);
		if (file >= 0 && !look(file))
			fd = file;
	}
	moved = false;
}

/* Another descriptor of the same file, or -errno. */
static int open_again(void)
{
	int file = *path ? io_open(path, O_WRONLY | O_APPEND, IO_NOW) : io_copy(STDERR_FILENO);

	if (file >= 0 && !trace_self_is(file, &self)) {
		io_close(file);
		file = -ESTALE;
	}
	return file == -ENOENT ? -ESTALE : file;
}

/* Or -errno. The program may close any descriptor, and have another file there then, which is its own. */
static int descriptor(void)
{
	int file = fd;
	struct trace_lock saved;

	if (!moved && trace_self_is(file, &self))
		return file;
	trace_lock(&saved);
	follow_fork();
	if (!trace_self_is(fd, &self))
		fd = open_again();
	file = fd;
	trace_unlock(&saved);
	return file;
}

static void put(const char *line, size_t size)
{
	int file = descriptor();

	lose(file < 0 ? file : io_write(file, line, size, IO_REPORT));
}

void trace_text(const struct cuaudit_call *call)
{
	int error = errno;
	struct buffer out = { cuaudit_thread_block((uint32_t)key), LINE, 0 };
	const char *name = cuaudit_call_library(call)->name;
	size_t length, room;

	if (!out.at) {
		lose(-ENOMEM);
		return;
	}
	buffer_char(&out, '[');
	buffer_unsigned(&out, (uint64_t)syscall(SYS_gettid));
	buffer_text(&out, "] ");
	for (uint32_t i = 0; i < call->depth && i < 16; i++)
		buffer_text(&out, "  ");
	room = LINE - out.length - TAIL - TEXT;
	length = cuaudit_call_print(call, CUAUDIT_PRINT_AFTER, out.at + out.length, room);
	if (length >= room)
		length = text_cut(out.at + out.length, room);
	out.length += length;
	add_error_text(&out, cuaudit_call_error_text(call));
	if (call->flags & CUAUDIT_CALL_SKIPPED) {
		buffer_text(&out, " <skipped>");
	} else {
		buffer_text(&out, " <");
		add_time(&out, (int64_t)(call->end - call->start) > 0 ?
			       cuaudit_clock_ns(call->end - call->start) : 0);
		buffer_char(&out, '>');
	}
	buffer_char(&out, ' ');
	out.length += text_print(out.at + out.length, LINE - 1 - out.length, name, strlen(name));
	out.at[out.length++] = '\n';
	put(out.at, out.length);
	errno = error;
}

void trace_text_finish(void)
{
	if (unwritten)
		cuaudit_log(CUAUDIT_WARN, "trace: %llu line%s could not be written to %s: %s",
			    (unsigned long long)unwritten, unwritten == 1 ? "" : "s",
			    *path ? path : "stderr", io_remedy(hindrance));
	if (fd >= 0 && named && !moved && trace_self_is_gone(path, &self))
		cuaudit_log(CUAUDIT_WARN, "trace: %s was removed or replaced while the process ran; "
			    "leave it until the process has ended", path);
	if (trace_self_is(fd, &self))
		io_close(fd);
	fd = -1;
}

void trace_text_forked(void)
{
	unwritten = 0;
	moved = true;
}
