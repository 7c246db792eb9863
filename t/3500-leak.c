/* SPDX-License-Identifier: Apache-2.0 */
/* The leak module alone: every row, claims, parents, threads, forks. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuaudit/cuda_types.h>

#include "hooks/modules/leak/leak_fault.h"
#include "hooks/modules/leak/leak_object.h"
#include "t/leak/core.h"
#include "t/tap.h"

extern const struct cuaudit_module leak_module;

enum { INVALID_VALUE = 1, INVALID_HANDLE = 400 };

static uint64_t at(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static uint64_t left(void)
{
	struct leak_object *object = NULL;
	uint64_t count = 0;

	while ((object = leak_next(object)))
		count++;
	return count;
}

static uint64_t faults(enum leak_fault_type type)
{
	const struct leak_fault *fault;
	uint64_t sum = 0;

	for (uint32_t i = 0; (fault = leak_fault_get(i)); i++)
		if (fault->type == type)
			sum += fault->count;
	return sum;
}

static uint64_t all_faults(void)
{
	uint64_t sum = 0;

	for (int type = 0; type < LEAK_FAULT_TYPES; type++)
		sum += faults((enum leak_fault_type)type);
	return sum;
}

static void anew(void)
{
	core_context = 0;
	leak_module.forked();
}

/* Puts a handle where a call holds it. */
static void put(struct core_call *call, struct leak_word word, uint64_t *handle)
{
	call->words[word.word] = word.pointer ? at(handle) : *handle;
}

/* What the pointers of a row are given that is no handle. */
static uint64_t scrap[64];

static struct core_call make_call(int id)
{
	struct core_call call = { .id = id, .caller = (const void *)(uintptr_t)(16 + id) };

	for (int i = 0; i < CORE_WORDS; i++)
		call.words[i] = at(scrap);
	return call;
}

static const struct leak_rule *rule_of(int id)
{
	return leak_rule(core_function(id));
}

/* Any of the functions that take this space's objects away. */
static int taker(enum leak_space space, enum leak_action action)
{
	int id = 0;

	while (core_function(id) && (rule_of(id)->action != action ||
				     rule_of(id)->object.space != space))
		id++;
	return core_function(id) ? id : -1;
}

/* One object by this row, given back, then used: which of the steps was wrong, or 0. */
static int one_life(int id, uint64_t *handle)
{
	const struct leak_rule *rule = rule_of(id), *end;
	enum leak_space space = rule->object.space;
	int take = taker(space, rule->kind == LEAK_KIND_MAPPING ? LEAK_FREES_MAPPINGS : LEAK_FREES_ONE);
	struct core_call call = make_call(id);

	anew();
	put(&call, rule->object, handle);
	if (rule->device_word != LEAK_NO_WORD)
		call.words[rule->device_word] = 0;
	if (rule->count_word != LEAK_NO_WORD)
		call.words[rule->count_word] = 1;
	if (rule->size == LEAK_SIZE_BYTES)
		call.words[rule->size_words[0]] = 64;
	core_run(&call);
	if (leak_state(space, *handle) != LEAK_LIVE || left() != (rule->again != LEAK_OWNED))
		return 1;
	if (take < 0)
		return rule->again == LEAK_OWNED ? 0 : 2;
	end = rule_of(take);
	call = make_call(take);
	put(&call, end->object, handle);
	if (end->count_word != LEAK_NO_WORD)
		call.words[end->count_word] = 1;
	if (end->action == LEAK_FREES_MAPPINGS)
		call.words[end->size_words[0]] = 64;
	core_run(&call);
	if (left() || all_faults())
		return 3;
	if (rule->kind == LEAK_KIND_USER_OBJECT)
		return leak_state(space, *handle) == LEAK_UNKNOWN ? 0 : 4;
	if (leak_state(space, *handle) != LEAK_DEAD)
		return 5;
	call.result = INVALID_HANDLE;
	core_run(&call);
	if (leak_frees(end) && (faults(LEAK_DOUBLE_FREE) != 1 || all_faults() != 1))
		return 6;
	return end->action == LEAK_FREES_MAPPINGS && faults(LEAK_INVALID_FREE) != 1 ? 7 : 0;
}

static void every_row(void)
{
	uint64_t handle = 0x100000;
	int given = 0, wrong = 0;

	for (int id = 0; core_function(id); id++) {
		int step;

		if (rule_of(id)->action != LEAK_ALLOCATES)
			continue;
		given++;
		handle += 0x1000;
		step = rule_of(id)->object.word == LEAK_NO_WORD ? 8 : one_life(id, &handle);
		if (step)
			diag("%s: step %d", core_function(id)->name, step);
		wrong += step != 0;
	}
	ok(given > 100, "%d functions give objects", given);
	is_int(wrong, 0, "each object is allocated, dies, and is missed when taken again");
}

static const struct cuaudit_function maker = { .name = "maker", .base = "maker" };

