/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the texts that a program gives to NVTX, which without a tool reads none of them. */
#include "hooks/range_read.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "hooks/safe_read.h"

enum { PAGES = 256 };	/* a power of two */

/* Pages that could be read, by their lowest bits; 0: none. */
static _Atomic uintptr_t known[PAGES];

static __attribute__((noinline)) bool ask(uintptr_t page)
{
	if (!safe_read_page(page * PEEK_PAGE))
		return false;
	atomic_store_explicit(&known[page % PAGES], page, memory_order_relaxed);
	return true;
}

static inline bool page_readable(uintptr_t address)
{
	uintptr_t page = address / PEEK_PAGE;

	return (page && atomic_load_explicit(&known[page % PAGES], memory_order_relaxed) == page) || ask(page);
}

bool range_readable(const void *address, size_t size)
{
	uintptr_t at = (uintptr_t)address, last = at + size - 1;

	return last >= at && page_readable(at) && (last / PEEK_PAGE == at / PEEK_PAGE || page_readable(last));
}

size_t range_text_length(const char *text, size_t most)
{
	size_t room = PEEK_PAGE - (uintptr_t)text % PEEK_PAGE, length;

	if (!page_readable((uintptr_t)text))
		return SIZE_MAX;
	if (__builtin_expect(room >= most, 1))
		return strnlen(text, most);
	length = strnlen(text, room);
	if (length < room)
		return length;
	return page_readable((uintptr_t)text + room) ? room + strnlen(text + room, most - room) : SIZE_MAX;
}
