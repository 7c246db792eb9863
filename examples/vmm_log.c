/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes down what a program does with virtual memory: a line for each range
 * reserved, created, mapped, made accessible, and given back.
 *
 *     cc -shared -fPIC -o vmm_log.so vmm_log.c $(pkg-config --cflags --libs cuaudit)
 *     LD_AUDIT=libcuaudit.so CUAUDIT_HOOKS=./vmm_log.so ./app
 *
 * Hooks run inside driver calls, where nothing may be allocated or printed, so
 * they fill records, and the end of the process prints them.
 */
#include <cuaudit/api.h>
#include <cuaudit/hook.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

enum { RECORDS = 1 << 16 };

struct record {
	const struct cuaudit_function *function;
	uint64_t address, size, handle;
	int32_t result;
};

static struct record *records;
static _Atomic uint32_t used;

static uint64_t pointed_to(uint64_t word)
{
	return word ? *(const uint64_t *)word : 0;
}

/* After the call, so that what the driver answers is there. */
static void leave(struct cuaudit_call *call, void *data)
{
	uint32_t at = atomic_fetch_add_explicit(&used, 1, memory_order_relaxed);
	const uint64_t *words = call->words;
	struct record *record = &records[at];

	(void)data;
	if (at >= RECORDS)
		return;
	record->function = call->function;
	record->result = call->result;
	switch (call->function->id) {
	case CUAUDIT_ID_cuMemAddressReserve:
		record->address = call->result ? 0 : pointed_to(words[0]);
		record->size = words[1];
		break;
	case CUAUDIT_ID_cuMemCreate:
		record->handle = call->result ? 0 : pointed_to(words[0]);
		record->size = words[1];
		break;
	case CUAUDIT_ID_cuMemMap:
		record->address = words[0];
		record->size = words[1];
		record->handle = words[3];
		break;
	case CUAUDIT_ID_cuMemRelease:
		record->handle = words[0];
		break;
	default:
		record->address = words[0];
		record->size = words[1];
	}
}

static int init(const struct cuaudit_options *options)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.name = "vmm_log",
		.functions = "cuMemAddressReserve,cuMemCreate,cuMemMap,cuMemSetAccess,"
			     "cuMemUnmap,cuMemRelease,cuMemAddressFree",
		.exit = leave,
	};

	(void)options;
	records = cuaudit_pages(RECORDS * sizeof(*records));
	return records ? cuaudit_hook_add(&hook) : -ENOMEM;
}

static void finish(void)
{
	uint32_t count = used < RECORDS ? used : RECORDS;
	int fd = cuaudit_output(".vmm");
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct record *record = &records[i];

		fprintf(out, "%s", record->function->name);
		if (record->address)
			fprintf(out, " address %#" PRIx64, record->address);
		if (record->size)
			fprintf(out, " size %" PRIu64, record->size);
		if (record->handle)
			fprintf(out, " handle %#" PRIx64, record->handle);
		fprintf(out, record->result ? " error %d\n" : "\n", record->result);
	}
	if (used > RECORDS)
		fprintf(out, "%" PRIu32 " calls more\n", used - RECORDS);
	fclose(out);
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module),
	.abi = CUAUDIT_ABI,
	.name = "vmm_log",
	.summary = "what a program does with virtual memory",
	.init = init,
	.finish = finish,
};
