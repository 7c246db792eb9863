/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a trace: its header, and room for its chunks. */
#include "hooks/modules/trace/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>

#include "hooks/modules/process.h"
#include "hooks/modules/trace/trace_self.h"
#include "util/io.h"
#include "util/pages.h"

#define SUFFIX ".cutrace"

enum {
	MAX_NUMBER = 99,
	POPULATE_WRITE = 23,	/* madvise, since Linux 5.14 */
	AT_ONCE = 65536,	/* bytes */
	BESIDE = 64,		/* chunks whose addresses are reserved together */
	PAIRS = 4,		/* reads of the clocks, for one that takes no longer than ... */
	PAIR_NS = 5000		/* ... this */
};

static struct trace_file_settings settings;
static struct cuaudit_trace_header first_header;

static char path[PATH_MAX];
static int fd = -1;
static struct trace_self self;	/* which file that is */
static uint32_t nchunks, most;

static struct cuaudit_trace_header *_Atomic header;
static _Atomic uint64_t lost[CUAUDIT_TRACE_LOSSES];	/* those that no header has */
static _Atomic uint32_t stopped;			/* 1 + why */

bool trace_file_ring(void)
{
	return settings.flags & CUAUDIT_TRACE_RING;
}

uint32_t trace_file_chunks(void)
{
	return nchunks;
}

/* A text that fills its room may have been cut, and then ends with "...". */
static void mark_cut(char *text, size_t size, long used)
{
	static const char cut[] = "...";

	if (used >= (long)size - 1)
		memcpy(text + size - sizeof(cut), cut, sizeof(cut));
}

static void describe_process(struct cuaudit_trace_header *to)
{
	long used = readlink("/proc/thread-self/exe", to->program, sizeof(to->program) - 1);

	if (used < 0)
		strcpy(to->program, "(unknown program)");
	mark_cut(to->program, sizeof(to->program), used);
	used = io_read_file("/proc/thread-self/cmdline", to->command, sizeof(to->command), IO_NOW);
	mark_cut(to->command, sizeof(to->command), used);
	if (gethostname(to->host, sizeof(to->host) - 1))
		strcpy(to->host, "localhost");
}

static void describe_clock(struct cuaudit_trace_header *to)
{
	to->clock_source = cuaudit_clock.source;
	to->clock_mult = cuaudit_clock.mult;
	to->clock_shift = cuaudit_clock.shift;
	to->clock_hz = cuaudit_clock.hz;
}

static void begin_clocks(void)
{
	uint64_t ticks = cuaudit_ticks();
	struct trace_file_clocks clocks = trace_file_clocks(ticks);

	first_header.start_ticks = ticks;
	first_header.start_ns = clocks.ns;
	first_header.start_raw = clocks.raw;
}

void trace_file_setup(const struct trace_file_settings *given)
{
	settings = *given;
	most = settings.size / CUAUDIT_TRACE_CHUNK < UINT32_MAX ?
		       (uint32_t)(settings.size / CUAUDIT_TRACE_CHUNK) : UINT32_MAX;
	first_header = (struct cuaudit_trace_header){
		.version = CUAUDIT_TRACE_VERSION,
		.order = CUAUDIT_TRACE_ORDER,
		.chunk = CUAUDIT_TRACE_CHUNK,
		.incompatible = settings.incompatible,
		.flags = settings.flags,
		.rank = cuaudit_rank(),
	};
	begin_clocks();
}

/*
 * Never opens what is there already: another process's, or this one's before exec. The
 * number comes before the suffix, so that *.cutrace matches the name.
 */
static int open_new(void)
{
	size_t length = strlen(path), suffix = sizeof(SUFFIX) - 1;

	if (length < suffix || strcmp(path + length - suffix, SUFFIX) != 0)
		suffix = 0;
	length -= suffix;
	for (int number = 0; number <= MAX_NUMBER && length + suffix + 4 <= sizeof(path); number++) {
		char *end = path + length;
		int file;

		if (number) {
			*end++ = '.';
			if (number > 9)
				*end++ = (char)('0' + number / 10);
			*end++ = (char)('0' + number % 10);
		}
		strcpy(end, suffix ? SUFFIX : "");
		file = io_open(path, O_RDWR | O_CREAT | O_EXCL, IO_NOW);
		if (file >= 0)
			io_claim(file);
		if (file != -EEXIST)
			return file;
	}
	return -EEXIST;
}

