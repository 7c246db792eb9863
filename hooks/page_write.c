/* SPDX-License-Identifier: Apache-2.0 */
/* Writes two words into data that may be protected. */
#include "hooks/page_write.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/maps.h"

static bool write_word(uint64_t *at, uint64_t word)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)at & ~(size - 1);
	struct maps_line line;
	int before;

	if (!maps_find(page, &line) || line.protection & PROT_EXEC)
		return false;
	before = line.protection;
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
