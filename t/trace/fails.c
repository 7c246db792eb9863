/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail, with what the driver reads of them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "t/trace/driver.h"

int main(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *function;

	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		return 1;
	memset(page, 'p', 4096);
	trace_answer = 500;
	cuModuleGetFunction(&function, (void *)8, "nosuchkernel");
	cuModuleGetFunction(&function, (void *)8, NULL);
	cuModuleGetFunction(&function, (void *)8, (const char *)16);
	cuModuleGetFunction(&function, (void *)8, page + 4096 - 3);
	page[4095] = '\0';
	cuModuleGetFunction(&function, (void *)8, page + 4096 - 3);
	cuMemcpy3D_v2(NULL);
	return 0;
}