/* Where the program was started, wherever it is now. */
static int make_absolute(void)
{
	const char *directory = cuaudit_directory();
	size_t before = strlen(directory), length = strlen(path) + 1;

	if (path[0] == '/')
		return 0;
	if (before + 1 + length > sizeof(path))
		return -ENAMETOOLONG;
	memmove(path + before + 1, path, length);
	memcpy(path, directory, before);
	path[before] = '/';
	return 0;
}

static int find_path(const char *name)
{
	int result;

	if (name)
		result = cuaudit_path(name, "", path, sizeof(path));
	else
		result = cuaudit_output_path(SUFFIX, path, sizeof(path));
	if (result == -ENOENT)
		result = cuaudit_path("%e-%p", SUFFIX, path, sizeof(path));
	return result ? result : make_absolute();
}

/* What cannot be written is said when the first call comes. */
int trace_file_check(const char *name)
{
	mode_t type = find_path(name) ? 0 : io_type(path);

	if (!type || S_ISREG(type) || S_ISDIR(type))
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "trace: %s is a device or a pipe, and a trace has to be a file; "
		    "give file=PATH", path);
	return -ECANCELED;
}

static int open_file(void)
{
	int result = find_path(settings.name);

	if (result)
		return result;
	result = open_new();
	if (result < 0)
		return result;
	fd = result;
	return trace_self_look(fd, &self);
}

/* Or -errno. The program may close any descriptor, and have another file there then. */
static int descriptor(void)
{
	if (fd >= 0 && trace_self_is(fd, &self))
		return fd;
	fd = io_open(path, O_RDWR | O_NOFOLLOW, IO_NOW);
	if (fd >= 0 && !trace_self_is(fd, &self)) {
		io_close(fd);
		fd = -ENOENT;
	}
	return fd;
}

static int reserve(uint32_t index)
{
	int file = descriptor();

	return file < 0 ? -file : -io_reserve(file, (uint64_t)index * CUAUDIT_TRACE_CHUNK,
					      CUAUDIT_TRACE_CHUNK);
}

static void *map(uint32_t index, void *at, int flags)
{
	int file = descriptor();

	if (file < 0)
		return NULL;
	at = pages_map(at, CUAUDIT_TRACE_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file,
		  (off_t)index * CUAUDIT_TRACE_CHUNK);
	return at == MAP_FAILED ? NULL : at;
}

void *trace_file_map(uint32_t index)
{
	return map(index, NULL, 0);
}