/* Every use of every row by a dead handle. */
static void every_use(void)
{
	uint64_t handle = 0x5000000;
	int uses = 0, wrong = 0;

	anew();
	for (int id = 0; core_function(id); id++) {
		const struct leak_rule *rule = rule_of(id);

		wrong += rule->nuses == LEAK_USES;
		for (int i = 0; i < rule->nuses; i++, uses++) {
			enum leak_space space = rule->uses[i].space;
			struct leak_allocation allocation = { .handle = handle += 64, .claims = 1, .kind = LEAK_KINDS };
			struct core_call call = make_call(id);
			uint64_t before = faults(LEAK_USE_AFTER_FREE);
			sigset_t saved;

			for (uint8_t kind = 0; kind < LEAK_KINDS; kind++)
				if (leak_kind_space(kind) == space)
					allocation.kind = kind;
			call.result = INVALID_HANDLE;
			memset(call.words, 0, sizeof(call.words));
			call.words[rule->uses[i].word] = handle;
			core_run(&call);
			if (faults(LEAK_USE_AFTER_FREE) != before)
				wrong++;
			allocation.site = (struct leak_site){ &maker, NULL, &core_library, NULL };
			leak_lock(&saved);
			leak_end(leak_allocated(&allocation), &allocation.site, 0);
			leak_unlock(&saved);
			core_run(&call);
			before += space != LEAK_USER_OBJECT;
			if (faults(LEAK_USE_AFTER_FREE) != before) {
				diag("%s: parameter at word %d", core_function(id)->name, rule->uses[i].word);
				wrong++;
			}
		}
	}
	ok(uses > 500, "%d parameters are uses", uses);
	is_int(wrong, 0, "each use of a dead one is an error, of an unknown one is none");
}

/* Functions that give a handle back in their first parameter. */
#define GIVE(function, handle, ...) core_do(function, 0, at(&(uint64_t){ handle }), __VA_ARGS__)

static bool is_state(enum leak_space space, uint64_t handle, enum leak_state state, const char *what)
{
	return is_int(leak_state(space, handle), state, "%s", what);
}

static void contexts(void)
{
	enum { ONE = 0x1000, OTHER = 0x2000, A = 0x10000, B = 0x20000, C = 0x30000 };

	anew();
	GIVE(cuCtxCreate_v2, ONE, 0, 0);
	core_context = ONE;
	GIVE(cuStreamCreate, A, 0);
	GIVE(cuMemAlloc_v2, B, 100);
	GIVE(cuCtxCreate_v4, OTHER, 0, 0, 0);
	core_context = OTHER;
	GIVE(cuStreamCreate, C, 0);
	core_do(cuCtxDestroy_v2, 0, ONE);
	is_state(LEAK_STREAM, A, LEAK_DEAD, "a stream goes with its context");
	is_state(LEAK_MEMORY, B + 99, LEAK_DEAD, "so does memory");
	is_state(LEAK_STREAM, C, LEAK_LIVE, "not that of another one");
	core_do(cuStreamQuery, INVALID_HANDLE, A);
	is_int(leak_fault_get(0)->died_with, LEAK_KIND_CONTEXT + 1, "an error says what it went with");
	core_do(cuCtxDestroy_v2, 0, OTHER);
	core_context = 0;
	GIVE(cuStreamCreate, A, 0);
	is_int((long long)left(), 1, "without a context, a stream of none");
	core_context = ONE;
	GIVE(cuEventCreate, C, 0);
	core_do(cuCtxDestroy_v2, 0, ONE);
	is_state(LEAK_EVENT, C, LEAK_DEAD, "a context that was current is known, too");
}

static void primary(void)
{
	enum { PRIMARY = 0x1000, A = 0x10000, B = 0x20000 };

	anew();
	core_context = PRIMARY;
	GIVE(cuStreamCreate, A, 0);
	GIVE(cuDevicePrimaryCtxRetain, PRIMARY, 1);
	GIVE(cuDevicePrimaryCtxRetain, PRIMARY, 1);
	is_int((long long)left(), 2, "a primary context, claimed after its first use");
	is_int((long long)(leak_counts.allocated - leak_counts.freed), 2, "by the counts, too");
	core_do(cuDevicePrimaryCtxRelease_v2, 0, 0);
	core_do(cuDevicePrimaryCtxRelease_v2, 0, 1);
	is_state(LEAK_STREAM, A, LEAK_LIVE, "one claim is left");
	core_do(cuDevicePrimaryCtxRelease, 0, 1);
	is_state(LEAK_STREAM, A, LEAK_DEAD, "none is left");
	is_int((long long)left(), 0, "the context is gone, too");
	GIVE(cuDevicePrimaryCtxRetain, PRIMARY, 1);
	GIVE(cuStreamCreate, B, 0);
	core_do(cuDevicePrimaryCtxReset_v2, 0, 1);
	is_state(LEAK_STREAM, B, LEAK_DEAD, "a reset takes what it has");
	is_state(LEAK_CONTEXT, PRIMARY, LEAK_LIVE, "and leaves it");
	is_int((long long)all_faults(), 0, "no error");
}

