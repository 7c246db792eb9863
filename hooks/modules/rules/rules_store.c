/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a process, mapped as it is. */
#include "hooks/modules/rules/rules_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "hooks/modules/process.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/unseen.h"
#include "util/io.h"
#include "util/pages.h"

enum {
	MAX_NUMBER = 9999,
	/* What no rule of ranges misses. */
	HARMLESS = 1 << CUAUDIT_RANGE_LOST_UNMATCHED | 1 << CUAUDIT_RANGE_LOST_NAMES
};

struct check_file *rules_file;
static struct check_header *told;	/* of this process, or of the last before it that has a file */
_Atomic int rules_store_absent;

/* A process that becomes another program has a file for each. */
static int open_new(char path[PATH_MAX])
{
	size_t length = strlen(path);
	int fd = -EEXIST;

	for (unsigned int number = 0; number <= MAX_NUMBER && fd == -EEXIST; number++) {
		char *at = path + length;

		if (number && length + sizeof(".9999") > PATH_MAX)
			return -ENAMETOOLONG;
		if (number) {
			*at++ = '.';
			for (unsigned int scale = 1000; scale; scale /= 10)
				*at++ = (char)('0' + number / scale % 10);
			*at = '\0';
		}
		fd = io_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, IO_NOW);
	}
	if (fd >= 0)
		io_claim(fd);
	return fd;
}

/* Once more, which stays in children until they have their own. */
static int map_header(int fd)
{
	void *mapped = pages_map(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *old;

	if (mapped == MAP_FAILED)
		return -errno;
	old = __atomic_exchange_n(&told, mapped, __ATOMIC_RELAXED);
	if (old)
		pages_unmap(old, sizeof(*told));
	return 0;
}

/* In the place of *at, if it is not NULL. */
static int map_file(const char *save, void **at)
{
	char path[PATH_MAX];
	int error = cuaudit_path(save, "", path, sizeof(path)), fd;

	if (error)
		return error;
	fd = open_new(path);
	/* By an empty file cuaudit check knows of the process; this takes no descriptor. */
	if (fd < 0) {
		syscall(SYS_mknodat, AT_FDCWD, path, S_IFREG | 0600, 0);
		return fd;
	}
	error = io_reserve(fd, 0, sizeof(*rules_file));
	if (!error) {
		void *mapped = pages_map(*at, sizeof(*rules_file), PROT_READ | PROT_WRITE,
				    MAP_SHARED | (*at ? MAP_FIXED : 0), fd, 0);

		error = mapped == MAP_FAILED ? -errno : map_header(fd);
		if (!error)
			*at = mapped;
	}
	/* Where there was no room, it stays without a header. */
	io_close(fd);
	return error;
}

static void describe(struct check_header *header)
{
	process_command(header->command, sizeof(header->command));
	header->pid = (uint32_t)getpid();
	header->parent = (uint32_t)getppid();
	header->process_start = process_start();
}

int rules_store_begin(const char *save, const struct check_file *template)
{
	void *at = rules_file;
	int saved = errno, error = 0;

	if (save)
		error = map_file(save, &at);
	else if (!at && !(at = cuaudit_pages(sizeof(struct check_file))))
		error = -ENOMEM;
	if (!error) {
		struct check_file *file = at;

		memcpy(file->rules, template->rules, sizeof(file->rules));
		memcpy(file->marks, template->marks, sizeof(file->marks));
		memcpy(file->allows, template->allows, sizeof(file->allows));
		file->header = template->header;
		describe(&file->header);
		memcpy(file->header.magic, CHECK_MAGIC, sizeof(file->header.magic));
		/* Last: a file without it is nobody's. */
		__atomic_store_n(&file->header.version, CHECK_VERSION, __ATOMIC_RELEASE);
		__atomic_store_n(&rules_file, file, __ATOMIC_RELEASE);
		unseen_tell(&file->header.losses, CHECK_LOST_CALLS);
		if (rules.ranges)
			unseen_tell_ranges(&file->header.losses, CHECK_LOST_RANGES, ~(uint32_t)HARMLESS);
	}
	errno = saved;
	return error;
}

void rules_store_lost(void)
{
	if (told)
		atomic_fetch_or(&told->losses, CHECK_LOST_PROCESS);
}

/* The parent's file goes out of reach, the address stays good; where not even that can be, it ends. */
void rules_store_forked(void)
{
	if (rules_file && pages_map(rules_file, sizeof(*rules_file), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		unseen_tell(NULL, 0);
		unseen_tell_ranges(NULL, 0, 0);
		rules_file = NULL;
	}
	rules_store_absent = STORE_ABSENT;
}
