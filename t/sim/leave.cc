/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions and longjmp leave host functions through the simulated driver, or end in them. */
#include <csetjmp>

#include "t/sim/check.h"

static jmp_buf here;

static void throws(void *data)
{
	throw data;
}

static void jumps(void *data)
{
	longjmp(here, *static_cast<int *>(data));
}

static void callback_throws(CUstream, CUresult, void *data)
{
	throw data;
}

static void catches(void *data)
{
	try {
		throws(data);
	} catch (void *) {
	}
}

template <typename Call> static void *caught(Call call)
{
	try {
		call();
	} catch (void *data) {
		return data;
	}
	return nullptr;
}

int main()
{
	CUcontext context;
	CUstream stream;
	CUdeviceptr p;
	int data = 5;

	GOOD(cuInit(0));
	GOOD(cuCtxCreate_v2(&context, 0, 0));
	GOOD(cuStreamCreate(&stream, 0));
	for (int i = 0; i < 3; i++) {
		is_ptr(caught([&] { cuLaunchHostFunc(stream, throws, &data); }),
		       &data, "an exception leaves cuLaunchHostFunc");
		is_ptr(caught([&] {
			cuLaunchHostFunc_ptsz(nullptr, throws, &data);
		}), &data, "and its per-thread form");
		is_ptr(caught([&] {
			cuStreamAddCallback(stream, callback_throws, &data, 0);
		}), &data, "and cuStreamAddCallback");
		int came = setjmp(here);
		if (!came)
			cuLaunchHostFunc(stream, jumps, &data);
		is_int(came, 5, "longjmp leaves it too");
		is_ptr(caught([&] {
			GOOD(cuLaunchHostFunc(stream, catches, &data));
			throws(&data);
		}), &data, "nor is one in it, or between calls, in the way");
		GOOD(cuMemAlloc_v2(&p, 16));
		GOOD(cuMemFree_v2(p));
		GOOD(cuStreamSynchronize(stream));
	}
	GOOD(cuStreamDestroy_v2(stream));
	GOOD(cuCtxDestroy_v2(context));
	return done_testing();
}
