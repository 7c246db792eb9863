/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills of the simulated driver move the bytes they should, and no others. */
#include <stdint.h>

#include "t/sim/check.h"

enum { W = 32, H = 16, D = 4, SIZE = W * H * D };

static unsigned char in[SIZE], out[SIZE];
static CUdeviceptr a, b;

static void reset(void)
{
	for (int i = 0; i < SIZE; i++)
		in[i] = (unsigned char)(i * 7 + i / 256);
	memset(out, 0xee, sizeof(out));
	cuMemsetD8_v2(a, 0, SIZE);
	cuMemsetD8_v2(b, 0, SIZE);
}

static int same(const void *p, const void *q, size_t n)
{
	return !memcmp(p, q, n);
}

static void linear(void)
{
	reset();
	GOOD(cuMemcpyHtoD_v2(a, in, SIZE));
	GOOD(cuMemcpyDtoD_v2(b + 8, a, SIZE - 8));
	GOOD(cuMemcpyDtoH_v2(out, b, SIZE));
	ok(same(out + 8, in, SIZE - 8) && !out[7], "up, across, down");
	reset();
	GOOD(cuMemcpy(a, (CUdeviceptr)(uintptr_t)in, SIZE));
	GOOD(cuMemcpyAsync((CUdeviceptr)(uintptr_t)out, a, SIZE, NULL));
	ok(same(out, in, SIZE), "unified addresses");
	reset();
	GOOD(cuMemcpyHtoDAsync_v2_ptsz(a, in, SIZE, NULL));
	GOOD(cuMemcpyDtoH_v2_ptds(out, a, SIZE));
	ok(same(out, in, SIZE), "per-thread forms");
	reset();
	GOOD(cuMemcpyHtoD_v2(a, in, SIZE));
	GOOD(cuMemcpyPeer(b, NULL, a, NULL, SIZE));
	GOOD(cuMemcpyDtoHAsync_v2(out, b, SIZE, CU_STREAM_LEGACY));
	ok(same(out, in, SIZE), "peers");
	RC(cuMemcpyHtoD_v2(a, in, SIZE + 1), 1);
	RC(cuMemcpyHtoD_v2(a + SIZE, in, 1), 1);
	RC(cuMemcpyDtoH_v2(out, 64, 1), 1);
	RC(cuMemcpyDtoD_v2(b, a + 1, SIZE), 1);
	RC(cuMemcpyHtoD_v2(a, NULL, 1), 1);
	RC(cuMemcpyHtoDAsync_v2(a, in, 1, (CUstream)in), 400);
	GOOD(cuMemcpyHtoD_v2(a, in, 0));
}

static void fills(void)
{
	uint16_t *h = (uint16_t *)(void *)out;
	uint32_t *w = (uint32_t *)(void *)out;
	int good;

	reset();
	GOOD(cuMemsetD16_v2(a + 2, 0xabcd, 3));
	GOOD(cuMemcpyDtoH_v2(out, a, SIZE));
	ok(!h[0] && h[1] == 0xabcd && h[3] == 0xabcd && !h[4], "D16");
	reset();
	GOOD(cuMemsetD32Async(a + 4, 0x12345678, 2, NULL));
	GOOD(cuMemcpyDtoH_v2(out, a, SIZE));
	ok(!w[0] && w[1] == 0x12345678 && w[2] == 0x12345678 && !w[3], "D32");
	RC(cuMemsetD16_v2(a + 1, 0, 1), 1);
	RC(cuMemsetD32_v2(a + 2, 0, 1), 1);
	RC(cuMemsetD8_v2(a, 0, SIZE + 1), 1);
	RC(cuMemsetD32_v2(a, 0, SIZE / 4 + 1), 1);
	RC(cuMemsetD32_v2(a, 0, SIZE_MAX / 2), 1);
	reset();
	GOOD(cuMemsetD2D8_v2(a + 1, W, 5, 3, H));
	GOOD(cuMemcpyDtoH_v2(out, a, SIZE));
	good = 1;
	for (int i = 0; i < SIZE; i++)
		good &= out[i] == (i / W < H && i % W >= 1 && i % W < 4 ? 5 : 0);
	ok(good, "2D D8");
	RC(cuMemsetD2D8_v2(a, W, 5, W + 1, H), 1);
	GOOD(cuMemsetD2D32_v2(a, W, 5, W / 4, H));
	RC(cuMemsetD2D32_v2(a, W, 5, W / 4, H * D + 1), 1);
}

