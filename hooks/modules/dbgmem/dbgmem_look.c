/* SPDX-License-Identifier: Apache-2.0 */
/* Whether memory can be read or written to, without a fault and without a change. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "hooks/maps.h"
#include "hooks/modules/dbgmem/dbgmem.h"
#include "hooks/modules/leak/leak_range.h"
#include "hooks/stack.h"

enum { POPULATE_READ = 22, POPULATE_WRITE = 23 };	/* MADV_*, which older headers lack */

static uintptr_t page = 4096;
static bool can_ask;

/* Emulators say yes to any advice: there has to be one that is refused. */
void dbgmem_look_setup(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), word;

	/* What it keeps for good must not come to lie where a program reads too far. */
	cuaudit_safe_read(&here, &word, sizeof(word));
	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	can_ask = !syscall(SYS_madvise, here & -page, page, POPULATE_WRITE) &&
		  syscall(SYS_madvise, NULL, page, POPULATE_READ);
}

/*
 * 0, or -errno: has the kernel do what an access of each page would, so that a write breaks up
 * shared pages, as the call itself does next. EINVAL is of pages without the right and of memory
 * of devices, ENOMEM of unmapped ones.
 */
static long populate(uintptr_t at, uintptr_t end, bool write)
{
	uintptr_t first = at & -page;

	if (!can_ask)
		return -EINVAL;
	return syscall(SYS_madvise, first, end - first, write ? POPULATE_WRITE : POPULATE_READ) ?
	       -errno : 0;
}

/*
 * Whether the processor reads pages that are mapped to be written to or executed alone, as most do: the kernel copies a
 * set of signals from there, before it refuses what is to be done with it.
 */
static bool copies_from(uintptr_t at, uintptr_t end)
{
	for (at &= -page; at < end; at += page)
		if (syscall(SYS_rt_sigprocmask, -1, at, NULL, sizeof(uint64_t)) && errno == EFAULT)
			return false;
	return true;
}

bool dbgmem_allows(const struct maps_line *line, uintptr_t at, uintptr_t end, bool write)
{
	if (line->protection & (write ? PROT_WRITE : PROT_READ))
		return true;
	return !write && line->protection && copies_from(at, end < line->bounds[1] ? end : line->bounds[1]);
}

static bool mapped(uintptr_t at, uintptr_t end, bool write)
{
	struct maps_line line;

	while (at < end) {
		if (!maps_find(at, &line) || !dbgmem_allows(&line, at, end, write))
			return false;
		at = line.bounds[1];
	}
	return true;
}

/* By the record of the driver calls, whether or not the processor can come at it. */
static bool is_device(uintptr_t at, uintptr_t end)
{
	struct leak_seen seen;

	return leak_range_see(at, end, &seen) && seen.tag % 8 == LEAK_LIVE &&
	       seen.kind == LEAK_KIND_DEVICE_MEMORY;
}

bool dbgmem_look(uintptr_t at, size_t size, bool write)
{
	uintptr_t end = at + size;
	int error = errno;
	long answer;
	bool good;

	if (!size)
		return true;
	if (end < at)
		return false;
	if (is_device(at, end))
		return false;
	if (stack_holds(at, end))
		return true;
	answer = populate(at, end, write);
	/* Where /proc is not there nothing is known, and nothing said. */
	good = !answer || (answer != -EFAULT && (mapped(at, end, write) || !maps_readable()));
	errno = error;
	return good;
}

bool dbgmem_string(uintptr_t at, size_t most, size_t *length)
{
	*length = 0;
	while (*length < most) {
		uintptr_t from = at + *length, room = page - from % page;
		size_t part = room < most - *length ? room : most - *length, found;

		if (!dbgmem_look(from, part, false))
			return false;
		found = strnlen((const char *)from, part);
		*length += found;
		if (found < part)
			return true;
	}
	return true;
}
