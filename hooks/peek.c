/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that may not be there. */
#include "hooks/peek.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuaudit/call.h>

enum { POPULATE_READ = 22 };	/* MADV_POPULATE_READ, which older headers lack */

/*
 * Whether Linux can be asked for a page, as since 5.14. Emulators say yes to any
 * advice (qemu 7.2), so there has to be one that is refused.
 */
static bool can_ask(void)
{
	static _Atomic int state;
	int known = atomic_load_explicit(&state, memory_order_relaxed);

	if (!known) {
		known = syscall(SYS_madvise, NULL, PEEK_PAGE, POPULATE_READ) ? 1 : -1;
		atomic_store_explicit(&state, known, memory_order_relaxed);
	}
	return known > 0;
}

bool peek_page(uintptr_t address)
{
	uintptr_t page = address & ~((uintptr_t)PEEK_PAGE - 1);
	int error = errno;
	bool faults;

	/* The kernel takes NULL for no pointer, and does not read it. */
	if (!page)
		return false;
	/*
	 * What is refused may be readable all the same: for a signal that does not exist
	 * any kernel, and qemu, reads the action first, where EFAULT tells. Valgrind would
	 * have the action written before, so that comes second.
	 */
	faults = (!can_ask() || syscall(SYS_madvise, page, PEEK_PAGE, POPULATE_READ)) &&
		 syscall(SYS_rt_sigaction, 0, (const void *)page, NULL, 8) && errno == EFAULT;
	errno = error;
	return !faults;
}

/* Where process_vm_readv is missing or forbidden: asks about each page, then copies. */
static bool probed(uint64_t address, void *to, size_t size)
{
	for (uint64_t at = address; at < address + size; at = (at | (PEEK_PAGE - 1)) + 1)
		if (!peek_page((uintptr_t)at))
			return false;
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

static bool probed_all(const struct iovec *theirs, const struct iovec *ours, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!probed((uintptr_t)theirs[i].iov_base, ours[i].iov_base, ours[i].iov_len))
			return false;
	return true;
}

bool peek_all(const struct iovec *theirs, const struct iovec *ours, uint32_t count)
{
	static _Atomic bool forbidden;
	int error = errno;
	size_t size = 0;
	bool result;
	long got;

	for (uint32_t i = 0; i < count; i++) {
		uintptr_t address = (uintptr_t)theirs[i].iov_base;

		if (address + ours[i].iov_len < address)
			return false;
		size += ours[i].iov_len;
	}
	if (atomic_load_explicit(&forbidden, memory_order_relaxed)) {
		result = probed_all(theirs, ours, count);
	} else {
		got = syscall(SYS_process_vm_readv, getpid(), ours, (unsigned long)count, theirs,
			      (unsigned long)count, 0UL);
		result = got == (long)size;
		if (got < 0 && errno != EFAULT) {
			atomic_store_explicit(&forbidden, true, memory_order_relaxed);
			result = probed_all(theirs, ours, count);
		}
	}
	errno = error;
	return result;
}

bool peek(uint64_t address, void *to, size_t size)
{
	const struct iovec theirs = { (void *)(uintptr_t)address, size }, ours = { to, size };

	return peek_all(&theirs, &ours, 1);
}

int cuaudit_safe_read(const void *from, void *to, size_t size)
{
	return peek((uintptr_t)from, to, size) ? 0 : -EFAULT;
}
