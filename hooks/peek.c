/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that may not be there. */
#include "hooks/peek.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cuaudit/call.h>

#include "hooks/stack.h"

/* Where process_vm_readv is missing or forbidden: asks about each page, then copies. */
static bool probed(uint64_t address, void *to, size_t size)
{
	for (uint64_t at = address; at < address + size; at = (at | (STACK_PAGE - 1)) + 1)
		if (!stack_page_readable((uintptr_t)at))
			return false;
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

bool peek(uint64_t address, void *to, size_t size)
{
	static _Atomic bool forbidden;
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)address, size };
	int error = errno;
	bool result;

	if (address + size < address)
		return false;
	if (atomic_load_explicit(&forbidden, memory_order_relaxed)) {
		result = probed(address, to, size);
	} else {
		long got = syscall(SYS_process_vm_readv, getpid(), &local, 1UL, &remote, 1UL, 0UL);

		result = got == (long)size;
		if (got < 0 && (errno == ENOSYS || errno == EPERM)) {
			atomic_store_explicit(&forbidden, true, memory_order_relaxed);
			result = probed(address, to, size);
		}
	}
	errno = error;
	return result;
}

int cuaudit_safe_read(const void *from, void *to, size_t size)
{
	return peek((uintptr_t)from, to, size) ? 0 : -EFAULT;
}