static void claims(void)
{
	enum { A = 0x10000, B = 0x20000, C = 0x30000 };

	anew();
	GIVE(cuMemCreate, A, 100);
	GIVE(cuMemRetainAllocationHandle, A);
	core_do(cuMemRelease, 0, A);
	is_state(LEAK_PHYSICAL, A, LEAK_LIVE, "two claims, one given back");
	core_do(cuMemRelease, INVALID_VALUE, A);
	is_state(LEAK_PHYSICAL, A, LEAK_LIVE, "the driver did not take the other");
	is_int((long long)faults(LEAK_INVALID_FREE), 1, "which is an error");
	core_do(cuMemRelease, 0, A);
	is_state(LEAK_PHYSICAL, A, LEAK_DEAD, "both");
	GIVE(cuIpcOpenMemHandle_v2, B);
	GIVE(cuIpcOpenMemHandle_v2, B);
	core_do(cuIpcCloseMemHandle, 0, B);
	is_state(LEAK_MEMORY, B, LEAK_LIVE, "IPC memory opened twice, closed once");
	core_do(cuIpcCloseMemHandle, 0, B);
	is_state(LEAK_MEMORY, B, LEAK_DEAD, "closed twice");
	GIVE(cuUserObjectCreate, C, 0, 0, 3, 1);
	core_do(cuUserObjectRetain, 0, C, 2);
	core_do(cuUserObjectRelease, 0, C, 4);
	is_state(LEAK_USER_OBJECT, C, LEAK_LIVE, "five claims, four given back");
	core_do(cuUserObjectRelease, 0, C, 1);
	is_state(LEAK_USER_OBJECT, C, LEAK_UNKNOWN, "it may live on in a graph");
	is_int((long long)left(), 0, "nothing is left");
	GIVE(cuStreamCreate, A, 0);
	core_do(cuStreamDestroy_v2, 4, A);
	is_int((long long)left(), 0, "what goes after the driver's own end is gone");
}

static void graphs(void)
{
	enum { GRAPH = 0x1000, NODE = 0x2000, CHILD = 0x3000, INNER = 0x4000, RUN = 0x5000 };

	anew();
	GIVE(cuGraphCreate, GRAPH, 0);
	GIVE(cuGraphAddKernelNode_v2, NODE, GRAPH);
	GIVE(cuGraphAddChildGraphNode, CHILD, GRAPH);
	core_do(cuGraphChildGraphNodeGetGraph, 0, CHILD, at(&(uint64_t){ INNER }));
	GIVE(cuGraphInstantiateWithFlags, RUN, GRAPH);
	is_int((long long)left(), 2, "nodes and graphs inside are nobody's to give back");
	core_do(cuGraphDestroy, 0, GRAPH);
	is_state(LEAK_NODE, NODE, LEAK_DEAD, "a node goes with its graph");
	is_state(LEAK_GRAPH, INNER, LEAK_DEAD, "a graph inside too");
	core_do(cuGraphLaunch, 0, RUN, 0);
	is_int((long long)all_faults(), 0, "the executable graph lives on");
	core_do(cuGraphKernelNodeSetParams_v2, INVALID_VALUE, NODE);
	is_int((long long)faults(LEAK_USE_AFTER_FREE), 1, "its node does not");
	core_do(cuGraphGetNodes, 0, GRAPH, at(scrap), at(scrap));
	is_int((long long)faults(LEAK_USE_AFTER_FREE), 2, "nor it");
	core_do(cuGraphKernelNodeSetParams_v2, 0, NODE);
	is_int((long long)faults(LEAK_USE_AFTER_FREE), 2, "nodes shown since may be others");
	GIVE(cuGraphCreate, GRAPH, 0);
	core_do(cuStreamBeginCaptureToGraph, 0, 0, GRAPH);
	core_do(cuStreamEndCapture, 0, 0, at(&(uint64_t){ GRAPH }));
	core_do(cuGraphDestroy, 0, GRAPH);
	core_do(cuGraphExecDestroy, 0, RUN);
	is_int((long long)left(), 0, "a capture into a graph gives no other");
}

static void code(void)
{
	enum { LIBRARY = 0x1000, KERNEL = 0x2000, OTHER = 0x3000 };

	anew();
	GIVE(cuLibraryLoadData, LIBRARY, 0);
	GIVE(cuLibraryGetKernel, KERNEL, LIBRARY);
	GIVE(cuLibraryGetKernel, OTHER, LIBRARY);
	GIVE(cuKernelGetFunction, KERNEL, KERNEL);
	is_int((long long)left(), 1, "kernels are their library's, whatever their functions are called");
	core_do(cuLibraryUnload, 0, LIBRARY);
	core_do(cuLaunchKernel, INVALID_HANDLE, OTHER);
	core_do(cuLaunchKernel, INVALID_HANDLE, KERNEL);
	is_int((long long)faults(LEAK_USE_AFTER_FREE), 2, "a kernel goes with its library");
	core_do(cuLibraryEnumerateKernels, 0, at(scrap), 2, LIBRARY + 1);
	core_do(cuLaunchKernel, 0, OTHER);
	core_do(cuLaunchKernel, 0, KERNEL);
	is_int((long long)faults(LEAK_USE_AFTER_FREE), 2, "those shown since may be others");
}