static void rectangles(void)
{
	CUDA_MEMCPY2D up = {
		.srcXInBytes = 2, .srcY = 1,
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = W,
		.dstXInBytes = 4, .dstY = 3,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = a,
		.dstPitch = W,
		.WidthInBytes = 5, .Height = 6,
	};
	int good = 1;

	reset();
	GOOD(cuMemcpy2D_v2(&up));
	GOOD(cuMemcpyDtoH_v2(out, a, SIZE));
	for (int y = 0; y < H * D; y++)
		for (int x = 0; x < W; x++) {
			int inside = x >= 4 && x < 9 && y >= 3 && y < 9;

			good &= out[y * W + x] == (inside ?
				in[(y - 2) * W + x - 2] : 0);
		}
	ok(good, "a rectangle");
	up.WidthInBytes = W;
	RC(cuMemcpy2D_v2(&up), 1);
	up.WidthInBytes = 5;
	up.Height = H * D;
	RC(cuMemcpy2DUnaligned_v2(&up), 1);
	up.Height = SIZE_MAX / 4;
	RC(cuMemcpy2D_v2(&up), 1);
	up.Height = 6;
	up.dstY = SIZE_MAX / W;
	RC(cuMemcpy2D_v2(&up), 1);
	up.dstY = 3;
	up.dstXInBytes = SIZE_MAX - 2;
	RC(cuMemcpy2D_v2(&up), 1);
	up.dstXInBytes = 4;
	up.dstMemoryType = (CUmemorytype)9;
	RC(cuMemcpy2DAsync_v2(&up, NULL), 1);
	RC(cuMemcpy2D_v2(NULL), 1);
}

static void boxes(void)
{
	CUDA_MEMCPY3D box = {
		.srcZ = 1, .srcY = 2,
		.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
		.srcDevice = a, .srcPitch = W, .srcHeight = H,
		.dstXInBytes = 3,
		.dstMemoryType = CU_MEMORYTYPE_HOST,
		.dstHost = out, .dstPitch = W, .dstHeight = H,
		.WidthInBytes = 7, .Height = 5, .Depth = 2,
	};
	int good = 1;

	reset();
	GOOD(cuMemcpyHtoD_v2(a, in, SIZE));
	GOOD(cuMemcpy3D_v2(&box));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				int inside = z < 2 && y < 5 && x >= 3 && x < 10;
				int from = ((z + 1) * H + y + 2) * W + x - 3;

				good &= out[(z * H + y) * W + x] ==
					(inside ? in[from] : 0xee);
			}
	ok(good, "a box");
	box.Depth = 4;
	RC(cuMemcpy3D_v2(&box), 1);
}

static void arrays(void)
{
	CUDA_ARRAY_DESCRIPTOR flat = {
		.Width = W / 4, .Height = H,
		.Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1,
	}, got;
	CUDA_ARRAY3D_DESCRIPTOR deep = {
		.Width = W, .Height = H, .Depth = D,
		.Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1,
	};
	CUDA_MEMCPY2D down = {
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.dstMemoryType = CU_MEMORYTYPE_HOST,
		.dstHost = out, .dstPitch = W,
		.WidthInBytes = W, .Height = H,
	};
	CUDA_MEMCPY3D box = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in,
		.srcPitch = W, .srcHeight = H,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY,
		.WidthInBytes = W, .Height = H, .Depth = D,
	};
	CUarray one, two;

	reset();
	GOOD(cuArrayCreate_v2(&one, &flat));
	GOOD(cuArrayGetDescriptor_v2(&got, one));
	ok(got.Width == W / 4 && got.Height == H && got.NumChannels == 1,
	   "the descriptor");
	GOOD(cuMemcpyHtoA_v2(one, 0, in, W * H));
	down.srcArray = one;
	GOOD(cuMemcpy2D_v2(&down));
	ok(same(out, in, W * H), "to an array and back");
	RC(cuMemcpyHtoA_v2(one, 1, in, W * H), 1);
	GOOD(cuArray3DCreate_v2(&two, &deep));
	box.dstArray = two;
	GOOD(cuMemcpy3D_v2(&box));
	reset();
	GOOD(cuMemcpyAtoD_v2(a, two, W, SIZE - W));
	GOOD(cuMemcpyDtoA_v2(one, 4, a, 64));
	GOOD(cuMemcpyAtoH_v2(out, one, 4, 64));
	ok(same(out, in + W, 64), "from array to device to array");
	RC(cuMemcpyAtoD_v2((uintptr_t)out, two, 0, 1), 1);
	RC(cuMemcpyDtoA_v2(one, 0, (uintptr_t)in, 1), 1);
	RC(cuMemcpyHtoA_v2(one, 0, NULL, 1), 1);
	RC(cuMemcpyAtoH_v2(NULL, one, 0, 1), 1);
	GOOD(cuMemcpyAtoA_v2(one, 0, two, 128, 64));
	GOOD(cuMemcpyAtoH_v2(out, one, 0, 64));
	ok(same(out, in + 128, 64), "from array to array");
	box.Depth = D + 1;
	RC(cuMemcpy3D_v2(&box), 1);
	GOOD(cuArrayDestroy(one));
	RC(cuArrayDestroy(one), 400);
	RC(cuMemcpy2D_v2(&down), 400);
	GOOD(cuArrayDestroy(two));
	flat.NumChannels = 3;
	RC(cuArrayCreate_v2(&one, &flat), 1);
}

