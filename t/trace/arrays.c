/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays at the end of what is mapped, with room for what the driver writes and no more. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "t/trace/driver.h"

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *end = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	word count = 2;

	if (end == MAP_FAILED || mprotect(end + page, page, PROT_NONE))
		return 77;
	end += page;
	cuInit(0);
	cuLibraryEnumerateKernels((void **)end - 3, 0xffffffff, end);
	cuModuleEnumerateFunctions((void **)end - 3, 1000000, end);
	cuLibraryEnumerateKernels((void **)end - 2, 2, end);
	/* No NUL is behind what there is room for. */
	cuDeviceGetPCIBusId(end - 4, 4, 0);
	cuGraphGetNodes(end, (void **)end - 2, &count);
	trace_nodes = 1000000;
	cuGraphGetNodes(end, (void **)end - 2, &count);
	cuGraphGetNodes(end, 0, &count);
	/* Fewer than none. */
	cuGraphAddDependencies(end, (void **)end - 1, (void **)end - 1, (word)-1);
	return 0;
}