/* Another thread maps the same addresses before the call that unmapped them is back. */
static void mapped_again(struct core_call *call)
{
	core_do(cuMemMap, 0, call->words[0], call->words[1], 0, 2, 0);
}

static void mappings(void)
{
	enum { RANGE = 0x100000, PAGE = 0x1000 };

	anew();
	GIVE(cuMemAddressReserve, RANGE, 4 * PAGE, 0, 0, 0);
	for (int i = 0; i < 4; i++)
		core_do(cuMemMap, 0, RANGE + (uint64_t)i * PAGE, PAGE, 0, 1, 0);
	core_do(cuMemUnmap, 0, RANGE + PAGE, 2 * PAGE);
	is_state(LEAK_MEMORY, RANGE + 10, LEAK_LIVE, "before what is unmapped");
	is_state(LEAK_MEMORY, RANGE + PAGE, LEAK_DEAD, "its beginning");
	is_state(LEAK_MEMORY, RANGE + 3 * PAGE - 1, LEAK_DEAD, "its end");
	is_state(LEAK_MEMORY, RANGE + 3 * PAGE, LEAK_LIVE, "after it");
	core_do(cuMemAddressFree, 0, RANGE, 4 * PAGE);
	is_int((long long)left(), 2, "two mappings are left");
	core_do(cuMemMap, 0, RANGE + PAGE, PAGE, 0, 1, 0);
	core_do(cuMemsetD8_v2, 0, RANGE + PAGE + 5, 0, 1);
	is_int((long long)all_faults(), 0, "mapped again, it may be used");

	anew();
	core_do(cuMemMap, 0, RANGE, PAGE, 0, 1, 0);
	core_do(cuMemMap, 0, RANGE + PAGE, PAGE, 0, 1, 0);
	core_run(&(struct core_call){ .id = CUAUDIT_ID_cuMemUnmap, .words = { RANGE, 2 * PAGE },
				      .driver = mapped_again });
	is_state(LEAK_MEMORY, RANGE, LEAK_LIVE, "mapped again before the unmapping is back");
	is_int((long long)left(), 1, "it is the one that is left");
	core_do(cuMemUnmap, INVALID_VALUE, RANGE, 2 * PAGE);
	is_state(LEAK_MEMORY, RANGE, LEAK_LIVE, "what could not be unmapped is still there");
	core_do(cuMemUnmap, 0, RANGE, 2 * PAGE);
	is_state(LEAK_MEMORY, RANGE, LEAK_DEAD, "and goes in the end");
	is_int((long long)left(), 0, "nothing is left");
}

/* The device's bytes, in pages. */
static long long pages(void)
{
	return (long long)(leak_device_bytes() / 0x1000);
}

/* Physical memory lives as long as a handle or a mapping of it. */
static void physical(void)
{
	enum { RANGE = 0x100000, PAGE = 0x1000, HANDLE = 7, OTHER = 8 };
	static const CUmulticastObjectProp multicast = { .size = PAGE };

	anew();
	GIVE(cuMemCreate, HANDLE, PAGE, 0, 0);
	core_do(cuMemMap, 0, RANGE, PAGE, 0, HANDLE, 0);
	core_do(cuMemMap, 0, RANGE + PAGE, PAGE, 0, HANDLE, 0);
	is_int(pages(), 1, "it is counted once, however often it is mapped");
	core_do(cuMemRelease, 0, HANDLE);
	is_int(pages(), 1, "... also where its handle is released");
	is_int((long long)leak_device_size(HANDLE), PAGE, "... by which it is known still");
	core_do(cuMemUnmap, INVALID_VALUE, RANGE, PAGE);
	core_do(cuMemUnmap, 0, RANGE, PAGE);
	is_int(pages(), 1, "... and one mapping of it ends");
	core_do(cuMemUnmap, 0, RANGE + PAGE, PAGE);
	is_int(pages(), 0, "... until the last one does");
	is_int((long long)leak_device_size(HANDLE), 0, "... and its handle is nobody's");

	anew();
	GIVE(cuMemCreate, HANDLE, PAGE, 0, 0);
	core_do(cuMemMap, 0, RANGE, PAGE, 0, HANDLE, 0);
	core_do(cuMemUnmap, 0, RANGE, PAGE);
	is_int(pages(), 1, "a handle keeps it after its mapping");
	core_do(cuMemRelease, 0, HANDLE);
	is_int(pages(), 0, "... and is the last then");

	anew();
	GIVE(cuMemCreate, HANDLE, PAGE, 0, 0);
	core_do(cuMemMap, 0, RANGE, PAGE, 0, HANDLE, 0);
	core_do(cuMemRelease, 0, HANDLE);
	GIVE(cuMemRetainAllocationHandle, OTHER, RANGE + 5);
	GIVE(cuMemCreate, HANDLE, PAGE, 0, 0);
	core_do(cuMemUnmap, 0, RANGE, PAGE);
	is_int(pages(), 2, "a handle that was retained by an address keeps it");
	core_do(cuMemRelease, 0, HANDLE);
	is_int(pages(), 1, "... not one that has only its number");
	core_do(cuMemRelease, 0, OTHER);
	is_int(pages(), 0, "... until it is released");

	anew();
	for (int type = CU_MEM_LOCATION_TYPE_DEVICE; type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT; type++) {
		const CUmemAllocationProp prop = { .location.type = (CUmemLocationType)type };

		GIVE(cuMemCreate, HANDLE + type, PAGE, at(&prop), 0);
	}
	is_int(pages(), 1, "of the device's memory and the host's of three kinds, the first is counted");
	is_int((long long)left(), 4, "... and all are followed");

	anew();
	GIVE(cuMemCreate, HANDLE, PAGE, 0, 0);
	GIVE(cuMulticastCreate, OTHER, at(&multicast));
	core_do(cuMemMap, 0, RANGE, PAGE, 0, OTHER, 0);
	is_int(pages(), 1, "a multicast object is over memory that is counted");
	core_do(cuMemRelease, 0, OTHER);
	core_do(cuMemRelease, 0, HANDLE);
	is_int(pages(), 0, "... and has none of its own");

	anew();
	GIVE(cuMemCreate, HANDLE, PAGE, 0, 0);
	core_do(cuMemMap, 0, RANGE, PAGE, 0, HANDLE, 0);
	core_do(cuMemRelease, 0, HANDLE);
	core_do(cuMemMap, 0, RANGE, PAGE, 0, OTHER, 0);
	is_int(pages(), 0, "unmapped unseen, it is gone as well");
	is_int((long long)all_faults(), 0, "none of this is an error");
}

