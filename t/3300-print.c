/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as text: values of each kind, pointers good and bad, before and after. */
#include <cuaudit/api.h>
#include <cuaudit/args.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "print/number.h"
#include "print/print.h"
#include "t/tap.h"
#include "util/text.h"

/* The process's memory, but for a page that is not there and what lies behind unknown. */
static char *hole;
static const char *unknown = (const char *)UINTPTR_MAX;
static unsigned int reads;

/* Like the kernel, it may read what no object of the program is. */
static __attribute__((no_sanitize("address")))
bool read_memory(const struct print_source *source, uint64_t address, void *to, size_t size)
{
	const volatile char *from = (const char *)(uintptr_t)address;

	(void)source;
	reads++;
	if (address < 4096 || from + size > unknown || (from + size > hole && from < hole + 4096))
		return false;
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = from[i];
	return true;
}

static struct numbers numbers;
static const struct print_source memory = { .read = read_memory, .numbers = &numbers };
static uint64_t words[32];
static struct print_call call;
static char text[4096];

static const char *printed(unsigned int flags)
{
	struct buffer buffer = { text, sizeof(text), 0 };

	call.flags = flags;
	print_call(&buffer, &call);
	buffer_end(&buffer);
	return text;
}

/* A call of a function, all words 0. */
#define CALL(symbol) \
	(memset(words, 0, sizeof(words)), \
	 call = (struct print_call){ .name = #symbol, .words = words, .source = &memory, \
				     .id = CUAUDIT_ID_##symbol }, \
	 (struct cuaudit_args_##symbol *)words)

/* What does not fit into any size is cut between values. */
static void cut_short(void)
{
	const char *whole = "CU_A|CU_B|0x30, {x = 17, y = \"\xc3\xa4\"}";
	char part[64];
	bool right = true;

	for (size_t size = 9; size < strlen(whole); size++) {
		struct buffer buffer = { part, size, 0 };
		size_t length;

		buffer_text(&buffer, whole);
		buffer_end(&buffer);
		length = text_cut(part, size);
		right &= length == strlen(part) && length < size && length > 3 &&
			 !strcmp(part + length - 3, "...") && !strncmp(part, whole, length - 3) &&
			 strchr("|,{", part[length - 4]);
	}
	ok(right, "a text that is cut ends behind a whole value");
	strcpy(part, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
	is_int((int)text_cut(part, 9), 7, "one long value");
	is_str(part, "\xc3\xa4\xc3\xa4...", "... behind a whole character");
}

/* As RFC 3629 has it, by length bytes, however many the point needs. */
static void encode(char *to, uint32_t point, int length)
{
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (int i = length - 1; i > 0; i--, point >>= 6)
		to[i] = (char)(0x80 | (point & 0x3f));
	to[0] = (char)(length == 1 ? point : first[length] | point);
}

/* Every point in every length: one of them is right, but for surrogates and what is none. */
static void points(void)
{
	static const uint32_t ends[] = { 0, 0x80, 0x800, 0x10000, 0x200000 };
	bool right = true;

	for (uint32_t point = 0; point < ends[4]; point++) {
		bool surrogate = point >= 0xd800 && point <= 0xdfff;

		for (int length = 1; length <= 4; length++) {
			bool shortest = point >= (length == 1 ? 0 : ends[length - 1]);
			char bytes[4];
			struct text_character character;

			if (point >= ends[length])
				continue;
			encode(bytes, point, length);
			character = text_next(bytes, (size_t)length);
			right &= character.valid == (shortest && !surrogate && point <= 0x10ffff);
			right &= !character.valid ||
				 (character.point == point && character.length == length);
			right &= length == 1 || !text_next(bytes, (size_t)length - 1).valid;
		}
	}
	ok(right, "UTF-8: shortest forms alone, no surrogates, nothing above U+10FFFF, nothing cut");
}

static uint64_t address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* "want" with %p in it, for the address. */
static void is_text(const char *want, const void *pointer, unsigned int flags, const char *name)
{
	char expected[4096];

	snprintf(expected, sizeof(expected), want, pointer);
	is_str(printed(flags), expected, "%s", name);
}

static void scalars(void)
{
	struct cuaudit_args_cuMemsetD2D8_v2 *set = CALL(cuMemsetD2D8_v2);

	set->dstDevice = 0x7f0000000000;
	set->dstPitch = 512;
	set->uc = 255;
	set->Width = 3;
	set->Height = UINT64_MAX;
	words[2] |= 0xabcdef00;
	is_str(printed(0), "cuMemsetD2D8_v2(dstDevice = 0x7f0000000000, dstPitch = 512, uc = 255, "
	       "Width = 3, Height = 18446744073709551615)", "numbers, and nothing above them");

	CALL(cuStreamCreateWithPriority)->priority = -5;
	is_str(printed(0), "cuStreamCreateWithPriority(phStream = NULL, flags = CU_STREAM_DEFAULT, "
	       "priority = -5)", "a negative one");

	CALL(cuTexRefSetMipmapLevelClamp)->minMipmapLevelClamp = 1.5f;
	((struct cuaudit_args_cuTexRefSetMipmapLevelClamp *)words)->maxMipmapLevelClamp = -0.0625f;
	is_str(printed(0), "cuTexRefSetMipmapLevelClamp(hTexRef = NULL, minMipmapLevelClamp = 1.5, "
	       "maxMipmapLevelClamp = -0.0625)", "floats");

	CALL(cuCtxSynchronize);
	is_str(printed(0), "cuCtxSynchronize()", "no parameter");
	is_str(printed(CUAUDIT_PRINT_AFTER), "cuCtxSynchronize() = CUDA_SUCCESS", "its result");
	call.result = 700;
	is_str(printed(CUAUDIT_PRINT_AFTER), "cuCtxSynchronize() = CUDA_ERROR_ILLEGAL_ADDRESS",
	       "an error");
	call.result = 12345;
	is_str(printed(CUAUDIT_PRINT_AFTER), "cuCtxSynchronize() = 12345", "an error nobody knows");
	call.id = -1;
	call.name = "cuNew";
	is_str(printed(0), "cuNew(...)", "a function nobody knows");
}

static void enumerations(void)
{
	CALL(cuCtxSetLimit)->limit = CU_LIMIT_MALLOC_HEAP_SIZE;
	is_str(printed(0), "cuCtxSetLimit(limit = CU_LIMIT_MALLOC_HEAP_SIZE, value = 0)",
	       "an enumerator");
	words[0] = 77;
	is_str(printed(0), "cuCtxSetLimit(limit = 77, value = 0)", "none");
	words[0] = 0xfffffffe;
	is_str(printed(0), "cuCtxSetLimit(limit = -2, value = 0)", "none below 0");

	CALL(cuCtxSetFlags)->flags = CU_CTX_MAP_HOST | CU_CTX_SCHED_YIELD;
	is_str(printed(0), "cuCtxSetFlags(flags = CU_CTX_SCHED_YIELD|CU_CTX_MAP_HOST)", "flags");
	words[0] = 0x10008;
	is_str(printed(0), "cuCtxSetFlags(flags = CU_CTX_MAP_HOST|0x10000)", "one of them unknown");
	words[0] = 0x30000;
	is_str(printed(0), "cuCtxSetFlags(flags = 0x30000)", "none known");
	words[0] = 7;
	is_str(printed(0), "cuCtxSetFlags(flags = CU_CTX_SCHED_MASK)", "several by one name");
	CALL(cuIpcOpenMemHandle_v2);
	is_str(strstr(printed(0), "Flags"), "Flags = 0)", "no bit, where 0 has no name");
	CALL(cuMemHostAlloc)->Flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED;
	is_str(strstr(printed(0), "Flags"),
	       "Flags = CU_MEMHOSTALLOC_PORTABLE|CU_MEMHOSTALLOC_WRITECOMBINED)", "macros");
	CALL(cuGraphInstantiateWithFlags)->flags = 0x8000000000000001;
	is_str(strstr(printed(0), "flags"), "flags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH"
	       "|0x8000000000000000)", "64 bits");
	CALL(cuStreamUpdateCaptureDependencies)->flags = CU_STREAM_SET_CAPTURE_DEPENDENCIES;
	is_str(strstr(printed(0), "flags"), "flags = CU_STREAM_SET_CAPTURE_DEPENDENCIES)",
	       "an enumeration that is no set of bits");
}

static void strings(void)
{
	char longer[200], *end = hole - 3;

	CALL(cuModuleLoad)->fname = "a \"file\"\\\n\t\r\x01\xc3";
	is_str(strstr(printed(0), "fname"), "fname = \"a \\\"file\\\"\\\\\\n\\t\\r\\x01\\xc3\")",
	       "what cannot be printed");
	memset(longer, 'x', sizeof(longer));
	for (int i = 63; i <= 65; i++) {
		char want[200];

		longer[i] = '\0';
		CALL(cuModuleLoad)->fname = longer;
		snprintf(want, sizeof(want), "fname = \"%.64s\"%s)", longer, i > 64 ? "..." : "");
		is_str(strstr(printed(0), "fname"), want, "%d characters", i);
		longer[i] = 'x';
	}
	memcpy(end, "abc", 3);
	CALL(cuModuleLoad)->fname = end;
	is_str(strstr(printed(0), "fname"), "fname = \"abc\"...)", "one that runs into nowhere");
	memcpy(end, "ab", 3);
	is_str(strstr(printed(0), "fname"), "fname = \"ab\")", "one that ends just before it");
	strcpy(longer, "known");
	unknown = longer + 6;
	CALL(cuModuleLoad)->fname = longer;
	is_str(strstr(printed(0), "fname"), "fname = \"known\")", "one that is known just to its end");
	unknown = longer + 4;
	is_str(strstr(printed(0), "fname"), "fname = \"know\"...)", "one that is known to its middle");
	unknown = (const char *)UINTPTR_MAX;
	CALL(cuModuleLoad)->fname = hole;
	is_text("cuModuleLoad(module = NULL, fname = %p)", hole, 0, "one that is not there");
	CALL(cuModuleLoad)->fname = NULL;
	is_str(printed(0), "cuModuleLoad(module = NULL, fname = NULL)", "none");
	CALL(cuModuleLoad)->fname = "";
	is_str(printed(0), "cuModuleLoad(module = NULL, fname = \"\")", "an empty one");

	memset(longer, 'g', sizeof(longer));
	CALL(cuDeviceGetName)->name = longer;
	((struct cuaudit_args_cuDeviceGetName *)words)->len = sizeof(longer);
	is_text("cuDeviceGetName(name = %p, len = 200, dev = 0)", longer, 0, "an output before");
	strcpy(longer, "a GPU");
	is_str(printed(CUAUDIT_PRINT_AFTER),
	       "cuDeviceGetName(name = \"a GPU\", len = 200, dev = 0) = CUDA_SUCCESS", "and after");
}

static void outputs(void)
{
	struct cuaudit_args_cuGetErrorString *error;
	const char *string = "a text";
	CUdeviceptr pointer = 0xd000;
	CUstream stream = (CUstream)0x1234;

	CALL(cuMemAlloc_v2)->dptr = &pointer;
	((struct cuaudit_args_cuMemAlloc_v2 *)words)->bytesize = 16;
	reads = 0;
	is_text("cuMemAlloc_v2(dptr = %p, bytesize = 16)", &pointer, 0, "before the call");
	is_int(reads, 0, "nothing is read");
	is_str(printed(CUAUDIT_PRINT_AFTER),
	       "cuMemAlloc_v2(dptr = [0xd000], bytesize = 16) = CUDA_SUCCESS", "after it");
	call.result = 2;
	reads = 0;
	is_text("cuMemAlloc_v2(dptr = %p, bytesize = 16) = CUDA_ERROR_OUT_OF_MEMORY", &pointer,
		CUAUDIT_PRINT_AFTER, "after it failed");
	is_int(reads, 0, "nothing is read");

	CALL(cuModuleLoad)->fname = "name";
	call.result = 301;
	is_text("cuModuleLoad(module = NULL, fname = \"name\") = CUDA_ERROR_FILE_NOT_FOUND",
		NULL, CUAUDIT_PRINT_AFTER, "but what went in");

	error = CALL(cuGetErrorString);
	error->error = CUDA_ERROR_NOT_READY;
	error->pStr = &string;
	is_str(printed(CUAUDIT_PRINT_AFTER), "cuGetErrorString(error = CUDA_ERROR_NOT_READY, "
	       "pStr = [\"a text\"]) = CUDA_SUCCESS", "a string that comes out");

	CALL(cuStreamCreate)->phStream = &stream;
	is_str(printed(CUAUDIT_PRINT_AFTER), "cuStreamCreate(phStream = [stream#1], "
	       "Flags = CU_STREAM_DEFAULT) = CUDA_SUCCESS", "a handle that comes out");

	CALL(cuMemcpyHtoDAsync_v2)->srcHost = string;
	reads = 0;
	is_text("cuMemcpyHtoDAsync_v2(dstDevice = NULL, srcHost = %p, ByteCount = 0, "
		"hStream = NULL) = CUDA_SUCCESS", string, CUAUDIT_PRINT_AFTER, "an address");
	is_int(reads, 0, "is never read through");
	CALL(cuMemcpyHtoD_v2)->srcHost = string;
	is_text("cuMemcpyHtoD_v2(dstDevice = NULL, srcHost = %p, ByteCount = 0) = CUDA_SUCCESS",
		string, CUAUDIT_PRINT_AFTER, "nor are bytes");
	is_int(reads, 0, "which nobody prints");
}

static void handles(void)
{
	struct cuaudit_args_cuStreamWaitEvent *wait = CALL(cuStreamWaitEvent);

	wait->hStream = (CUstream)0x1234;
	wait->hEvent = (CUevent)0x1234;
	is_str(printed(0), "cuStreamWaitEvent(hStream = stream#1, hEvent = event#1, "
	       "Flags = CU_EVENT_WAIT_DEFAULT)", "the number of before, another kind's own");
	wait->hStream = (CUstream)0x5678;
	is_str(printed(0), "cuStreamWaitEvent(hStream = stream#2, hEvent = event#1, "
	       "Flags = CU_EVENT_WAIT_DEFAULT)", "the next one");
	is_str(printed(CUAUDIT_PRINT_RAW), "cuStreamWaitEvent(hStream = 0x5678, hEvent = 0x1234, "
	       "Flags = CU_EVENT_WAIT_DEFAULT)", "as values");
	wait->hStream = CU_STREAM_LEGACY;
	wait->hEvent = NULL;
	is_str(printed(0), "cuStreamWaitEvent(hStream = CU_STREAM_LEGACY, hEvent = NULL, "
	       "Flags = CU_EVENT_WAIT_DEFAULT)", "the default streams");
	wait->hStream = CU_STREAM_PER_THREAD;
	is_str(printed(0), "cuStreamWaitEvent(hStream = CU_STREAM_PER_THREAD, hEvent = NULL, "
	       "Flags = CU_EVENT_WAIT_DEFAULT)", "both of them");

	CALL(cuMemcpyDtoD_v2)->dstDevice = 0x7f0000001000;
	((struct cuaudit_args_cuMemcpyDtoD_v2 *)words)->srcDevice = 0x7f0000002000;
	is_str(printed(CUAUDIT_PRINT_STABLE), "cuMemcpyDtoD_v2(dstDevice = address#1, "
	       "srcDevice = address#2, ByteCount = 0)", "addresses, where that is asked for");
	CALL(cuMemFree_v2)->dptr = 0x7f0000002000;
	is_str(printed(CUAUDIT_PRINT_STABLE), "cuMemFree_v2(dptr = address#2)", "the same again");
	is_int(number_of(&numbers, 1, UINT64_MAX), 0, "no number for what is no address");
	for (uint64_t i = 1; i < 2 * NUMBER_SLOTS; i++)
		number_of(&numbers, 1, i << 4);
	is_int(number_of(&numbers, 1, 0xabcdef1), 0, "none when the table is full");
	CALL(cuMemFree_v2)->dptr = 0x7f0000002000;
	is_str(printed(CUAUDIT_PRINT_STABLE), "cuMemFree_v2(dptr = address#2)", "old ones stay");
}

static struct numbers shared;

enum { THREADS = 4, HANDLES = 2000 };

static void *number_all(void *data)
{
	uint32_t *found = data;

	for (uint32_t i = 0; i < HANDLES; i++)
		found[i] = number_of(&shared, 1, 0x1000 + 16 * (uint64_t)(i * 7 % HANDLES));
	return NULL;
}

/* Threads that number the same handles at once. */
static void crowd(void)
{
	static uint32_t found[THREADS][HANDLES];
	pthread_t threads[THREADS];
	static bool seen[THREADS * HANDLES + 1];
	int bad = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, number_all, found[i]))
			bail_out("no threads");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < HANDLES; i++) {
		for (int thread = 1; thread < THREADS; thread++)
			bad += found[thread][i] != found[0][i];
		if (!found[0][i] || found[0][i] > THREADS * HANDLES || seen[found[0][i]])
			bad++;
		else
			seen[found[0][i]] = true;
	}
	is_int(bad, 0, "threads find the same numbers, one for each handle");
}

static void arrays(void)
{
	struct cuaudit_args_cuMemRangeGetAttributes *range = CALL(cuMemRangeGetAttributes);
	struct cuaudit_args_cuGraphGetNodes *get;
	CUmem_range_attribute attributes[20] = { CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
		CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY };
	size_t sizes[20] = { 4, 8 }, n = 2;
	CUgraphNode nodes[2] = { NULL, NULL };
	void *data[20] = { NULL };

	range->attributes = attributes;
	range->dataSizes = sizes;
	range->data = data;
	range->numAttributes = 2;
	is_str(printed(0), "cuMemRangeGetAttributes(data = [NULL, NULL], dataSizes = [4, 8], "
	       "attributes = [CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, "
	       "CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY], numAttributes = 2, devPtr = NULL, count = 0)",
	       "as many as the parameter says");
	range->numAttributes = 0;
	range->data = NULL;
	is_str(printed(0), "cuMemRangeGetAttributes(data = NULL, dataSizes = [], attributes = [], "
	       "numAttributes = 0, devPtr = NULL, count = 0)", "none, and no array");
	range->attributes = NULL;
	range->numAttributes = 20;
	is_str(strstr(printed(0), "8, 0"), "8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...], "
	       "attributes = NULL, numAttributes = 20, devPtr = NULL, count = 0)", "not too many");
	range->dataSizes = (size_t *)(void *)(hole - 16);
	((size_t *)(void *)hole)[-1] = 9;
	((size_t *)(void *)hole)[-2] = 7;
	ok(strstr(printed(0), "dataSizes = [7, 9, ...], ") != NULL, "as many as are there");
	range->dataSizes = (size_t *)(void *)hole;
	ok(!strstr(printed(0), "dataSizes = ["), "nothing where nothing is");

	get = CALL(cuGraphGetNodes);
	get->nodes = nodes;
	get->numNodes = &n;
	is_text("cuGraphGetNodes(hGraph = NULL, nodes = %p, numNodes = [2])", nodes, 0,
		"a length that goes in, an array that comes out");
	is_str(printed(CUAUDIT_PRINT_AFTER), "cuGraphGetNodes(hGraph = NULL, nodes = [NULL, NULL], "
	       "numNodes = [2]) = CUDA_SUCCESS", "as many as came out");
	n = 0;
	is_str(printed(CUAUDIT_PRINT_AFTER), "cuGraphGetNodes(hGraph = NULL, nodes = [], "
	       "numNodes = [0]) = CUDA_SUCCESS", "none came out");
	get->numNodes = (size_t *)(void *)hole;
	ok(!strstr(printed(CUAUDIT_PRINT_AFTER), "nodes = ["), "a length that is not there");
	get->nodes = NULL;
	get->numNodes = NULL;
	is_str(printed(CUAUDIT_PRINT_AFTER), "cuGraphGetNodes(hGraph = NULL, nodes = NULL, "
	       "numNodes = NULL) = CUDA_SUCCESS", "neither is there");
}

static void structures(void)
{
	struct cuaudit_args_cuLaunchKernel *launch = CALL(cuLaunchKernel);
	struct cuaudit_args_cuLaunchKernelEx *launch_ex;
	struct cuaudit_args_cuMemAdvise_v2 *advise;
	CUlaunchAttribute attributes[2] = { 0 };
	CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 2, .gridDimZ = 3, .blockDimX = 4,
		.blockDimY = 5, .blockDimZ = 6, .attrs = attributes, .numAttrs = 2 };
	CUstreamBatchMemOpParams op = { 0 };
	CUuuid uuid = { { 1, 2, 3, (char)0xff } };
	CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_LINEAR };

	launch->gridDimX = 7;
	launch->gridDimY = 8;
	launch->gridDimZ = 9;
	launch->blockDimX = 1024;
	words[2] |= (uint64_t)1 << 40;
	is_str(printed(0), "cuLaunchKernel(f = NULL, gridDim = (7, 8, 9), blockDim = (1024, 0, 0), "
	       "sharedMemBytes = 0, hStream = NULL, kernelParams = NULL, extra = NULL)",
	       "dimensions");

	attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	attributes[0].value.clusterDim.x = 2;
	attributes[1].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
	attributes[1].value.priority = -1;
	launch_ex = CALL(cuLaunchKernelEx);
	launch_ex->config = &config;
	is_str(printed(0), "cuLaunchKernelEx(config = {gridDim = (1, 2, 3), blockDim = (4, 5, 6), "
	       "sharedMemBytes = 0, hStream = NULL, attrs = ["
	       "{id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value.clusterDim = (2, 0, 0), ...}, "
	       "{id = CU_LAUNCH_ATTRIBUTE_PRIORITY, value.priority = -1, ...}], numAttrs = 2}, "
	       "f = NULL, kernelParams = NULL, extra = NULL)", "one in another, with its unions");
	config.attrs = (CUlaunchAttribute *)(void *)hole;
	printed(0);
	ok(strstr(text, "attrs = 0x") != NULL, "a pointer in one that leads nowhere");
	launch_ex->config = (const CUlaunchConfig *)(const void *)(hole - 8);
	printed(0);
	ok(strstr(text, "config = 0x") != NULL, "one that is half there");

	advise = CALL(cuMemAdvise_v2);
	advise->advice = CU_MEM_ADVISE_SET_PREFERRED_LOCATION;
	advise->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	advise->location.id = 3;
	is_str(printed(0), "cuMemAdvise_v2(devPtr = NULL, count = 0, "
	       "advice = CU_MEM_ADVISE_SET_PREFERRED_LOCATION, "
	       "location = {type = CU_MEM_LOCATION_TYPE_DEVICE, id = 3})", "one by value");

	op.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
	op.waitValue.value64 = 1ull << 40;
	CALL(cuStreamBatchMemOp_v2)->paramArray = &op;
	((struct cuaudit_args_cuStreamBatchMemOp_v2 *)words)->count = 1;
	is_str(strstr(printed(0), "count"), "count = 1, paramArray = ["
	       "{operation = CU_STREAM_MEM_OP_WAIT_VALUE_64, "
	       "waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64, waitValue.address = NULL, "
	       "waitValue.value64 = 1099511627776, waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ, "
	       "waitValue.alias = NULL}], flags = 0)", "a union");

	CALL(cuGetExportTable)->pExportTableId = &uuid;
	is_str(strstr(printed(0), "pExportTableId"),
	       "pExportTableId = {bytes = 0x010203ff000000000000000000000000})", "bytes");

	resource.res.linear.devPtr = 0x1000;
	CALL(cuTexObjectCreate)->pResDesc = &resource;
	printed(0);
	ok(strstr(text, "pResDesc = {resType = CU_RESOURCE_TYPE_LINEAR, "
		  "res.linear.devPtr = 0x1000, ") != NULL, "the member of a union that holds");
	ok(!strstr(text, "pitch2D"), "and no other");
}

