/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that no device has. */
#include <stddef.h>
#include <stdint.h>

int cuInit(unsigned int flags);
int cuCtxCreate_v2(void **context, unsigned int flags, int device);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height, unsigned int element);

int main(void)
{
	size_t pitch;
	uint64_t address;
	void *context;

	return cuInit(0) || cuCtxCreate_v2(&context, 0, 0) ||
	       cuMemAlloc_v2(&address, (size_t)1 << 47) != 2 ||
	       cuMemAlloc_v2(&address, SIZE_MAX) != 2 ||
	       cuMemAllocPitch_v2(&address, &pitch, 64, SIZE_MAX, 4) != 2;
}