/* Pools are of a device or of the host, as what comes from them is. */
static void host_pools(void)
{
	enum { POOL = 40, MEMORY = 0x200000, PAGE = 0x1000 };
	int type;

	for (type = CU_MEM_LOCATION_TYPE_DEVICE; type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT; type++) {
		const CUmemLocation location = { .type = (CUmemLocationType)type };
		const CUmemPoolProps made = { .location = location };
		long long counted = type == CU_MEM_LOCATION_TYPE_DEVICE;

		anew();
		GIVE(cuMemPoolCreate, POOL, at(&made));
		GIVE(cuMemAllocFromPoolAsync, MEMORY, PAGE, POOL, 0);
		is_int(pages(), counted, "memory of a pool that was made by location type %d", type);
		core_do(cuMemFreeAsync, 0, MEMORY, 0);
		is_int(pages(), 0, "... until it is freed");
		core_do(cuMemPoolDestroy, 0, POOL);
		GIVE(cuMemGetDefaultMemPool, POOL, at(&location), 1);
		GIVE(cuMemAllocFromPoolAsync, MEMORY, PAGE, POOL, 0);
		is_int(pages(), counted, "... and of the default pool of such a location");
		core_do(cuMemFreeAsync, 0, MEMORY, 0);
		GIVE(cuMemGetMemPool, POOL, at(&location), 1);
		GIVE(cuMemAllocFromPoolAsync, MEMORY, PAGE, POOL, 0);
		is_int(pages(), counted, "... and of its current one");
		GIVE(cuDeviceGetDefaultMemPool, POOL, 0);
		GIVE(cuMemAllocFromPoolAsync, MEMORY + PAGE, PAGE, POOL, 0);
		is_int(pages(), counted + 1, "... and of a device's that has its handle later");
		GIVE(cuMemAllocAsync, MEMORY + 2 * PAGE, PAGE, 0);
		is_int(pages(), counted + 2, "... and of none that is named");
	}
	for (type = 0; type < 200; type++) {
		const CUmemPoolProps made = { .location.type = CU_MEM_LOCATION_TYPE_HOST };

		GIVE(cuMemPoolCreate, POOL + type, at(&made));
	}
	anew();
	GIVE(cuMemAllocFromPoolAsync, MEMORY, PAGE, POOL + 150, 0);
	is_int(pages(), 1, "of more of the host's than can be remembered, it is counted");
	is_int((long long)all_faults(), 0, "none of this is an error");
}

static void shown(void)
{
	enum { A = 0x10000 };

	anew();
	GIVE(cuMemAlloc_v2, A, 100);
	core_do(cuMemFree_v2, 0, A);
	core_do(cuPointerGetAttribute, 1, at(scrap), 1, A);
	is_int((long long)all_faults(), 0, "one may ask what became of it");
	core_do(cuGLMapBufferObject_v2, 0, at(&(uint64_t){ A }), at(scrap), 1);
	core_do(cuMemsetD8_v2, 0, A, 0, 1);
	is_int((long long)all_faults(), 0, "an address that is somebody else's now");
	core_do(cuMemFree_v2, 0, 0);
	core_do(cuStreamDestroy_v2, INVALID_HANDLE, 1);
	is_int((long long)all_faults(), 0, "nothing, and streams that have a name");
	core_do(cuMemAlloc, 0, at(&(uint32_t){ A }), 0xdead000000000010);
	is_state(LEAK_MEMORY, A + 15, LEAK_LIVE, "32 bits of an address and of a size");
	is_state(LEAK_MEMORY, A + 16, LEAK_UNKNOWN, "and no more");
	core_do(cuMemFree, 0, 0xdead000000000000 + A);
	is_int((long long)left(), 0, "and back");
}