static void cut(void)
{
	char whole[200], small[200];
	struct buffer buffer = { whole, sizeof(whole), 0 };
	size_t length;

	CALL(cuMemFree_v2)->dptr = 0xabc;
	print_call(&buffer, &call);
	length = buffer_end(&buffer);
	is_int((long long)length, (long long)strlen(whole), "its length");
	for (size_t size = 0; size <= length + 1; size++) {
		memset(small, '#', sizeof(small));
		buffer = (struct buffer){ small, size, 0 };
		print_call(&buffer, &call);
		if (buffer_end(&buffer) != length || (size && strncmp(small, whole, size - 1)) ||
		    (size && small[size - 1]) || small[size] != '#')
			ok(false, "cut to %zu", size);
	}
	ok(true, "cut to every length");
}

static void reals(void)
{
	static const struct {
		double value;
		const char *want;
	} cases[] = {
		{ 0, "0" }, { -0.0, "-0" }, { 1, "1" }, { 10, "10" }, { 123456, "123456" },
		{ 1234567, "1.23457e6" }, { 999999.9, "1e6" }, { 0.5, "0.5" }, { 0.001, "0.001" },
		{ 0.00012345, "0.00012345" }, { 0.00001, "1e-5" }, { -2.25, "-2.25" },
		{ 1.0 / 3, "0.333333" }, { 1e300, "1e300" }, { __builtin_inf(), "inf" },
		{ -__builtin_inf(), "-inf" }, { __builtin_nan(""), "nan" }, { 100.25, "100.25" }
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer buffer = { text, sizeof(text), 0 };

		buffer_real(&buffer, cases[i].value);
		buffer_end(&buffer);
		is_str(text, cases[i].want, "%g", cases[i].value);
	}
}

