/* SPDX-License-Identifier: Apache-2.0 */
/* Where the stat hook's records lie: in memory, or in a file that outlives the process. */
#include "hooks/modules/stat_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "report/io.h"

enum { MAX_SEGMENTS = 8192, MAX_NUMBER = 99 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of count segments in use; a child of fork keeps the addresses of further ones. */
static struct segment segments[MAX_SEGMENTS];
static size_t count, used;

static struct cuaudit_stat_header first_header;
static const char *save;
static char path[PATH_MAX];	/* of the file, while fd >= 0 */
static int fd = -1;
static int full;		/* the file takes no more segments */

void stat_lock(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	pthread_mutex_lock(&lock);
}

void stat_unlock(const sigset_t *saved)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

/* Never opens what is there already: another process's, or this one's before exec. */
static int open_new(void)
{
	size_t length = strlen(path);
	int file;

	for (int number = 0; number <= MAX_NUMBER; number++) {
		if (number && length + 4 > sizeof(path))
			break;
		if (number) {
			char *end = path + length;

			*end++ = '.';
			if (number > 9)
				*end++ = (char)('0' + number / 10);
			*end++ = (char)('0' + number % 10);
			*end = '\0';
		}
		file = io_open(path, O_RDWR | O_CREAT | O_EXCL, IO_NOW);
		if (file != -EEXIST)
			return file;
	}
	return -EEXIST;
}

/* The program may change its directory before the file is removed. */
static void make_absolute(void)
{
	char link[32] = "/proc/thread-self/fd/", *end = link + strlen(link);
	char digits[12];
	int value = fd, n = 0;
	ssize_t length;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	while (n)
		*end++ = digits[--n];
	if (path[0] == '/')
		return;
	length = readlink(link, path, sizeof(path) - 1);
	if (length > 0)
		path[length] = '\0';
}

static void open_file(void)
{
	int result = 0;

	full = 0;
	if (!strcmp(save, "no"))
		return;
	if (!strcmp(save, "auto"))
		result = cuaudit_output_path(".part", path, sizeof(path));
	else if (strlen(save) < sizeof(path))
		strcpy(path, save);
	else
		result = -ENAMETOOLONG;
	if (result == -ENOENT)
		return;
	if (!result)
		result = open_new();
	if (result >= 0) {
		fd = result;
		make_absolute();
		return;
	}
	cuaudit_log(CUAUDIT_WARN, "stat: nothing is saved in %s: %s", path, io_reason(result));
}

static void remove_file(void)
{
	if (unlink(path))
		cuaudit_log(CUAUDIT_WARN, "stat: cannot remove %s: %s", path, io_reason(errno));
	io_close(fd);
	fd = -1;
}

static void *map_file(void *at, size_t index)
{
	int result = io_reserve(fd, index * CUAUDIT_STAT_SEGMENT, CUAUDIT_STAT_SEGMENT);

	if (!result) {
		at = mmap(at, CUAUDIT_STAT_SEGMENT, PROT_READ | PROT_WRITE,
			  MAP_SHARED | (at ? MAP_FIXED : 0), fd,
			  (off_t)(index * CUAUDIT_STAT_SEGMENT));
		if (at != MAP_FAILED)
			return at;
		result = errno;
	}
	full = 1;
	cuaudit_log(CUAUDIT_WARN, "stat: %s is %s: %s; the report will be whole", path,
		    index ? "incomplete" : "not written", io_reason(result));
	if (!index)
		remove_file();
	return MAP_FAILED;
}

static void *map_memory(void *at)
{
	return mmap(at, CUAUDIT_STAT_SEGMENT, PROT_READ | PROT_WRITE,
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
	if (fd >= 0 && !full)
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
	return 0;
}

static int begin(void)
{
	struct cuaudit_stat_header *header;

	open_file();
	if (add_segment())
		return -ENOMEM;
	header = stat_store_header();
	*header = first_header;
	header->pid = (uint32_t)getpid();
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
	return fd >= 0;
}

void *stat_store_take(uint32_t size)
{
	struct cuaudit_stat_record *record;

	if (!count && begin())
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
	pthread_mutex_init(&lock, NULL);
	if (fd >= 0)
		io_close(fd);
	fd = -1;
	/* The parent's file goes out of reach; the addresses stay good. */
	for (size_t i = 0; i < MAX_SEGMENTS && segments[i].data; i++)
		if (map_memory((void *)segments[i].data) == MAP_FAILED)
			segments[i].data = NULL;
	count = used = 0;
}

void stat_store_keep(void)
{
	if (fd >= 0)
		cuaudit_log(CUAUDIT_WARN, "stat: cuaudit report %s shows it", path);
}

void stat_store_finish(void)
{
	if (fd >= 0)
		remove_file();
}
