/* SPDX-License-Identifier: Apache-2.0 */
/* A stat record file in memory, safe to walk whatever it holds. */
#include "tools/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefile/extent.h"
#include "util/bytes.h"

enum { MAX_SEGMENT = 1 << 30, MAX_SHIFT = 63 };

/* Twice what is ever written; no reader shall take all memory for a sparse file. */
static const off_t max_size = (off_t)1 << 32;

static const char foreign[] = "not a stat record file";

static ssize_t read_whole(int fd, char *data, size_t size)
{
	return bytes_read(fd, data, 0, size);
}

/* What of a file has data. Its holes stay zeros that take no memory. */
static ssize_t read_data(int fd, char *data, size_t size)
{
	uint64_t at = 0, hole;
	ssize_t got = 0;

	while ((at = extent_data(fd, at)) < size) {
		hole = extent_hole(fd, at);
		hole = hole < size ? hole : size;
		got = bytes_read(fd, data, (size_t)at, (size_t)hole);
		if (got < (ssize_t)hole)
			return got;
		at = hole;
	}
	return (ssize_t)size;
}

static const char *check_header(const struct cuaudit_stat_header *header)
{
	if (memcmp(header->magic, CUAUDIT_STAT_MAGIC, sizeof(header->magic)))
		return foreign;
	if (header->order != CUAUDIT_STAT_ORDER)
		return "written by a machine of another byte order";
	if (header->version != CUAUDIT_STAT_VERSION || header->incompatible)
		return "written by a newer cuaudit";
	if (header->segment < 2 * CUAUDIT_STAT_HEADER || header->segment > MAX_SEGMENT ||
	    header->segment % CUAUDIT_STAT_ALIGN || header->clock_shift > MAX_SHIFT)
		return "damaged in its header";
	return NULL;
}

static const char *read_file(struct load *load, int fd)
{
	char start[CUAUDIT_STAT_HEADER] __attribute__((aligned(CUAUDIT_STAT_ALIGN)));
	struct stat status;
	const char *fault;
	ssize_t got;

	if (fstat(fd, &status))
		return strerror(errno);
	if (S_ISDIR(status.st_mode))
		return strerror(EISDIR);
	if (!S_ISREG(status.st_mode))
		return "not a file";
	got = read_whole(fd, start, sizeof(start));
	if (got < 0)
		return strerror(errno);
	if (!got)
		return "empty";
	if ((size_t)got < sizeof(start))
		return memcmp(start, CUAUDIT_STAT_MAGIC, 8) ? foreign : "cut short";
	fault = check_header((void *)start);
	if (fault)
		return fault;
	if (status.st_size > max_size)
		return "larger than a record file gets";
	load->size = (size_t)status.st_size;
	load->data = mmap(NULL, load->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
			  MAP_NORESERVE, -1, 0);
	if (load->data == MAP_FAILED) {
		load->data = NULL;
		return strerror(ENOMEM);
	}
	load->mapped = load->size;
	got = read_data(fd, load->data, load->size);
	if (got < (ssize_t)sizeof(start))
		return got < 0 ? strerror(errno) : "cut short";
	load->size = (size_t)got;
	/* It may have changed since. */
	return check_header((void *)load->data);
}

static void free_data(struct load *load)
{
	if (load->mapped)
		munmap(load->data, load->mapped);
	else
		free(load->data);
	load->mapped = 0;
}

static const char *cut(struct load *load)
{
	const struct cuaudit_stat_header *header = (const void *)load->data;
	size_t segment = header->segment;

	load->cut = load->size % segment || load->size / segment < header->file_segments;
	load->count = (load->size + segment - 1) / segment;
	load->segments = calloc(load->count, sizeof(*load->segments));
	if (!load->segments)
		return strerror(ENOMEM);
	for (size_t i = 0; i < load->count; i++) {
		size_t left = load->size - i * segment;

		load->segments[i].data = load->data + i * segment;
		load->segments[i].size = left < segment ? left : segment;
	}
	return NULL;
}

/*
 * Of most files a few pages are in use, and there may be thousands of them: the
 * last segment is kept as far as its row goes, and a record's head more.
 */
static const char *trim(struct load *load)
{
	struct records records = { .segments = load->segments, .count = load->count };
	size_t used = CUAUDIT_STAT_HEADER;
	const struct cuaudit_stat_record *record;
	char *data;

	if (load->count > 1)
		return NULL;
	while ((record = records_next(&records)))
		used = (size_t)((const char *)record - load->data) + record->size;
	if (records.damaged || load->size - used <= CUAUDIT_STAT_ALIGN)
		return NULL;
	used += CUAUDIT_STAT_ALIGN;
	if (posix_memalign((void **)&data, CUAUDIT_STAT_HEADER, used))
		return strerror(ENOMEM);
	memcpy(data, load->data, used);
	free_data(load);
	load->data = data;
	load->size = used;
	load->segments[0].data = data;
	load->segments[0].size = used;
	return NULL;
}

#define END_TEXT(record, type, field) \
	(((struct type *)(record))->field[sizeof(((struct type *)0)->field) - 1] = '\0')

static void end_texts(struct load *load)
{
	struct records records = { .segments = load->segments, .count = load->count };
	const struct cuaudit_stat_record *record;

	END_TEXT(load->data, cuaudit_stat_header, program);
	END_TEXT(load->data, cuaudit_stat_header, host);
	while ((record = records_next(&records))) {
		switch (record->type) {
		case CUAUDIT_STAT_FUNCTION:
			END_TEXT(record, cuaudit_stat_function, name);
			break;
		case CUAUDIT_STAT_LIBRARY:
			END_TEXT(record, cuaudit_stat_library, path);
			break;
		case CUAUDIT_STAT_THREAD:
			END_TEXT(record, cuaudit_stat_thread, name);
			break;
		case CUAUDIT_STAT_DRIVER:
			END_TEXT(record, cuaudit_stat_driver, path);
			break;
		case CUAUDIT_STAT_ESCAPE:
			END_TEXT(record, cuaudit_stat_escape, name);
			break;
		}
	}
}

const char *load_file(struct load *load, const char *path)
{
	const char *fault;
	int fd;

	memset(load, 0, sizeof(*load));
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return strerror(errno);
	fault = read_file(load, fd);
	close(fd);
	if (!fault)
		fault = cut(load);
	if (!fault)
		fault = trim(load);
	if (!fault)
		end_texts(load);
	return fault;
}

enum load_kind load_kind(const char *path)
{
	char magic[sizeof(CUAUDIT_STAT_MAGIC) - 1] = "";
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read_whole(fd, magic, sizeof(magic));

	if (fd >= 0)
		close(fd);
	if (got >= 0 && !*magic)
		return LOAD_EMPTY;
	return memcmp(magic, CUAUDIT_STAT_MAGIC, sizeof(magic)) ? LOAD_FOREIGN : LOAD_RECORDS;
}

void load_free(struct load *load)
{
	free(load->segments);
	free_data(load);
}