static uint64_t patterned[512];

static bool read_patterned(const struct print_source *source, uint64_t at, void *to, size_t size)
{
	(void)source;
	if (at < address(patterned) || at + size > address(patterned + 512))
		return false;
	memcpy(to, (const void *)(uintptr_t)at, size);
	return true;
}

/* Every row, each pointer to the same bytes. */
static void rows(const char *path)
{
	static const char *const names[] = {
#define CUAPI(id, symbol, ...) #symbol,
#include <cuaudit/driver_api.def>
#undef CUAPI
	};
	static const struct print_source pattern = { .read = read_patterned, .numbers = &numbers };
	FILE *out = fopen(path, "w");

	for (uint64_t i = 0; i < 512; i++)
		patterned[i] = i % 2 ? 0x100000002 : 3 + i;
	memset(&numbers, 0, sizeof(numbers));
	for (int32_t id = 0; out && (size_t)id < sizeof(names) / sizeof(names[0]); id++) {
		struct print_param params[PRINT_PARAMS];

		call = (struct print_call){ .name = names[id], .words = words,
					    .source = &pattern, .id = id };
		for (uint32_t i = 0; i < 32; i++)
			words[i] = i + 1;
		for (uint32_t i = 0; i < print_params(id, params); i++)
			if (params[i].shape.how != PRINT_VALUE)
				words[params[i].word] = address(patterned);
		fprintf(out, "%s\n", printed(CUAUDIT_PRINT_AFTER | CUAUDIT_PRINT_STABLE));
	}
	ok(out && !fclose(out), "every row is printed");
}

