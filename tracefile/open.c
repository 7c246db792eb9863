/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a trace file: its header, its chunks, its clock. */
#include "tracefile/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuaudit/clock.h>

#include "tracefile/describe.h"
#include "tracefile/extent.h"
#include "util/sort.h"

enum {
	CHUNK_MIN = 8192,
	CHUNK_MAX = 1 << 30,
	STEP = 64 << 10,	/* bytes of descriptions that are read at first */
	TRIES = 8,		/* to copy a chunk's header while it is written */
	SPAN_MIN = 100000000,	/* ns from which two readings of two clocks are the better measure */
	STEP_MIN = 1000000	/* ns by which the time of day was set, not read late */
};

/* By how much a measure may differ from the writer's own. */
#define RAW_MOST 0.01
#define DAY_MOST 0.001

/* As much of size bytes as there is; -errno. */
static ssize_t read_at(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)to + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static const char *open_file(struct trace *trace)
{
	struct stat status;

	/* A pipe without a writer would wait. */
	trace->fd = open(trace->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (trace->fd < 0 || fstat(trace->fd, &status))
		return strerror(errno);
	if (S_ISDIR(status.st_mode))
		return strerror(EISDIR);
	if (!S_ISREG(status.st_mode))
		return "is not a regular file";
	trace->size = (uint64_t)status.st_size;
	trace->device = status.st_dev;
	trace->inode = status.st_ino;
	return trace->size ? NULL : "is empty";
}

static const char *read_header(struct trace *trace)
{
	const uint64_t known = CUAUDIT_TRACE_HAS_AGAIN | CUAUDIT_TRACE_HAS_PARAMETERS |
			       CUAUDIT_TRACE_HAS_PYTHON | CUAUDIT_TRACE_HAS_RANGES;
	static _Thread_local char message[96];
	struct cuaudit_trace_header *header = &trace->header;
	ssize_t got = read_at(trace->fd, header, sizeof(*header), 0);

	if (got < 0)
		return strerror((int)-got);
	if (got < (ssize_t)sizeof(header->magic) ||
	    memcmp(header->magic, CUAUDIT_TRACE_MAGIC, sizeof(header->magic)))
		return "is not a trace of cuaudit";
	if (trace->size < CUAUDIT_TRACE_HEADER)
		return "is cut off within its header";
	if (header->order != CUAUDIT_TRACE_ORDER)
		return header->order == __builtin_bswap32(CUAUDIT_TRACE_ORDER) ?
		       "was written on a machine of the other byte order" :
		       "has a damaged header";
	if (header->version > CUAUDIT_TRACE_VERSION || !header->version) {
		snprintf(message, sizeof(message),
			 "is a trace of version %u; this cuaudit reads versions 1 to %d",
			 header->version, CUAUDIT_TRACE_VERSION);
		return message;
	}
	if (header->incompatible & ~known) {
		snprintf(message, sizeof(message),
			 "needs features that this cuaudit does not know (%#llx)",
			 (unsigned long long)(header->incompatible & ~known));
		return message;
	}
	if (header->chunk < CHUNK_MIN || header->chunk > CHUNK_MAX ||
	    header->chunk & (header->chunk - 1))
		return "has a damaged header";
	header->host[sizeof(header->host) - 1] = '\0';
	header->program[sizeof(header->program) - 1] = '\0';
	header->command[sizeof(header->command) - 1] = '\0';
	return NULL;
}

/* Of two files that were made one only the first would be read. */
static bool followed(const struct trace *trace)
{
	char magic[sizeof(trace->header.magic)];

	return trace->header.flags & CUAUDIT_TRACE_FINISHED && trace->header.size &&
	       trace->header.size < trace->size &&
	       read_at(trace->fd, magic, sizeof(magic), trace->header.size) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, CUAUDIT_TRACE_MAGIC, sizeof(magic));
}

/* Whether the row of descriptions ends before size; *at: how far it has been followed. */
static bool ends(const char *data, size_t size, size_t *at)
{
	struct cuaudit_trace_record record;

	while (*at + sizeof(record) <= size) {
		memcpy(&record, data + *at, sizeof(record));
		if (!record.type || record.size < sizeof(record))
			return true;
		*at += record.size;
	}
	return false;
}