static void batch(void)
{
	CUmemcpyAttributes attributes = {
		.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
	};
	CUdeviceptr to[] = { b + 64, b }, from[] = { a, a + 64 };
	size_t sizes[] = { 64, 64 }, index = 0, failed;
	CUstream stream;

	reset();
	GOOD(cuStreamCreate(&stream, 0));
	GOOD(cuMemcpyHtoD_v2(a, in, SIZE));
	GOOD(cuMemcpyBatchAsync_v2(to, from, sizes, 2, &attributes, &index, 1,
				   stream));
	RC(cuMemcpyBatchAsync_v2(to, from, sizes, 2, &attributes, &index, 1,
				 NULL), 400);
	GOOD(cuMemcpyDtoH_v2(out, b, 128));
	ok(same(out, in + 64, 64) && same(out + 64, in, 64), "a batch");
	sizes[1] = SIZE + 1;
	RC(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &index, 1,
			      &failed, stream), 1);
	is_int((long long)failed, 1, "which one failed");
	GOOD(cuStreamDestroy_v2(stream));
}

static void first_versions(void)
{
	CUDA_ARRAY_DESCRIPTOR_v1 d = {
		.Width = 8, .Height = 8,
		.Format = CU_AD_FORMAT_SIGNED_INT8, .NumChannels = 1,
	};
	CUDA_MEMCPY2D_v1 flat = {
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstPitch = 8,
		.WidthInBytes = 8, .Height = 8,
	};
	CUDA_MEMCPY3D_v1 deep = {
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.dstMemoryType = CU_MEMORYTYPE_HOST, .dstPitch = 8,
		.WidthInBytes = 8, .Height = 8, .Depth = 1,
	};
	CUDA_ARRAY3D_DESCRIPTOR_v1 cube = {
		.Width = 8, .Height = 4, .Depth = 2,
		.Format = CU_AD_FORMAT_SIGNED_INT8, .NumChannels = 1,
	};
	CUDA_MEMCPY3D_v1 slice = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = 8,
		.srcHeight = 4, .srcZ = 3,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstZ = 1,
		.WidthInBytes = 8, .Height = 4, .Depth = 1,
	};
	CUdeviceptr_v1 p;
	CUarray array;

	reset();
	GOOD(cuMemAlloc(&p, 64));
	GOOD(cuMemcpyHtoD(p, in, 64));
	GOOD(cuMemcpyDtoH(out, p, 64));
	ok(same(out, in, 64), "addresses of 32 bits");
	GOOD(cuArrayCreate(&array, &d));
	GOOD(cuMemcpyHtoA(array, 0, in + 64, 64));
	flat.srcArray = array;
	flat.dstDevice = p;
	GOOD(cuMemcpy2D(&flat));
	GOOD(cuMemcpyDtoH(out, p, 64));
	ok(same(out, in + 64, 64), "an array to an address");
	deep.srcArray = array;
	deep.dstHost = out + 64;
	GOOD(cuMemcpy3D(&deep));
	ok(same(out + 64, in + 64, 64), "a box");
	GOOD(cuArray3DCreate(&slice.dstArray, &cube));
	GOOD(cuMemcpy3D(&slice));
	GOOD(cuMemcpyAtoH(out, slice.dstArray, 0, 64));
	ok(same(out + 32, in + 96, 32) && !same(out, in, 32), "the second slice of an array");
	slice.Depth = 2;
	RC(cuMemcpy3D(&slice), 1);
	GOOD(cuArrayDestroy(slice.dstArray));
	GOOD(cuMemsetD2D16(p, 8, 0x0707, 2, 8));
	GOOD(cuMemcpyDtoH(out, p, 64));
	ok(out[0] == 7 && out[3] == 7 && out[4] == in[68], "a fill");
	GOOD(cuArrayDestroy(array));
	GOOD(cuMemFree(p));
	RC(cuMemFree(p), 1);
}

int main(void)
{
	CUcontext context;

	GOOD(cuInit(0));
	GOOD(cuCtxCreate_v2(&context, 0, 0));
	GOOD(cuMemAlloc_v2(&a, SIZE));
	GOOD(cuMemAlloc_v2(&b, SIZE));
	linear();
	fills();
	rectangles();
	boxes();
	arrays();
	batch();
	first_versions();
	GOOD(cuCtxDestroy_v2(context));
	return done_testing();
}
