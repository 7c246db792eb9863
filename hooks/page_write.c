/* SPDX-License-Identifier: Apache-2.0 */
/* Writes two words into data that may be protected. */
#include "hooks/page_write.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/io.h"

enum { CHUNK = 512, UNMAPPED = -1 };

/* A line of /proc/thread-self/maps as far as it was read: "LOW-HIGH perms ...". */
struct line {
	uintptr_t bounds[2];
	uint32_t field;		/* of bounds; 2: the permissions; 3: past them */
	int protection;
};

static void take_character(struct line *line, char c)
{
	uint32_t digit = c <= '9' ? (uint32_t)(c - '0') : (uint32_t)(c - 'a' + 10);

	if (c == '-' && line->field < 2)
		line->field++;
	else if (c == ' ' && line->field < 3)
		line->field++;
	else if (line->field < 2)
		line->bounds[line->field] = line->bounds[line->field] << 4 | digit;
	else if (line->field == 2)
		line->protection |= c == 'r' ? PROT_READ : c == 'w' ? PROT_WRITE :
				    c == 'x' ? PROT_EXEC : 0;
}

static int find(long fd, uintptr_t at)
{
	struct line line = { { 0, 0 }, 0, 0 };
	char chunk[CHUNK];
	long length;

	while ((length = syscall(SYS_read, fd, chunk, sizeof(chunk))) > 0) {
		for (long i = 0; i < length; i++) {
			if (chunk[i] != '\n') {
				take_character(&line, chunk[i]);
				continue;
			}
			if (at >= line.bounds[0] && at < line.bounds[1])
				return line.protection;
			line = (struct line){ { 0, 0 }, 0, 0 };
		}
	}
	return UNMAPPED;
}

static int protection_of(uintptr_t at)
{
	int found;
	long fd = io_avoid_stdio((int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps",
					      O_RDONLY | O_CLOEXEC));

	if (fd < 0)
		return UNMAPPED;
	found = find(fd, at);
	syscall(SYS_close, fd);
	return found;
}

static bool write_word(uint64_t *at, uint64_t word)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)at & ~(size - 1);
	int before = protection_of(page);

	if (before == UNMAPPED || before & PROT_EXEC)
		return false;
	if (!(before & PROT_WRITE) && syscall(SYS_mprotect, page, size, before | PROT_WRITE))
		return false;
	__atomic_store_n(at, word, __ATOMIC_RELEASE);
	if (!(before & PROT_WRITE))
		syscall(SYS_mprotect, page, size, before);
	return true;
}

bool page_write(uint64_t *at, uint64_t first, uint64_t second)
{
	uint64_t before = at[0];
	int error = errno;
	bool done = write_word(at, first);

	/* It may be in the next page. */
	if (done && !write_word(at + 1, second)) {
		write_word(at, before);
		done = false;
	}
	errno = error;
	return done;
}