/* As far as there are descriptions: a chunk may be declared far larger than what is in it. */
static int read_segment(const struct trace *trace, struct trace_segment *segment, uint64_t offset,
			uint64_t end)
{
	uint64_t hole = extent_hole(trace->fd, offset);
	size_t whole = (size_t)((hole < end ? hole : end) - offset), room = 0, at = 0;

	while (segment->size == room && room < whole &&
	       !ends((const char *)segment->data, segment->size, &at)) {
		uint64_t *data;
		ssize_t got;

		room = room ? 2 * room : STEP;
		room = room < whole ? room : whole;
		data = reallocarray(segment->data, room / sizeof(*data) + 1, sizeof(*data));
		if (!data)
			return -ENOMEM;
		segment->data = data;
		got = read_at(trace->fd, (char *)data + segment->size, room - segment->size,
			      offset + segment->size);
		if (got < 0)
			return (int)got;
		segment->size += (size_t)got;
	}
	return 0;
}

static int add_segment(struct trace *trace, uint64_t offset, uint64_t end, uint64_t sequence)
{
	struct trace_segment *segment;

	segment = reallocarray(trace->segments, trace->nsegments + 1, sizeof(*segment));
	if (!segment)
		return -ENOMEM;
	trace->segments = segment;
	segment += trace->nsegments++;
	*segment = (struct trace_segment){ .sequence = sequence };
	return read_segment(trace, segment, offset, end);
}

static int add_chunk(struct trace *trace, const struct cuaudit_trace_chunk *header,
		     uint64_t offset, uint64_t end)
{
	struct trace_chunk *chunk;

	if (!(trace->nchunks & (trace->nchunks - 1))) {
		size_t room = trace->nchunks ? 2 * trace->nchunks : 1;

		chunk = reallocarray(trace->chunks, room, sizeof(*chunk));
		if (!chunk)
			return -ENOMEM;
		trace->chunks = chunk;
	}
	chunk = &trace->chunks[trace->nchunks++];
	*chunk = (struct trace_chunk){
		.offset = offset,
		.sequence = header->sequence,
		.base_ticks = header->base_ticks,
		.base_ns = header->base_ns,
		.base_raw = header->base_raw,
		.base_correlation = header->base_correlation,
		.filtered = header->filtered,
		.thread = header->thread,
		.size = (uint32_t)(end - offset),
	};
	memcpy(chunk->open, header->open, sizeof(chunk->open));
	/* A count beyond what fits is none. */
	if (header->records <= chunk->size / 8)
		chunk->records = header->records;
	trace->records += chunk->records;
	return 0;
}

/*
 * A living process may begin the chunk anew, or open and close calls, while its header is
 * copied: then two copies differ. Of one that does not come to rest, nothing is known.
 */
static ssize_t read_chunk(const struct trace *trace, struct cuaudit_trace_chunk *header,
			  uint64_t offset)
{
	struct cuaudit_trace_chunk again;
	ssize_t got;

	for (int i = 0; i < TRIES; i++) {
		got = read_at(trace->fd, header, sizeof(*header), offset);
		if (!trace->living || got < (ssize_t)sizeof(*header))
			return got;
		got = read_at(trace->fd, &again, sizeof(again), offset);
		if (got < (ssize_t)sizeof(again))
			return got;
		if (memcmp(header, &again, offsetof(struct cuaudit_trace_chunk, records)) != 0)
			continue;
		for (int j = 0; j < CUAUDIT_TRACE_OPEN; j++)
			if (memcmp(&header->open[j], &again.open[j], sizeof(again.open[j])) != 0)
				header->open[j].ticks = 0;
		return got;
	}
	header->kind = CUAUDIT_TRACE_EMPTY;
	return got;
}

