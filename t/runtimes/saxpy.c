/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saxpy by the CUDA runtime it is linked with, whatever its version; fails if the sums are wrong.
 *
 * It declares what it needs of the runtime, and gives it the kernel the way
 * every compiled CUDA program does: a fat binary, FATBIN, registered by a
 * constructor. No header and no compiler of any toolkit's.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 16, BLOCK = 256 };
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3 };

struct dim3 {
	unsigned int x, y, z;
};

int cudaRuntimeGetVersion(int *version);
int cudaMalloc(void **pointer, size_t size);
int cudaFree(void *pointer);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream);
int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaEventCreate(void **event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventDestroy(void *event);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
		     size_t shared, void *stream);
int cudaGetLastError(void);

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			    int limit, void *thread, void *block, void *block_size, void *grid_size,
			    int *warp_size);

__asm__(".section .rodata\n"
	".balign 8\n"
	"fat_binary: .incbin \"" FATBIN "\"\n"
	".previous\n");
extern const char fat_binary[];

/* How a program's own code refers to the container. */
static struct {
	unsigned int magic, version;
	const char *container;
	void *unused;
} wrapper = { 0x466243b1, 1, fat_binary, NULL };
static void **handle;
/* The kernel's name on the host is an address, no more. */
static const char kernel;

static void unregister_kernel(void)
{
	__cudaUnregisterFatBinary(handle);
}

__attribute__((constructor)) static void register_kernel(void)
{
	static char name[] = "saxpy";

	handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(handle, &kernel, name, name, -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(handle);
	atexit(unregister_kernel);
}

static void check(const char *name, int error)
{
	if (!error)
		return;
	printf("%s %d\n", name, error);
	exit(1);
}

/* y = 2 x + y by the legacy stream; x = y; the same by a stream of its own: nine times x. */
static void run(float *host, void *x, void *y, void *stream)
{
	unsigned int n = N;
	float a = 2;
	void *event, *arguments[] = { &n, &a, &x, &y };
	struct dim3 grid = { N / BLOCK, 1, 1 }, block = { BLOCK, 1, 1 };

	check("cudaMemcpy", cudaMemcpy(x, host, N * sizeof(*host), HOST_TO_DEVICE));
	check("cudaMemcpy", cudaMemcpy(y, host, N * sizeof(*host), HOST_TO_DEVICE));
	check("cudaLaunchKernel", cudaLaunchKernel(&kernel, grid, block, arguments, 0, NULL));
	check("cudaGetLastError", cudaGetLastError());
	check("cudaMemcpy", cudaMemcpy(x, y, N * sizeof(*host), DEVICE_TO_DEVICE));
	check("cudaEventCreate", cudaEventCreate(&event));
	check("cudaLaunchKernel", cudaLaunchKernel(&kernel, grid, block, arguments, 0, stream));
	check("cudaEventRecord", cudaEventRecord(event, stream));
	check("cudaEventSynchronize", cudaEventSynchronize(event));
	check("cudaMemcpyAsync",
	      cudaMemcpyAsync(host, y, N * sizeof(*host), DEVICE_TO_HOST, stream));
	check("cudaEventRecord", cudaEventRecord(event, stream));
	check("cudaEventSynchronize", cudaEventSynchronize(event));
	check("cudaEventDestroy", cudaEventDestroy(event));
}

int main(void)
{
	float *host = malloc(N * sizeof(*host));
	void *x, *y, *stream;
	int runtime = 0, wrong = 0;
	double sum = 0;

	if (!host)
		return 2;
	for (int i = 0; i < N; i++)
		host[i] = (float)(i % 1000);
	check("cudaRuntimeGetVersion", cudaRuntimeGetVersion(&runtime));
	printf("runtime %d\n", runtime);
	check("cudaMalloc", cudaMalloc(&x, N * sizeof(*host)));
	check("cudaMalloc", cudaMalloc(&y, N * sizeof(*host)));
	check("cudaStreamCreate", cudaStreamCreate(&stream));
	run(host, x, y, stream);
	check("cudaStreamDestroy", cudaStreamDestroy(stream));
	check("cudaFree", cudaFree(x));
	check("cudaFree", cudaFree(y));
	for (int i = 0; i < N; i++) {
		sum += host[i];
		wrong += host[i] != (float)(9 * (i % 1000));
	}
	printf("saxpy %.0f, %d wrong\n", sum, wrong);
	free(host);
	return wrong != 0;
}