/* By what the function is of; numbers mean something else to the runtime and to the driver. */
static void results(void)
{
	static const struct {
		const char *function, *name;
		int32_t result;
	} cases[] = {
		{ "cuMemAlloc_v2", "CUDA_ERROR_NOT_FOUND", 500 },
		{ "cudaMalloc", "cudaErrorSymbolNotFound", 500 },
		{ "__cudaRegisterFunction", "cudaErrorSymbolNotFound", 500 },
		{ "cudaMalloc", "cudaSuccess", 0 },
		{ "cudnnCreate", "CUDA_SUCCESS", 0 },
		{ "cudaGetDevice", "-7", -7 },
		{ "cuda", "CUDA_ERROR_NOT_FOUND", 500 },
		{ "", "CUDA_ERROR_NOT_FOUND", 500 },
		{ NULL, "CUDA_ERROR_NOT_FOUND", 500 },
	};
	char name[PRINT_RESULT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_str(print_result_text(name, cases[i].function, cases[i].result), cases[i].name, "%d of %s",
		   cases[i].result, cases[i].function ? cases[i].function : "nothing known");
}

int main(int argc, char **argv)
{
	char *pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		bail_out("no memory");
	hole = pages + 4096;
	mprotect(hole, 4096, PROT_NONE);
	scalars();
	enumerations();
	strings();
	outputs();
	handles();
	crowd();
	arrays();
	structures();
	reals();
	cut();
	cut_short();
	points();
	results();
	if (argc > 1)
		rows(argv[1]);
	return done_testing();
}