static int read_chunks(struct trace *trace)
{
	uint64_t size = trace->header.chunk, offset, end;
	int error;

	end = trace->size < size ? trace->size : size;
	error = add_segment(trace, CUAUDIT_TRACE_HEADER, end, 0);
	for (offset = size; !error && offset < trace->size; offset += size) {
		struct cuaudit_trace_chunk header;
		uint64_t data = extent_data(trace->fd, offset);
		ssize_t got;

		/* Chunks of which nothing was written are empty; a file may have any number. */
		if (data >= trace->size)
			break;
		offset = data & -size;
		got = read_chunk(trace, &header, offset);
		end = trace->size - offset < size ? trace->size : offset + size;
		if (got < 0)
			return (int)got;
		if (got < (ssize_t)sizeof(header))
			trace->torn = (uint64_t)got;
		else if (header.kind == CUAUDIT_TRACE_DESCRIPTIONS)
			error = add_segment(trace, offset + sizeof(header), end, header.sequence);
		else if (header.kind == CUAUDIT_TRACE_CALLS)
			error = add_chunk(trace, &header, offset, end);
		else if (header.kind != CUAUDIT_TRACE_EMPTY)
			trace->damaged++;
	}
	return error;
}

/* A file without an end has whole chunks, as they are taken. */
static uint64_t cut_off(const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;

	if (!(header->flags & CUAUDIT_TRACE_FINISHED))
		return -trace->size & (header->chunk - 1);
	return header->size > trace->size ? header->size - trace->size : 0;
}

static int compare_segments(const void *a, const void *b)
{
	uint64_t x = ((const struct trace_segment *)a)->sequence;
	uint64_t y = ((const struct trace_segment *)b)->sequence;

	return ORDER(x, y);
}

static int compare_chunks(const void *a, const void *b)
{
	const struct trace_chunk *x = a, *y = b;

	return ORDER(x->thread, y->thread) ?: ORDER(x->sequence, y->sequence);
}

/* The clocks at one time. */
struct reading {
	uint64_t ticks, ns, raw;
};

static int compare_readings(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;

	return ORDER(x->ticks, y->ticks);
}

/* All there are, by time; of older files without the raw clock. NULL where memory is out. */
static struct reading *readings_of(const struct trace *trace, size_t *count)
{
	const struct cuaudit_trace_header *header = &trace->header;
	struct reading *readings = calloc(trace->nchunks + 2, sizeof(*readings));

	if (!readings)
		return NULL;
	readings[0] = (struct reading){ header->start_ticks, header->start_ns, header->start_raw };
	*count = 1;
	for (size_t i = 0; i < trace->nchunks; i++) {
		const struct trace_chunk *chunk = &trace->chunks[i];

		if (!header->start_raw || chunk->base_raw)
			readings[(*count)++] = (struct reading){ chunk->base_ticks, chunk->base_ns,
								 chunk->base_raw };
	}
	if (header->end_ticks)
		readings[(*count)++] = (struct reading){ header->end_ticks, header->end_ns,
							 header->end_raw };
	qsort(readings, *count, sizeof(*readings), compare_readings);
	return readings;
}

/*
 * What one clock that may be set and one that is not say of the same times. The first is also
 * made to run faster or slower, by half a thousandth, and read a little later.
 */
static void find_steps(struct trace *trace, const struct reading *readings, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		int64_t raw = (int64_t)(readings[i].raw - readings[i - 1].raw);
		int64_t set = (int64_t)(readings[i].ns - readings[i - 1].ns - (uint64_t)raw);

		if (raw < 0 || (set < 0 ? -set : set) < STEP_MIN + raw / 1000)
			continue;
		trace->steps++;
		trace->step_ns += set;
	}
}

/*
 * The writer's own measure at its start was a short one. Two readings far apart are better. In
 * older files they are of the time of day, which may have been set in between: the file does not
 * tell where that was little.
 */
