/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that may not be there. */
#include "hooks/safe_read.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cuaudit/call.h>
#include <cuaudit/hook.h>

enum { POPULATE_READ = 22, WIPE_ON_FORK = 18 };	/* MADV_*, which older headers lack */

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

bool safe_read_page(uintptr_t address)
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

bool safe_read_near(struct safe_read_known *known, uint64_t address, void *to, size_t size)
{
	uint64_t end = address + size;

	if (end < address)
		return false;
	if (address < known->low || end > known->high)
		for (uint64_t at = address & ~(uint64_t)(PEEK_PAGE - 1); at < end; at += PEEK_PAGE) {
			if (at + PEEK_PAGE != known->page_end && !safe_read_page((uintptr_t)at))
				return false;
			known->page_end = at + PEEK_PAGE;
		}
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

bool safe_read_wipe(void *pages, size_t size)
{
	int error = errno;
	bool wipes = can_ask() && !syscall(SYS_madvise, pages, size, WIPE_ON_FORK);

	errno = error;
	return wipes;
}

/* By the kernel's copying from process to process, which seccomp filters may refuse. */
static _Atomic bool forbidden;

/* The process, in a page that the kernel clears in each child, however it is forked. */
static _Atomic int *process;

/* 0: it cannot be kept. */
static void keep_process(void)
{
	static atomic_bool tried;
	_Atomic int *page;

	if (atomic_exchange_explicit(&tried, true, memory_order_relaxed))
		return;
	page = cuaudit_pages(PEEK_PAGE);
	if (page && safe_read_wipe(page, PEEK_PAGE))
		__atomic_store_n(&process, page, __ATOMIC_RELEASE);
}

static int own_process(void)
{
	_Atomic int *kept = __atomic_load_n(&process, __ATOMIC_ACQUIRE);
	int pid = kept ? atomic_load_explicit(kept, memory_order_relaxed) : 0;

	if (pid)
		return pid;
	pid = getpid();
	if (kept)
		atomic_store_explicit(kept, pid, memory_order_relaxed);
	else
		keep_process();
	return pid;
}

/* -EFAULT, or how many bytes; else it is forbidden or missing. */
static long copy(const struct iovec *parts, uint32_t count, const struct iovec *to, uint32_t tos)
{
	int error = errno;
	long got = -1;

	/*
	 * Another process that shares the memory may have kept its own number; a process whose
	 * first thread has ended has nothing to be read under its own. The thread's serves there.
	 */
	for (int i = 0; i < 2 && got == -1; i++) {
		long id = i ? syscall(SYS_gettid) : own_process();

		got = syscall(SYS_process_vm_readv, id, to, (unsigned long)tos, parts,
			      (unsigned long)count, 0UL);
		if (got < 0 && errno == EFAULT)
			got = -EFAULT;
	}
	if (got == -1)
		atomic_store_explicit(&forbidden, true, memory_order_relaxed);
	errno = error;
	return got;
}

size_t safe_read_parts(const struct iovec *parts, uint32_t count, const struct iovec *to,
		       uint32_t tos)
{
	long got = 0;

	if (!atomic_load_explicit(&forbidden, memory_order_relaxed))
		got = copy(parts, count, to, tos);
	return got > 0 ? (size_t)got : 0;
}

/* -1: it is missing or forbidden. */
static long read_by_kernel(uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)address, size };

	return atomic_load_explicit(&forbidden, memory_order_relaxed) ? -1 :
	       copy(&remote, 1, &local, 1);
}

bool safe_read_shared(uint64_t address, void *to, size_t size)
{
	return read_by_kernel(address, to, size) == (long)size;
}

bool safe_read(uint64_t address, void *to, size_t size)
{
	struct safe_read_known nothing = { 0 };
	long got = read_by_kernel(address, to, size);

	return got == -1 ? safe_read_near(&nothing, address, to, size) : got == (long)size;
}

int cuaudit_safe_read(const void *from, void *to, size_t size)
{
	return safe_read((uintptr_t)from, to, size) ? 0 : -EFAULT;
}
