/* SPDX-License-Identifier: Apache-2.0 */
/* Where the stat hook's records lie: in memory, or in a file that outlives the process. */
#include "hooks/modules/stat/stat_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "hooks/modules/process.h"
#include "hooks/modules/stat/stat_file.h"
#include "hooks/modules/trace/trace_self.h"
#include "util/io.h"
#include "util/pages.h"
#include "util/signals.h"

enum { MAX_SEGMENTS = 8192, MAX_NUMBER = 9999 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of count segments in use; a child of fork keeps the addresses of further ones. */
static struct segment segments[MAX_SEGMENTS];
static size_t count, used;

static struct cuaudit_stat_header first_header;
static const char *save;

/*
 * The file. No descriptor of it is kept: a program may close all descriptors it
 * finds and have the number for a file of its own.
 */
static char path[PATH_MAX];
static bool saved;
static struct trace_self identity;
static bool full;		/* the file takes no more segments */

void stat_lock(sigset_t *mask)
{
	signals_block(mask);
	pthread_mutex_lock(&lock);
}

void stat_unlock(const sigset_t *mask)
{
	pthread_mutex_unlock(&lock);
	signals_restore(mask);
}

static int open_path(int flags)
{
	return io_open(path, flags | O_NOFOLLOW, IO_NOW);
}

static char *add_digits(char *to, unsigned int value)
{
	char digits[12];
	int n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	while (n)
		*to++ = digits[--n];
	*to = '\0';
	return to;
}

/* Never opens what is there already: another process's, or this one's before exec. */
static int open_new(void)
{
	size_t length = strlen(path);
	int file;

	for (unsigned int number = 0; number <= MAX_NUMBER; number++) {
		if (number && length + sizeof(".9999") > sizeof(path))
			return -ENAMETOOLONG;
		if (number) {
			path[length] = '.';
			add_digits(path + length + 1, number);
		}
		file = open_path(O_RDWR | O_CREAT | O_EXCL);
		if (file >= 0)
			io_claim(file);
		if (file != -EEXIST)
			return file;
	}
	return -EEXIST;
}

/* The program may change its directory before the file is removed. */
static void make_absolute(int file)
{
	char link[32] = "/proc/thread-self/fd/";
	ssize_t length;

	if (path[0] == '/')
		return;
	add_digits(link + strlen(link), (unsigned int)file);
	length = readlink(link, path, sizeof(path) - 1);
	if (length > 0)
		path[length] = '\0';
}

/* Creates the file, if one is wanted: sets saved. */
static void create_file(void)
{
	int file = 0;

	full = false;
	if (!strcmp(save, "no"))
		return;
	if (!strcmp(save, "auto"))
		file = cuaudit_output_path(".part", path, sizeof(path));
	else if (strlen(save) < sizeof(path))
		strcpy(path, save);
	else
		file = -ENAMETOOLONG;
	if (file == -ENOENT || (!file && io_type(path) == S_IFCHR))
		return;
	if (!file)
		file = open_new();
	if (file < 0) {
		cuaudit_log(CUAUDIT_WARN, "stat: cannot save statistics of process %d: %s: %s",
			    (int)getpid(), io_remedy(file), path);
		return;
	}
	saved = !trace_self_look(file, &identity);
	make_absolute(file);
	io_close(file);
}

/* Not what somebody else has put in its place. */
static void remove_file(void)
{
	int file = open_path(O_RDONLY | O_NONBLOCK);
	bool ours = file >= 0 && trace_self_is(file, &identity);

	if (file >= 0)
		io_close(file);
	saved = false;
	if (ours && unlink(path))
		cuaudit_log(CUAUDIT_WARN, "stat: cannot remove the file of saved statistics: %s: %s",
			    io_remedy(errno), path);
}

/* 0, or what hinders. */
static int try_map(void **at, size_t index)
{
	int file = open_path(O_RDWR), result;
	void *mapped;

	if (file < 0)
		return file == -ENOENT ? ESTALE : -file;
	result = trace_self_is(file, &identity) ? -io_reserve(file, index * CUAUDIT_STAT_SEGMENT,
								       CUAUDIT_STAT_SEGMENT) : ESTALE;
	if (!result) {
		mapped = pages_map(*at, CUAUDIT_STAT_SEGMENT, PROT_READ | PROT_WRITE,
			      MAP_SHARED | (*at ? MAP_FIXED : 0), file,
			      (off_t)(index * CUAUDIT_STAT_SEGMENT));
		if (mapped == MAP_FAILED)
			result = errno;
		else
			*at = mapped;
	}
	if (result && result != ESTALE && !index && ftruncate(file, 0))
		result = errno;
	io_close(file);
	return result;
}

static void *map_file(void *at, size_t index)
{
	int result = try_map(&at, index);

	if (!result)
		return at;
	full = true;
	if (index)
		stat_store_header()->flags |= CUAUDIT_STAT_PARTIAL;
	cuaudit_log(CUAUDIT_WARN, "stat: cannot save %sstatistics of process %d: %s: %s",
		    index ? "all " : "", (int)getpid(), io_remedy(result), path);
	/* An empty one tells who reads all files of a run that one is missing. */
	if (!index && first_header.run)
		saved = false;
	else if (!index)
		remove_file();
	return MAP_FAILED;
}

static void *map_memory(void *at)
{
	return pages_map(at, CUAUDIT_STAT_SEGMENT, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

static int add_segment(void)
{
	struct segment *segment = &segments[count];
	void *old, *at = MAP_FAILED;
	int error = errno;

	if (count == MAX_SEGMENTS)
		return -ENOMEM;
	old = (void *)segment->data;
	if (saved && !full)
		at = map_file(old, count);
	if (at == MAP_FAILED)
		at = map_memory(old);
	errno = error;
	if (at == MAP_FAILED)
		return -ENOMEM;
	segment->data = at;
	segment->size = CUAUDIT_STAT_SEGMENT;
	used = 0;
	count++;
	if (saved && !full && count > 1)
		stat_store_header()->file_segments = count;
	return 0;
}

static void describe_process(struct cuaudit_stat_header *header)
{
	process_command(header->command, sizeof(header->command));
	header->pid = (uint32_t)getpid();
	header->parent = (uint32_t)getppid();
	header->process_start = process_start();
	header->file_segments = saved;
}

static int begin(void)
{
	struct cuaudit_stat_header *header;
	int error = errno;

	create_file();
	errno = error;
	if (add_segment())
		return -ENOMEM;
	header = stat_store_header();
	*header = first_header;
	describe_process(header);
	errno = error;
	/* Last: a file without it is nobody's. */
	__atomic_signal_fence(__ATOMIC_RELEASE);
	memcpy(header->magic, CUAUDIT_STAT_MAGIC, sizeof(header->magic));
	used = CUAUDIT_STAT_HEADER;
	return 0;
}

int stat_store_setup(const char *where, const struct cuaudit_stat_header *header)
{
	save = where;
	first_header = *header;
	return begin();
}

struct cuaudit_stat_header *stat_store_header(void)
{
	return count ? (void *)segments[0].data : NULL;
}

int stat_store_saved(void)
{
	return saved;
}

int stat_store_whole(void)
{
	return saved && !full;
}

void *stat_store_take(uint32_t size)
{
	struct cuaudit_stat_record *record;

	if (!count && begin())
		return NULL;
	/* A child that ran no fork handlers shares the file, not what is known of it. */
	if (saved && stat_store_header()->pid != (uint32_t)getpid())
		return NULL;
	if (used + size > CUAUDIT_STAT_SEGMENT && add_segment())
		return NULL;
	record = (void *)((char *)segments[count - 1].data + used);
	used += size;
	record->size = size;
	return record;
}

void stat_store_publish(void *at, enum cuaudit_stat_type type)
{
	struct cuaudit_stat_record *record = at;

	/* Pairs with records_next. */
	__atomic_store_n(&record->type, type, __ATOMIC_RELEASE);
}

size_t stat_store_segments(const struct segment **first)
{
	*first = segments;
	return count;
}

void stat_store_lost(void)
{
	struct cuaudit_stat_header *header = stat_store_header();

	if (header)
		__atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
}

void stat_store_forked(void)
{
	struct timespec now;

	pthread_mutex_init(&lock, NULL);
	saved = false;
	clock_gettime(CLOCK_REALTIME, &now);
	first_header.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	/* The parent's file goes out of reach; the addresses stay good. */
	for (size_t i = 0; i < MAX_SEGMENTS && segments[i].data; i++)
		if (map_memory((void *)segments[i].data) == MAP_FAILED)
			segments[i].data = NULL;
	count = used = 0;
}

void stat_store_keep(bool silent)
{
	if (saved && trace_self_is_gone(path, &identity))
		cuaudit_log(CUAUDIT_WARN, "stat: %s was removed or replaced while the process ran; "
			    "leave it until the process has ended", path);
	else if (saved && !silent)
		cuaudit_log(CUAUDIT_WARN, "stat: cuaudit report %s shows it", path);
}

void stat_store_finish(void)
{
	if (saved)
		remove_file();
}