static void measure(struct trace *trace, const struct reading *first, const struct reading *last)
{
	bool raw = trace->header.start_raw;
	uint64_t ticks = last->ticks - first->ticks;
	uint64_t ns = raw ? last->raw - first->raw : last->ns - first->ns;
	double measured, said, most = raw ? RAW_MOST : DAY_MOST;

	if (last->ticks <= first->ticks || ns > INT64_MAX || ns < SPAN_MIN)
		return;
	measured = (double)ns / (double)ticks;
	said = (double)trace->mult / (double)((uint64_t)1 << trace->shift);
	if (measured > said * (1 + most) || measured < said * (1 - most) || measured > 1e6)
		return;
	trace->shift = 32;
	trace->mult = (uint64_t)(((__extension__(unsigned __int128)ns << 32) + ticks / 2) / ticks);
}

static int set_clock(struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;
	struct reading *readings;
	size_t count;

	trace->start_ticks = header->start_ticks;
	trace->start_ns = header->start_ns;
	trace->mult = header->clock_mult;
	trace->shift = header->clock_shift;
	if (!trace->mult || trace->mult > INT64_MAX || trace->shift > 63) {
		trace->mult = 1;
		trace->shift = 0;
		trace->damaged++;
	}
	readings = readings_of(trace, &count);
	if (!readings)
		return -ENOMEM;
	if (header->start_raw)
		find_steps(trace, readings, count);
	/* One of CLOCK_MONOTONIC has nanoseconds. */
	if (header->clock_source == CUAUDIT_CLOCK_COUNTER)
		measure(trace, &readings[0], &readings[count - 1]);
	free(readings);
	return 0;
}

void trace_park(struct trace *trace)
{
	close(trace->fd);
	trace->fd = -1;
}

/* The same file, or -errno. */
static int open_again(const struct trace *trace)
{
	int fd = open(trace->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && status.st_dev == trace->device && status.st_ino == trace->inode)
		return fd;
	close(fd);
	return -ESTALE;
}

ssize_t trace_read(const struct trace *trace, void *to, size_t size, uint64_t offset)
{
	int fd = trace->fd < 0 ? open_again(trace) : trace->fd;
	ssize_t got;

	if (fd < 0)
		return fd;
	do
		got = pread(fd, to, size, (off_t)offset);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		got = -errno;
	if (trace->fd < 0)
		close(fd);
	return got;
}

const char *trace_open(struct trace *trace, const char *path)
{
	const char *fault;
	int error;

	*trace = (struct trace){ .path = path, .fd = -1 };
	fault = open_file(trace);
	if (!fault)
		fault = read_header(trace);
	if (fault)
		return fault;
	if (followed(trace))
		return "has another trace behind its end; give each of them as a file of its own";
	trace->cut = cut_off(trace);
	trace->living = !(trace->header.flags & CUAUDIT_TRACE_FINISHED);
	trace->overwritten = calloc(1, sizeof(*trace->overwritten));
	if (!trace->overwritten)
		return strerror(ENOMEM);
	error = read_chunks(trace);
	if (error)
		return strerror(-error);
	if (trace->nsegments > 1)
		qsort(trace->segments, trace->nsegments, sizeof(*trace->segments), compare_segments);
	if (trace->nchunks > 1)
		qsort(trace->chunks, trace->nchunks, sizeof(*trace->chunks), compare_chunks);
	return set_clock(trace) || trace_describe(trace) ? strerror(ENOMEM) : NULL;
}

void trace_command(const struct trace *trace, char *text)
{
	size_t size = sizeof(trace->header.command);

	memcpy(text, trace->header.command, size);
	while (size && !text[size - 1])
		size--;
	for (size_t i = 0; i < size; i++)
		if (!text[i])
			text[i] = ' ';
}

uint64_t trace_lost(const struct trace *trace, enum cuaudit_trace_loss why)
{
	uint64_t lost = trace->header.lost[why];

	if (why == CUAUDIT_TRACE_LOST_RING && trace->overwritten)
		lost += __atomic_load_n(trace->overwritten, __ATOMIC_RELAXED);
	return lost;
}

void trace_close(struct trace *trace)
{
	trace_describe_free(trace);
	free(trace->chunks);
	free(trace->overwritten);
	for (size_t i = 0; i < trace->nsegments; i++)
		free(trace->segments[i].data);
	free(trace->segments);
	if (trace->fd >= 0)
		close(trace->fd);
}
