/* SPDX-License-Identifier: Apache-2.0 */
/* The calls the limit hook sees: of which kind they are, and their arguments. */
#include "hooks/modules/limit/limit_calls.h"

#include <stddef.h>

#include <cuaudit/args.h>

#include "hooks/call_site.h"
#include "hooks/modules/limit/limit_refusals.h"

static const struct {
	uint8_t kind;
	uint8_t width;
} rows[] = {
#define LIMIT(symbol, kind, width) [CUAUDIT_ID_##symbol] = { LIMIT_##kind, width },
#include "tables/limit.def"
#undef LIMIT
};

/* Where the parameters of each kind lie, as the code below takes them from call->words. */
#define AT(symbol, name, word) \
	_Static_assert(offsetof(struct cuaudit_args_##symbol, name) == 8 * (word), #symbol)
#define AT_ARRAY(symbol) AT(symbol, pHandle, 0); AT(symbol, pAllocateArray, 1)
#define AT_ARRAY3D(symbol) AT_ARRAY(symbol)
#define AT_ARRAY_FREE(symbol) AT(symbol, hArray, 0)
#define AT_ASYNC(symbol) AT_LINEAR(symbol); AT(symbol, hStream, 2)
#define AT_ATTACH(symbol) AT(symbol, pctx, 0)
#define AT_CLOSE(symbol) AT(symbol, dptr, 0)
#define AT_CONTEXT_DESTROY(symbol) AT(symbol, ctx, 0)
#define AT_CREATE(symbol) AT(symbol, handle, 0); AT(symbol, size, 1); AT(symbol, prop, 2)
#define AT_DETACH(symbol) AT(symbol, ctx, 0)
#define AT_FREE(symbol) AT(symbol, dptr, 0)
#define AT_FROM_POOL(symbol) AT_LINEAR(symbol); AT(symbol, pool, 2); AT(symbol, hStream, 3)
#define AT_GRAPH_FREE(symbol) AT(symbol, hGraphExec, 0)
#define AT_GRAPH_TRIM(symbol) AT(symbol, device, 0)
#define AT_GRAPH_USE(symbol) AT(symbol, hStream, 1)
#define AT_IMPORT(symbol) AT(symbol, handle, 0)
#define AT_INFO(symbol) AT(symbol, free, 0); AT(symbol, total, 1)
#define AT_INSTANTIATE(symbol) AT(symbol, phGraphExec, 0); AT(symbol, hGraph, 1)
#define AT_LINEAR(symbol) AT(symbol, dptr, 0); AT(symbol, bytesize, 1)
#define AT_MAP(symbol) \
	AT_UNMAP(symbol); AT(symbol, offset, 2); AT(symbol, handle, 3)
#define AT_MIPMAP(symbol) \
	AT(symbol, pHandle, 0); AT(symbol, pMipmappedArrayDesc, 1); AT(symbol, numMipmapLevels, 2)
#define AT_MIPMAP_FREE(symbol) AT(symbol, hMipmappedArray, 0)
#define AT_OPEN(symbol)
#define AT_PITCH(symbol) \
	AT(symbol, dptr, 0); AT(symbol, pPitch, 1); \
	AT(symbol, WidthInBytes, 2); AT(symbol, Height, 3)
#define AT_POOL_CREATE(symbol) AT(symbol, pool, 0); AT(symbol, poolProps, 1)
#define AT_POOL_DESTROY(symbol) AT(symbol, pool, 0)
#define AT_POOL_TRIM(symbol) AT(symbol, pool, 0)
#define AT_PRIMARY_RELEASE(symbol) AT(symbol, dev, 0)
#define AT_PRIMARY_RESET(symbol) AT(symbol, dev, 0)
#define AT_RELEASE(symbol) AT(symbol, handle, 0)
#define AT_RETAIN(symbol) AT(symbol, handle, 0); AT(symbol, addr, 1)
#define AT_TOTAL(symbol) AT(symbol, bytes, 0); AT(symbol, dev, 1)
#define AT_UNMAP(symbol) AT(symbol, ptr, 0); AT(symbol, size, 1)
#define LIMIT(symbol, kind, width) AT_##kind(symbol);
#include "tables/limit.def"
#undef LIMIT

static const char symbols[] =
#define LIMIT(symbol, kind, width) "," #symbol
#include "tables/limit.def"
#undef LIMIT
	;

const char *const calls_functions = symbols + 1;

enum limit_kind calls_kind(const struct cuaudit_call *call)
{
	int32_t id = call->function->id;

	return id >= 0 && (size_t)id < sizeof(rows) / sizeof(rows[0]) ? rows[id].kind :
								       LIMIT_NONE;
}

bool calls_is(const struct cuaudit_call *call, enum limit_width width)
{
	return rows[call->function->id].width == width;
}

/* An argument that is as wide as the function's addresses. */
uint64_t calls_word(const struct cuaudit_call *call, uint32_t index)
{
	return calls_is(call, ABI32) ? (uint32_t)call->words[index] : call->words[index];
}

void *calls_pointer(const struct cuaudit_call *call, uint32_t index)
{
	return (void *)(uintptr_t)call->words[index];
}

/* What the driver has written, or is to seem to have. */
uint64_t calls_read(const struct cuaudit_call *call, uint32_t index)
{
	if (calls_is(call, ABI32))
		return *(uint32_t *)calls_pointer(call, index);
	return *(uint64_t *)calls_pointer(call, index);
}

void calls_write(const struct cuaudit_call *call, uint32_t index, uint64_t value)
{
	if (calls_is(call, ABI32))
		*(uint32_t *)calls_pointer(call, index) = (uint32_t)value;
	else
		*(uint64_t *)calls_pointer(call, index) = value;
}

uint64_t calls_handle(const struct cuaudit_call *call)
{
	return *(uint64_t *)calls_pointer(call, 0);
}

CUstream calls_stream(const struct cuaudit_call *call, uint32_t index)
{
	CUstream stream = calls_pointer(call, index);

	return !stream && calls_is(call, PTSZ) ? CU_STREAM_PER_THREAD : stream;
}

uint32_t calls_library(const struct cuaudit_call *call)
{
	return account_library(cuaudit_call_library(call));
}

/* Once loudly, for all that follow are of one kind with it. */
static void say(const struct cuaudit_call *call, const struct account *refuses, uint32_t device,
		uint64_t bytes)
{
	static _Atomic bool reported;
	const struct cuaudit_library *library = cuaudit_call_library(call);
	char site[CALL_SITE_TEXT];
	const char *whose = refuses == &account_user ? "the user" :
			    refuses == &account_process ? "the process" : "the device";

	cuaudit_log(reported ? CUAUDIT_INFO : CUAUDIT_WARN,
		    "limit: %s by %s %s %llu bytes on device %u: %s has %llu of %llu left",
		    call->function->name,
		    reported ? library->name : call_site_text(site, call->caller, library),
		    limit_options.dry_run ? "would be refused" : "is refused",
		    (unsigned long long)bytes, device, whose,
		    (unsigned long long)account_left(device), (unsigned long long)refuses->limit);
	reported = true;
}

/* Whether the call is to fail. */
bool calls_refuse(struct cuaudit_call *call, struct account *refuses, uint32_t device,
		   uint64_t bytes)
{
	atomic_fetch_add(&refuses->refused, 1);
	atomic_fetch_add(&account_libraries[calls_library(call)].refused, 1);
	refusals_count(call, bytes);
	say(call, refuses, device, bytes);
	if (!limit_options.dry_run)
		call->result = CUDA_ERROR_OUT_OF_MEMORY;
	return !limit_options.dry_run;
}

int calls_skip(struct cuaudit_call *call, struct account *refuses, uint32_t device,
		uint64_t bytes)
{
	return calls_refuse(call, refuses, device, bytes) ? CUAUDIT_SKIP : CUAUDIT_CONTINUE;
}
