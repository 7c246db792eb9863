/* SPDX-License-Identifier: Apache-2.0 */
/* Writes words into data that may be protected. */
#include "hooks/page_write.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/maps.h"

/* A page to be written to, and how it was protected; 0: it is not touched. */
struct page {
	uintptr_t at;
	int before;
};

static bool protect(const struct page *page, uintptr_t size, int protection)
{
	return page->before & PROT_WRITE || !syscall(SYS_mprotect, page->at, size, protection);
}

static bool open_page(struct page *page, uintptr_t size)
{
	struct maps_line line;

	if (!maps_find(page->at, &line) || line.protection & PROT_EXEC || !(line.protection & PROT_READ))
		return false;
	page->before = line.protection;
	if (protect(page, size, line.protection | PROT_WRITE))
		return true;
	page->before = 0;
	return false;
}

static void close_page(const struct page *page, uintptr_t size)
{
	if (page->before)
		protect(page, size, page->before);
}

static void write_words(uint64_t *at, const uint64_t *from, const uint64_t *to, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t expected = from[i];

		if (from[i] != to[i])
			__atomic_compare_exchange_n(&at[i], &expected, to[i], false, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED);
	}
}

bool page_write(uint64_t *at, const uint64_t *from, const uint64_t *to, size_t count)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct page first = { (uintptr_t)at & ~(size - 1), 0 };
	struct page last = { (uintptr_t)(at + count - 1) & ~(size - 1), 0 };
	int error = errno;
	bool done;

	if (!memcmp(from, to, count * sizeof(*from)))
		return true;
	done = open_page(&first, size) && (last.at == first.at || open_page(&last, size));
	if (done)
		write_words(at, from, to, count);
	close_page(&last, size);
	close_page(&first, size);
	errno = error;
	return done;
}