/* The sizes of objects, by each form and width. */
static void sizes(void)
{
#define PLANE .Width = 8, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1
	static const CUDA_ARRAY_DESCRIPTOR flat = { PLANE };
	static const CUDA_ARRAY_DESCRIPTOR_v1 old = { PLANE };
	static const CUDA_ARRAY3D_DESCRIPTOR deep = { PLANE, .Depth = 2 };
	static const CUDA_ARRAY3D_DESCRIPTOR_v1 old_deep = { PLANE, .Depth = 2 };
	static const CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer = { .size = 77 };
	static const CUmulticastObjectProp multicast = { .size = 88 };
	static const uint64_t wide = 0x100000200, high = 0xabcdef0000000000;
	uint64_t handle = 0x10000;
	const struct {
		int id;
		uint64_t words[4], size;
	} rows[] = {
		{ CUAUDIT_ID_cuMemAlloc_v2, { at(&handle), wide }, wide },
		{ CUAUDIT_ID_cuMemAlloc, { at(&handle), high + 99 }, 99 },
		{ CUAUDIT_ID_cuMemAllocHost, { at(&handle), high + 99 }, 99 },
		{ CUAUDIT_ID_cuMemHostRegister_v2, { handle, 98 }, 98 },
		{ CUAUDIT_ID_cuMemCreate, { at(&handle), wide }, wide },
		{ CUAUDIT_ID_cuMemAllocPitch_v2, { at(&handle), at(&wide), 1, 3 }, 3 * wide },
		{ CUAUDIT_ID_cuMemAllocPitch, { at(&handle), at(&wide), 1, high + 3 }, 0x600 },
		{ CUAUDIT_ID_cuModuleGetGlobal_v2, { at(&handle), at(&wide) }, wide },
		{ CUAUDIT_ID_cuModuleGetGlobal, { at(&handle), at(&wide) }, 0x200 },
		{ CUAUDIT_ID_cuArrayCreate_v2, { at(&handle), at(&flat) }, 128 },
		{ CUAUDIT_ID_cuArrayCreate, { at(&handle), at(&old) }, 128 },
		{ CUAUDIT_ID_cuArray3DCreate_v2, { at(&handle), at(&deep) }, 256 },
		{ CUAUDIT_ID_cuArray3DCreate, { at(&handle), at(&old_deep) }, 256 },
		{ CUAUDIT_ID_cuMipmappedArrayCreate, { at(&handle), at(&deep), 2 }, 256 + 32 },
		{ CUAUDIT_ID_cuExternalMemoryGetMappedBuffer, { at(&handle), 1, at(&buffer) }, 77 },
		{ CUAUDIT_ID_cuMulticastCreate, { at(&handle), at(&multicast) }, 88 },
		{ CUAUDIT_ID_cuStreamCreate, { at(&handle), 5 }, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cuaudit_function *function = core_function(rows[i].id);
		uint64_t words[CORE_WORDS] = { 0 };
		const struct cuaudit_call call = { .function = function, .words = words };

		memcpy(words, rows[i].words, sizeof(rows[i].words));
		is_int((long long)leak_rule_size(&call, leak_rule(function)), (long long)rows[i].size,
		       "bytes of %s", function->name);
	}
}

/* In the driver, just after it took the handle: somebody is given the same. */
static void reused(struct core_call *call)
{
	GIVE(cuStreamCreate, call->words[0], 0);
}

/* One place uses what two places made. */
static void apart(void)
{
	enum { A = 0x10000, B = 0x20000 };
	const struct leak_fault *fault;

	anew();
	GIVE(cuStreamCreate, A, 0);
	GIVE(cuStreamCreateWithPriority, B, 0, 0);
	core_do(cuStreamDestroy_v2, 0, A);
	core_do(cuStreamDestroy_v2, 0, B);
	for (int i = 0; i < 3; i++) {
		core_do(cuStreamQuery, INVALID_HANDLE, A);
		core_do(cuStreamQuery, INVALID_HANDLE, B);
	}
	for (uint32_t i = 0; i < 2; i++) {
		fault = leak_fault_get(i);
		ok(fault && fault->count == 3 && fault->allocated.caller ==
		   (const void *)(uintptr_t)(16 + (i ? CUAUDIT_ID_cuStreamCreateWithPriority :
					    CUAUDIT_ID_cuStreamCreate)),
		   "a use of what is gone, by where it was made");
	}
	ok(!leak_fault_get(2), "... and no other");
}

/* ... and its context ends; another object takes the room of one that has ended. */
static void reused_and_gone(struct core_call *call)
{
	GIVE(cuStreamCreate, call->words[0], 0);
	core_do(cuCtxDestroy_v2, 0, 0x1000);
	core_context = 0;
	GIVE(cuEventCreate, 0x20000, 0);
}

/* The driver's answer comes when the handle, its context and what it was are gone. */
static void overtaken(void)
{
	enum { ONE = 0x1000, A = 0x10000, B = 0x20000 };

	anew();
	GIVE(cuCtxCreate_v2, ONE, 0, 0);
	core_context = ONE;
	GIVE(cuStreamCreate, A, 0);
	core_run(&(struct core_call){ .id = CUAUDIT_ID_cuStreamDestroy_v2, .words = { A },
				      .result = INVALID_HANDLE, .driver = reused_and_gone });
	is_int((long long)left(), 1, "an end that failed behind its context's: one event is left");
	core_do(cuEventDestroy_v2, 0, B);
	is_state(LEAK_EVENT, B, LEAK_DEAD, "which ends when it is destroyed");
	is_int((long long)left(), 0, "nothing is left");
}

static void again(void)
{
	enum { A = 0x10000, ONE = 0x1000 };

	anew();
	GIVE(cuStreamCreate, A, 0);
	core_run(&(struct core_call){ .id = CUAUDIT_ID_cuStreamDestroy_v2, .words = { A },
				      .driver = reused });
	is_state(LEAK_STREAM, A, LEAK_LIVE, "a handle that came back before its end was seen");
	is_int((long long)left(), 1, "is one object");
	is_int((long long)(leak_counts.allocated - leak_counts.freed), 1, "by the counts, too");
	is_int((long long)leak_counts.unseen, 0, "and nothing was missed");
	GIVE(cuStreamCreate, A, 0);
	is_int((long long)leak_counts.unseen, 1, "without an end, one was");
	is_int((long long)left(), 1, "and it is one");
	GIVE(cuMemAlloc_v2, 0x40000, 0x1000);
	GIVE(cuMemAlloc_v2, 0x50000, 0x1000);
	core_do(cuMemFree_v2, 0, 0x40000);
	core_do(cuMemFree_v2, 0, 0x50000);
	GIVE(cuMemAlloc_v2, 0x3f000, 0x20000);
	core_do(cuMemsetD8_v2, 0, 0x40000, 0, 1);
	core_do(cuMemsetD8_v2, 0, 0x50800, 0, 1);
	is_int((long long)all_faults(), 0, "larger memory where dead ones were");
}

enum { EVENTS = 40000 };

static void forgotten(void)
{
	anew();
	for (uint64_t i = 1; i <= EVENTS; i++) {
		GIVE(cuEventCreate, i * 64, 0);
		core_do(cuEventDestroy_v2, 0, i * 64);
	}
	is_state(LEAK_EVENT, EVENTS * 64, LEAK_DEAD, "the last of many dead is remembered");
	is_state(LEAK_EVENT, 64, LEAK_UNKNOWN, "the first is not");
	is_int((long long)left(), 0, "nothing is left");
}

enum { CELLS = 512, STEPS = 60000, CELL = 64 };

/* Memory at random, beside a map of all addresses. */
static void ranges(void)
{
	static uint8_t map[CELLS];	/* 0 unknown, else the state */
	static uint16_t first[CELLS];
	uint32_t random = 1;
	int wrong = 0;

	anew();
	memset(map, LEAK_UNKNOWN, sizeof(map));
	for (int step = 0; step < STEPS; step++) {
		uint32_t cell, size;

		random = random * 1664525 + 1013904223;
		cell = random >> 8 & (CELLS - 1);
		size = 1 + (random >> 20) % 16;
		if (leak_state(LEAK_MEMORY, (CELLS + cell) * CELL + 3) != map[cell])
			wrong++;
		if (map[cell] == LEAK_LIVE) {
			cell = first[cell];
			core_do(cuMemFree_v2, 0, (CELLS + cell) * CELL);
			for (uint32_t i = cell; i < CELLS && map[i] == LEAK_LIVE && first[i] == cell; i++)
				map[i] = LEAK_DEAD;
			continue;
		}
		for (uint32_t i = 0; i < size; i++)
			if (cell + i >= CELLS || map[cell + i] == LEAK_LIVE)
				size = i;
		/* A dead one goes as a whole when a part of it is used again. */
		for (uint32_t k = cell; k < cell + size; k++)
			for (uint32_t i = 0, whose = first[k]; map[k] == LEAK_DEAD && i < CELLS; i++)
				if (i != k && map[i] == LEAK_DEAD && first[i] == whose)
					map[i] = LEAK_UNKNOWN;
		for (uint32_t i = cell; i < cell + size; i++) {
			map[i] = LEAK_LIVE;
			first[i] = (uint16_t)cell;
		}
		GIVE(cuMemAlloc_v2, (CELLS + cell) * CELL, size * CELL);
	}
	is_int(wrong, 0, "%d steps at random, as a map of all addresses says", STEPS);
	is_int((long long)all_faults(), 0, "no error");
}

enum { THREADS = 16, ROUNDS = 3000, HANDLES = THREADS * 8 };

/* The driver's handles: the last that came back goes out first. */
static struct {
	pthread_mutex_t lock;
	uint64_t handles[HANDLES];
	int count;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t pool_take(void)
{
	uint64_t handle;

	pthread_mutex_lock(&pool.lock);
	handle = pool.handles[--pool.count];
	pthread_mutex_unlock(&pool.lock);
	return handle;
}

static void pool_give(uint64_t handle)
{
	pthread_mutex_lock(&pool.lock);
	pool.handles[pool.count++] = handle;
	pthread_mutex_unlock(&pool.lock);
}

static void driver_gives(struct core_call *call)
{
	*(uint64_t *)(uintptr_t)call->words[0] = pool_take();
}

static void driver_takes(struct core_call *call)
{
	pool_give(call->words[0]);
	sched_yield();
}

static __thread uint64_t inside[3];

static void driver_takes_all(struct core_call *call)
{
	for (int i = 0; i < 3; i++)
		pool_give(inside[i]);
	pool_give(call->words[0]);
	sched_yield();
}

static uint64_t given(int id, uint64_t size)
{
	uint64_t handle = 0;

	core_run(&(struct core_call){ .id = id, .words = { at(&handle), size },
				      .driver = driver_gives });
	return handle;
}

static void taken(int id, uint64_t handle)
{
	core_run(&(struct core_call){ .id = id, .words = { handle }, .driver = driver_takes });
}

static void *work(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t context = given(CUAUDIT_ID_cuCtxCreate_v2, 0);
		uint64_t event, memory;

		core_context = context;
		inside[0] = given(CUAUDIT_ID_cuStreamCreate, 0);
		inside[1] = given(CUAUDIT_ID_cuEventCreate, 0);
		inside[2] = given(CUAUDIT_ID_cuMemAlloc_v2, 64);
		core_do(cuEventRecord, 0, inside[1], inside[0]);
		core_do(cuMemsetD8Async, 0, inside[2] + 10, 0, 1, inside[0]);
		core_run(&(struct core_call){ .id = CUAUDIT_ID_cuCtxDestroy_v2, .words = { context },
					      .driver = driver_takes_all });
		core_context = 0;
		event = given(CUAUDIT_ID_cuEventCreate, 0);
		memory = given(CUAUDIT_ID_cuMemAlloc_v2, 64);
		core_do(cuMemsetD8_v2, 0, memory + 63, 0, 1);
		core_do(cuEventQuery, 0, event);
		taken(CUAUDIT_ID_cuEventDestroy_v2, event);
		taken(CUAUDIT_ID_cuMemFree_v2, memory);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t all[THREADS];

	anew();
	for (pool.count = 0; pool.count < HANDLES; pool.count++)
		pool.handles[pool.count] = 0x10000 + 64 * (uint64_t)pool.count;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	is_int((long long)leak_counts.allocated, THREADS * ROUNDS * 6ll, "%d threads: all allocations", THREADS);
	is_int((long long)leak_counts.freed, THREADS * ROUNDS * 6ll, "all frees");
	is_int((long long)left(), 0, "nothing is left");
	is_int((long long)leak_counts.unseen, 0, "nothing was missed");
	is_int((long long)all_faults(), 0, "no error");
}

static void child(void)
{
	enum { A = 0x10000 };
	int status = 0;

	anew();
	GIVE(cuStreamCreate, A, 0);
	if (!fork()) {
		leak_module.forked();
		core_do(cuStreamDestroy_v2, 3, A);
		_exit((int)(left() + all_faults()));
	}
	wait(&status);
	is_int(status, 0, "a child begins with nothing");
	is_int((long long)left(), 1, "and leaves the parent's alone");
}

enum { JUMPS = 500 };

static sigjmp_buf out;

static void jump(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

/* A handler leaves calls by longjmp wherever it finds them. */
static void leave_calls(void)
{
	const struct itimerval timer = { { 0, 200 }, { 0, 200 } }, off = { { 0, 0 }, { 0, 0 } };
	volatile int jumps = -1;

	signal(SIGALRM, jump);
	sigsetjmp(out, 1);
	if (++jumps == 0)
		setitimer(ITIMER_REAL, &timer, NULL);
	while (jumps < JUMPS) {
		GIVE(cuEventCreate, 0x10000, 0);
		GIVE(cuMemAlloc_v2, 0x20000, 64);
		core_do(cuMemFree_v2, 0, 0x20000);
		core_do(cuEventDestroy_v2, 0, 0x10000);
	}
	/* Nobody is left to interrupt a wait. */
	setitimer(ITIMER_REAL, &off, NULL);
	GIVE(cuEventCreate, 0x10000, 0);
	_exit(0);
}

static void jumps(void)
{
	const struct timespec patience = { 20, 0 };
	int status = -1, child;
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	anew();
	child = fork();
	if (!child)
		leave_calls();
	if (sigtimedwait(&ended, NULL, &patience) < 0)
		kill(child, SIGKILL);
	wait(&status);
	is_int(status, 0, "calls left by longjmp, %d times: nobody waits for ever", JUMPS);
	sigprocmask(SIG_UNBLOCK, &ended, NULL);
}

static void ends(void)
{
	core_end = -1;
	leak_module.finish();
	is_int(core_end, -1, "no status is asked for");
}

int main(void)
{
	is_int(core_start(&leak_module, ""), 0, "starts");
	every_row();
	every_use();
	contexts();
	primary();
	claims();
	graphs();
	code();
	mappings();
	physical();
	host_pools();
	shown();
	sizes();
	again();
	apart();
	overtaken();
	forgotten();
	ranges();
	threads();
	child();
	jumps();
	ends();
	return done_testing();
}
