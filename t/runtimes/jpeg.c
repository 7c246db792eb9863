/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes a picture with nvJPEG and decodes it, by the static cudart inside that library; fails
 * if it has become another.
 *
 * The picture's memory is the driver's, since the cudart inside is out of reach.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 64, BYTES = WIDTH * HEIGHT * 3, COMPONENTS = 4 };
enum { MAJOR, MINOR };
enum { WORST_ERROR = 16 }; /* of a byte, on average */
enum { CSS_444 = 0, RGB_INTERLEAVED = 5 };

struct picture {
	uint8_t *channel[COMPONENTS];
	size_t pitch[COMPONENTS];
};

int nvjpegGetCudartProperty(int type, int *value);
int nvjpegCreateSimple(void **handle);
int nvjpegDestroy(void *handle);
int nvjpegEncoderStateCreate(void *handle, void **state, void *stream);
int nvjpegEncoderStateDestroy(void *state);
int nvjpegEncoderParamsCreate(void *handle, void **params, void *stream);
int nvjpegEncoderParamsDestroy(void *params);
int nvjpegEncoderParamsSetSamplingFactors(void *params, int subsampling, void *stream);
int nvjpegEncodeImage(void *handle, void *state, void *params, const struct picture *source,
		      int format, int width, int height, void *stream);
int nvjpegEncodeRetrieveBitstream(void *handle, void *state, uint8_t *data, size_t *length,
				  void *stream);
int nvjpegJpegStateCreate(void *handle, void **state);
int nvjpegJpegStateDestroy(void *state);
int nvjpegDecode(void *handle, void *state, const uint8_t *data, size_t length, int format,
		 struct picture *destination, void *stream);

static void check(const char *name, int error)
{
	if (!error)
		return;
	printf("%s %d\n", name, error);
	exit(1);
}

/* The driver's functions, each of integers and pointers only. */
static int driver(const char *name, uintptr_t a, uintptr_t b, uintptr_t c)
{
	static void *library;
	int (*function)(uintptr_t, uintptr_t, uintptr_t);

	if (!library)
		library = dlopen("libcuda.so.1", RTLD_NOW);
	function = library ? (int (*)(uintptr_t, uintptr_t, uintptr_t))dlsym(library, name) : NULL;
	return function ? function(a, b, c) : -1;
}

static uint8_t *device_memory(void)
{
	uintptr_t context = 0, memory = 0;

	check("cuInit", driver("cuInit", 0, 0, 0));
	check("cuDevicePrimaryCtxRetain",
	      driver("cuDevicePrimaryCtxRetain", (uintptr_t)&context, 0, 0));
	check("cuCtxSetCurrent", driver("cuCtxSetCurrent", context, 0, 0));
	check("cuMemAlloc", driver("cuMemAlloc_v2", (uintptr_t)&memory, BYTES, 0));
	return (uint8_t *)memory;
}

static size_t encode(void *handle, const struct picture *picture, uint8_t *data, size_t room)
{
	void *state, *params;
	size_t length = room;

	check("nvjpegEncoderStateCreate", nvjpegEncoderStateCreate(handle, &state, NULL));
	check("nvjpegEncoderParamsCreate", nvjpegEncoderParamsCreate(handle, &params, NULL));
	check("nvjpegEncoderParamsSetSamplingFactors",
	      nvjpegEncoderParamsSetSamplingFactors(params, CSS_444, NULL));
	check("nvjpegEncodeImage", nvjpegEncodeImage(handle, state, params, picture,
						     RGB_INTERLEAVED, WIDTH, HEIGHT, NULL));
	check("cuCtxSynchronize", driver("cuCtxSynchronize", 0, 0, 0));
	check("nvjpegEncodeRetrieveBitstream",
	      nvjpegEncodeRetrieveBitstream(handle, state, data, &length, NULL));
	check("cuCtxSynchronize", driver("cuCtxSynchronize", 0, 0, 0));
	check("nvjpegEncoderParamsDestroy", nvjpegEncoderParamsDestroy(params));
	check("nvjpegEncoderStateDestroy", nvjpegEncoderStateDestroy(state));
	return length;
}

static void decode(void *handle, const uint8_t *data, size_t length, struct picture *picture)
{
	void *state;

	check("nvjpegJpegStateCreate", nvjpegJpegStateCreate(handle, &state));
	check("nvjpegDecode",
	      nvjpegDecode(handle, state, data, length, RGB_INTERLEAVED, picture, NULL));
	check("cuCtxSynchronize", driver("cuCtxSynchronize", 0, 0, 0));
	check("nvjpegJpegStateDestroy", nvjpegJpegStateDestroy(state));
}

/* A smooth picture, so that encoding loses little of it. */
static uint8_t colour(int i)
{
	return (uint8_t)(i / (WIDTH * 3) * 3 + i % 3 * 20);
}

int main(void)
{
	static uint8_t host[BYTES], data[2 * BYTES];
	struct picture picture = { .pitch = { WIDTH * 3 } };
	int major = 0, minor = 0;
	unsigned long sum = 0, error = 0;
	void *handle;
	size_t length;

	check("nvjpegGetCudartProperty", nvjpegGetCudartProperty(MAJOR, &major));
	check("nvjpegGetCudartProperty", nvjpegGetCudartProperty(MINOR, &minor));
	printf("runtime %d\n", major * 1000 + minor * 10);
	check("nvjpegCreateSimple", nvjpegCreateSimple(&handle));
	picture.channel[0] = device_memory();
	for (int i = 0; i < BYTES; i++)
		host[i] = colour(i);
	check("cuMemcpyHtoD",
	      driver("cuMemcpyHtoD_v2", (uintptr_t)picture.channel[0], (uintptr_t)host, BYTES));
	length = encode(handle, &picture, data, sizeof(data));
	check("cuMemsetD8", driver("cuMemsetD8_v2", (uintptr_t)picture.channel[0], 0, BYTES));
	decode(handle, data, length, &picture);
	check("cuMemcpyDtoH",
	      driver("cuMemcpyDtoH_v2", (uintptr_t)host, (uintptr_t)picture.channel[0], BYTES));
	check("cuMemFree", driver("cuMemFree_v2", (uintptr_t)picture.channel[0], 0, 0));
	check("nvjpegDestroy", nvjpegDestroy(handle));
	for (int i = 0; i < BYTES; i++) {
		sum += host[i];
		error += (unsigned long)abs(host[i] - colour(i));
	}
	printf("jpeg of %zu bytes, sum %lu, error %lu\n", length, sum, error);
	return error > BYTES * WORST_ERROR;
}
