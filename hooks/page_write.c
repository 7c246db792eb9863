/* SPDX-License-Identifier: Apache-2.0 */
/* Writes words into data that may be protected. */
#include "hooks/page_write.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/lock.h"
#include "hooks/maps.h"
#include "hooks/safe_read.h"

/*
 * Nobody else protects a page so, by which it is seen whether somebody has protected it since. It
 * can be read as well, on these processors, but not by system calls that ask what it is for.
 */
enum { TRIES = 8, OPEN = PROT_WRITE };

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

	if (!maps_find(page->at, &line) || line.protection & PROT_EXEC)
		return false;
	/* Where fork came in between, the child's is left open, and none of its threads is at it. */
	page->before = line.protection == OPEN ? PROT_READ : line.protection;
	if (!(page->before & PROT_READ))
		return false;
	if (protect(page, size, OPEN))
		return true;
	page->before = 0;
	return false;
}

/* Whether nobody has protected the page since. */
static bool is_open(const struct page *page)
{
	struct maps_line line;

	return page->before && maps_find(page->at, &line) &&
	       line.protection == (page->before & PROT_WRITE ? page->before : OPEN);
}

/* Who has protected it meanwhile has the last word. */
static void close_page(const struct page *page, uintptr_t size)
{
	if (is_open(page))
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

/* Opens the pages, which are one or two. *refused: the system does not let us. */
static bool write_pages(uint64_t *at, const uint64_t *from, const uint64_t *to, size_t count, bool *refused)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct page first = { (uintptr_t)at & ~(size - 1), 0 };
	struct page last = { (uintptr_t)(at + count - 1) & ~(size - 1), 0 };
	bool one = last.at == first.at, done;

	*refused = !open_page(&first, size) || (!one && !open_page(&last, size));
	done = !*refused && is_open(&first) && (one || is_open(&last));
	if (done)
		write_words(at, from, to, count);
	close_page(&last, size);
	close_page(&first, size);
	return done;
}

bool page_write(uint64_t *at, const uint64_t *from, const uint64_t *to, size_t count)
{
	int error = errno;
	bool done = false, refused = false;
	sigset_t saved;

	if (!memcmp(from, to, count * sizeof(*from)))
		return true;
	/* Of two in one page, one would put back what the other one made of it. */
	lock_take(LOCK_PAGES, &saved);
	for (int i = 0; i < TRIES && !done && !refused; i++)
		done = write_pages(at, from, to, count, &refused);
	lock_release(LOCK_PAGES, &saved);
	errno = error;
	return done;
}

/* Under the lock. Pages that are open now were so when the process was forked. */
static bool close_pages(uintptr_t at, size_t length)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	bool closed = false;

	for (struct page page = { at & ~(size - 1), OPEN }; page.at < at + length; page.at += size)
		if (is_open(&page))
			closed |= !syscall(SYS_mprotect, page.at, size, PROT_READ);
	return closed;
}

bool page_read(const uint64_t *at, void *to, size_t size)
{
	sigset_t saved;
	bool done;

	lock_take(LOCK_PAGES, &saved);
	done = safe_read((uintptr_t)at, to, size) ||
	       (close_pages((uintptr_t)at, size) && safe_read((uintptr_t)at, to, size));
	lock_release(LOCK_PAGES, &saved);
	return done;
}