void *trace_file_map_beside(uint32_t index)
{
	static char *next;
	static uint32_t left;

	if (!left) {
		next = pages_map(NULL, BESIDE * CUAUDIT_TRACE_CHUNK, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (next == MAP_FAILED)
			return trace_file_map(index);
		left = BESIDE;
	}
	left--;
	next += CUAUDIT_TRACE_CHUNK;
	return map(index, next - CUAUDIT_TRACE_CHUNK, MAP_FIXED);
}

void trace_file_unmap(void *at, uint32_t count)
{
	pages_unmap(at, (size_t)count * CUAUDIT_TRACE_CHUNK);
}

/* Where it is not known, they come one by one when they are written. */
void trace_file_populate(void *at)
{
	/* The program's own mappings wait meanwhile: not for all of it. */
	for (size_t done = 0; done < CUAUDIT_TRACE_CHUNK; done += AT_ONCE)
		madvise((char *)at + done, AT_ONCE, POPULATE_WRITE);
}

/* The first one is the cause. */
static void note_error(int error)
{
	if (header && !header->error)
		header->error = (uint64_t)error;
}

static void fail(int error)
{
	trace_file_stop(CUAUDIT_TRACE_LOST_DISK);
	note_error(error);
	cuaudit_log(CUAUDIT_WARN, "trace: %s %s: %s; further calls are only counted",
		    path, header ? "cannot grow" : "cannot be written", io_remedy(error));
}

static void be_full(void)
{
	trace_file_stop(CUAUDIT_TRACE_LOST_SIZE);
	cuaudit_log(CUAUDIT_WARN, "trace: %s has its full size, %u KiB; further calls are only "
		    "counted", path, nchunks * (CUAUDIT_TRACE_CHUNK / 1024));
}

/* What was counted while there was no header, or by who did not see it yet. */
static void move_losses(struct cuaudit_trace_header *to)
{
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		__atomic_fetch_add(&to->lost[i], atomic_exchange(&lost[i], 0), __ATOMIC_RELAXED);
}

static int begin(void)
{
	struct cuaudit_trace_header *at = NULL;
	int result = open_file();

	if (!result)
		result = reserve(0);
	if (!result) {
		at = trace_file_map(0);
		if (!at)
			result = errno;
	}
	if (result) {
		if (fd >= 0)
			unlink(path);
		return result;
	}
	*at = first_header;
	at->pid = (uint32_t)getpid();
	at->process_start = (uint32_t)process_start();
	at->parent = (uint32_t)getppid();
	describe_process(at);
	describe_clock(at);
	/* Last: a file without it is nobody's. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(at->magic, CUAUDIT_TRACE_MAGIC, sizeof(at->magic));
	/* Whoever finds it adds to its losses: they are not set from here on. */
	atomic_store_explicit(&header, at, memory_order_release);
	move_losses(at);
	nchunks = 1;
	return 0;
}

void *trace_file_begin(uint32_t *why)
{
	int error;

	if (!header && !trace_file_stopped(why)) {
		error = begin();
		if (error)
			fail(error);
	}
	if (header)
		return (char *)header + CUAUDIT_TRACE_HEADER;
	trace_file_stopped(why);
	return NULL;
}

bool trace_file_grow(uint32_t *index)
{
	uint32_t why;

	if (!header || trace_file_stopped(&why) || nchunks >= most || reserve(nchunks))
		return false;
	*index = nchunks++;
	return true;
}

bool trace_file_is_full(void)
{
	return nchunks >= most;
}

bool trace_file_give(uint32_t index)
{
	if (index + 1 != nchunks)
		return false;
	nchunks--;
	return true;
}

bool trace_file_extend(uint32_t *index, uint32_t *why)
{
	int error;

	if (trace_file_stopped(why))
		return false;
	*why = CUAUDIT_TRACE_LOST_SIZE;
	if (nchunks >= most) {
		if (!trace_file_ring())
			be_full();
		return false;
	}
	*index = nchunks;
	error = reserve(nchunks);
	if (!error) {
		nchunks++;
		return true;
	}
	*why = CUAUDIT_TRACE_LOST_DISK;
	if (trace_file_ring() && nchunks > 2) {
		/* A smaller ring is one, too. */
		most = nchunks;
		note_error(error);
		cuaudit_log(CUAUDIT_WARN, "trace: %s cannot grow: %s; it is a ring of %u KiB",
			    path, io_remedy(error), nchunks * (CUAUDIT_TRACE_CHUNK / 1024));
		return false;
	}
	fail(error);
	return false;
}

static uint64_t now(clockid_t id)
{
	struct timespec at;

	clock_gettime(id, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* Again where something came between the reads, as that would look like a clock that was set. */
struct trace_file_clocks trace_file_clocks(uint64_t ticks)
{
	uint64_t shortest = UINT64_MAX, middle = ticks, since;
	struct trace_file_clocks clocks = { .ns = 0 };

	for (int i = 0; i < PAIRS && cuaudit_clock_ns(shortest) > PAIR_NS; i++) {
		uint64_t before = cuaudit_ticks();
		struct trace_file_clocks these = { now(CLOCK_REALTIME), now(CLOCK_MONOTONIC_RAW) };
		uint64_t took = cuaudit_ticks() - before;

		if (took >= shortest)
			continue;
		shortest = took;
		middle = before + took / 2;
		clocks = these;
	}
	since = (int64_t)(middle - ticks) > 0 ? cuaudit_clock_ns(middle - ticks) : 0;
	clocks.ns -= since;
	clocks.raw -= since;
	return clocks;
}

void trace_file_stop(uint32_t why)
{
	atomic_store_explicit(&stopped, why + 1, memory_order_relaxed);
}

bool trace_file_stopped(uint32_t *why)
{
	uint32_t now = atomic_load_explicit(&stopped, memory_order_relaxed);

	if (now)
		*why = now - 1;
	return now;
}

bool trace_file_ended(uint32_t *why)
{
	bool ended = atomic_load_explicit(&stopped, memory_order_relaxed) == TRACE_FILE_ENDED + 1;

	if (ended)
		*why = TRACE_FILE_ENDED;
	return ended;
}

void trace_file_lost(uint32_t why, uint64_t calls)
{
	struct cuaudit_trace_header *at = atomic_load_explicit(&header, memory_order_acquire);

	if (why == TRACE_FILE_ENDED)
		return;
	if (at)
		__atomic_fetch_add(&at->lost[why], calls, __ATOMIC_RELAXED);
	else
		atomic_fetch_add_explicit(&lost[why], calls, memory_order_relaxed);
}

void trace_file_has_ranges(void)
{
	struct cuaudit_trace_header *at = atomic_load_explicit(&header, memory_order_acquire);

	/* Pairs with the reader: before any record that it stands for. */
	if (at)
		__atomic_fetch_or(&at->incompatible, CUAUDIT_TRACE_HAS_RANGES, __ATOMIC_SEQ_CST);
}

void trace_file_lost_ranges(enum cuaudit_trace_range_loss why, uint64_t ranges)
{
	struct cuaudit_trace_header *at = atomic_load_explicit(&header, memory_order_acquire);

	if (at)
		__atomic_store_n(&at->lost_ranges[why], ranges, __ATOMIC_RELAXED);
}

uint64_t trace_file_losses(enum cuaudit_trace_loss why)
{
	const struct cuaudit_trace_header *at = header;

	return (at ? __atomic_load_n(&at->lost[why], __ATOMIC_RELAXED) : 0) + lost[why];
}

void trace_file_ending(uint32_t ending, uint32_t status)
{
	struct cuaudit_trace_header *at = atomic_load_explicit(&header, memory_order_acquire);

	if (!at)
		return;
	__atomic_store_n(&at->status, status, __ATOMIC_RELAXED);
	/* The core ends by _exit where a module has set the status. */
	if (!(at->flags & CUAUDIT_TRACE_FINISHED))
		__atomic_store_n(&at->ending, ending, __ATOMIC_RELEASE);
}

const char *trace_file_finish(uint32_t used)
{
	off_t size = (off_t)(nchunks - 1) * CUAUDIT_TRACE_CHUNK + used;
	struct trace_file_clocks clocks;

	trace_file_stop(TRACE_FILE_ENDED);
	if (!header)
		return NULL;
	move_losses(header);
	describe_clock(header);
	header->end_ticks = cuaudit_ticks();
	clocks = trace_file_clocks(header->end_ticks);
	header->end_ns = clocks.ns;
	header->end_raw = clocks.raw;
	header->size = (uint64_t)(used ? size : (off_t)nchunks * CUAUDIT_TRACE_CHUNK);
	__atomic_store_n(&header->flags, header->flags | CUAUDIT_TRACE_FINISHED, __ATOMIC_RELEASE);
	if (used && descriptor() >= 0 && ftruncate(fd, size))
		cuaudit_log(CUAUDIT_INFO, "trace: %s is not cut: %s", path, io_remedy(errno));
	return path;
}

bool trace_file_is_gone(void)
{
	return trace_self_is_gone(path, &self);
}

void trace_file_forked(void)
{
	if (fd >= 0 && trace_self_is(fd, &self))
		io_close(fd);
	fd = -1;
	if (header)
		pages_unmap(header, CUAUDIT_TRACE_CHUNK);
	header = NULL;
	nchunks = 0;
	memset(lost, 0, sizeof(lost));
	stopped = 0;
	most = settings.size / CUAUDIT_TRACE_CHUNK < UINT32_MAX ?
		       (uint32_t)(settings.size / CUAUDIT_TRACE_CHUNK) : UINT32_MAX;
	begin_clocks();
}
