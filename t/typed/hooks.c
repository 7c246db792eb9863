/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks that read and edit arguments, print calls and replace functions: those HOOKS names. */
#include <cuaudit/params.h>
#include <cuaudit/replace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add(const char *functions, cuaudit_enter_fn enter, cuaudit_exit_fn exit)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "test", .functions = functions, .enter = enter,
		.exit = exit,
	};

	return cuaudit_hook_add(&hook);
}

static int edit(struct cuaudit_call *call, void *data)
{
	(void)data;
	CUAUDIT_ARGS(call, cuMemAlloc_v2)->bytesize++;
	return CUAUDIT_CONTINUE;
}

static int edit_floats(struct cuaudit_call *call, void *data)
{
	struct cuaudit_args_cuTexRefSetMipmapLevelClamp *args =
		CUAUDIT_ARGS(call, cuTexRefSetMipmapLevelClamp);

	(void)data;
	args->minMipmapLevelClamp += 1;
	args->maxMipmapLevelClamp *= 9;
	return CUAUDIT_CONTINUE;
}

static int edit_twin(struct cuaudit_call *call, void *data)
{
	(void)data;
	CUAUDIT_ARGS(call, cuMemsetD8_v2)->N = 2;
	return CUAUDIT_CONTINUE;
}

static int edit_stream_twin(struct cuaudit_call *call, void *data)
{
	(void)data;
	CUAUDIT_ARGS(call, cuMemsetD8Async)->N = 1;
	return CUAUDIT_CONTINUE;
}

static void say(const struct cuaudit_call *call, const char *when, unsigned int flags)
{
	char line[512];
	size_t length = cuaudit_call_print(call, flags, line, sizeof(line));

	dprintf(STDOUT_FILENO, "%s %s%s\n", when, line, length < sizeof(line) ? "" : " (cut)");
}

static int print_enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	say(call, "before", 0);
	/* What nobody answers is answered here: these addresses are bad. */
	if (call->function->id == CUAUDIT_ID_cuIpcOpenMemHandle_v2) {
		call->result = CUDA_ERROR_INVALID_VALUE;
		return CUAUDIT_SKIP;
	}
	if (call->function->id == CUAUDIT_ID_cuCtxGetCurrent)
		return CUAUDIT_SKIP;
	return CUAUDIT_CONTINUE;
}

static void print_exit(struct cuaudit_call *call, void *data)
{
	struct cuaudit_param param;
	char value[64];
	uint32_t count = 0;

	(void)data;
	say(call, "after", CUAUDIT_PRINT_AFTER);
	for (; !cuaudit_param_get(call->function, count, &param); count++) {
		if (cuaudit_param_print(call, count, CUAUDIT_PRINT_AFTER, value, sizeof(value)) ==
		    SIZE_MAX)
			dprintf(STDOUT_FILENO, "no parameter %u\n", count);
		if (call->function->id == CUAUDIT_ID_cuMemAlloc_v2)
			dprintf(STDOUT_FILENO, "%s %s %d %u %u = %s\n", param.type, param.name,
				(int)param.direction, param.word, param.words, value);
	}
	if (count != call->function->nparams ||
	    cuaudit_param_print(call, count, 0, value, sizeof(value)) != SIZE_MAX)
		dprintf(STDOUT_FILENO, "%u parameters\n", count);
}

static CUresult allocate(CUdeviceptr *pointer, size_t size)
{
	CUresult result = CUAUDIT_REAL(cuMemAlloc_v2)(pointer, size + 1000);

	*pointer += 7;
	return result;
}

static CUresult old_allocate(CUdeviceptr_v1 *pointer, unsigned int size)
{
	(void)size;
	*pointer = 1;
	abort();
}

static CUresult clamp(CUtexref texture, float low, float high)
{
	return CUAUDIT_REAL(cuTexRefSetMipmapLevelClamp)(texture, low + 1, high * 9);
}

static CUresult open_handle(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned int flags)
{
	handle.reserved[63] = 64;
	return CUAUDIT_REAL(cuIpcOpenMemHandle_v2)(pointer, handle, flags + 1);
}

static CUresult launch(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
		       unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
		       CUstream stream, void **params, void **extra)
{
	/* Any driver function: none of them comes back to a hook. */
	int version = 0;

	CUAUDIT_REAL(cuDriverGetVersion)(&version);
	if (version != 13000)
		return CUDA_ERROR_UNKNOWN;
	return CUAUDIT_REAL(cuLaunchKernel)(f, gx, gy, gz, bx, by, bz, shared - 100, stream,
					    params, extra);
}

static CUresult synchronize(void)
{
	return CUAUDIT_REAL(cuCtxSynchronize) ? CUDA_ERROR_UNKNOWN : CUDA_ERROR_NOT_FOUND;
}

static int replace(void)
{
	return CUAUDIT_REPLACE(cuMemAlloc, old_allocate) || CUAUDIT_REPLACE(cuMemAlloc_v2, allocate) ||
	       CUAUDIT_REPLACE(cuTexRefSetMipmapLevelClamp, clamp) ||
	       CUAUDIT_REPLACE(cuIpcOpenMemHandle_v2, open_handle) ||
	       CUAUDIT_REPLACE(cuLaunchKernel, &launch) ||
	       CUAUDIT_REPLACE(cuCtxSynchronize, synchronize);
}

static void __attribute__((constructor)) start(void)
{
	const char *hooks = getenv("HOOKS");
	int error = -1;

	if (!strcmp(hooks, "edit"))
		error = add("cuMemAlloc_v2", edit, NULL) ||
			add("cuTexRefSetMipmapLevelClamp", edit_floats, NULL);
	else if (!strcmp(hooks, "wrong"))
		error = add("cuStreamQuery", edit, NULL);
	else if (!strcmp(hooks, "twin"))
		error = add("cuMemsetD8_v2*", edit_twin, NULL) ||
			add("cuMemsetD8Async*", edit_stream_twin, NULL);
	else if (!strcmp(hooks, "print"))
		error = add("cu[A-Z]*", print_enter, print_exit);
	else if (!strcmp(hooks, "replace"))
		error = replace();
	if (error)
		dprintf(STDOUT_FILENO, "no hooks\n");
}
