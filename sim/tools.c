/* SPDX-License-Identifier: Apache-2.0 */
/* Export tables, where CUAUDIT_SIM_TOOLS asks for them; here, that by which runtimes report to tools. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "sim/tables.h"

enum { FLAGS = 1024, BYTES = 14 };

/* As a driver of 13.0 has it; nobody is told what is reported, as no tool is attached. */
struct tools {
	size_t size;
	void (*report)(uint64_t callback, void *report);
	void (*ask)(uint32_t **flags, size_t *count);
	void (*slots[3])(void);
	void (*ask_bytes)(uint8_t **bytes, size_t *count);
};

static uint32_t flags[FLAGS];
static uint8_t bytes[BYTES];

static void report(uint64_t callback, void *its)
{
	(void)callback;
	(void)its;
}

static void ask(uint32_t **to, size_t *count)
{
	*to = flags;
	*count = FLAGS;
}

static void ask_bytes(uint8_t **to, size_t *count)
{
	*to = bytes;
	*count = BYTES;
}

static void nothing(void)
{
}

static const struct tools tools = {
	sizeof(tools), report, ask, { nothing, nothing, nothing }, ask_bytes
};

/* Runtimes may ask before cuInit has read what else there is to be set. */
static bool wanted(void)
{
	const char *value = secure_getenv("CUAUDIT_SIM_TOOLS");

	return value && !strcmp(value, "1");
}

static void tell_runtime(void)
{
	static atomic_bool told;

	if (!atomic_exchange(&told, true))
		fprintf(stderr, "simulated driver: the CUDA runtime (cudart) wants an export table that is "
			"not here, and ends with error 500, cudaErrorSymbolNotFound; programs that use "
			"it need a GPU's driver: run them without -d sim or CUAUDIT_DRIVER=sim\n");
}

/* Runtimes that do not start close the driver, and read its tables at the exit all the same. */
static void stay(void)
{
	Dl_info its;

	if (dladdr(flags, &its))
		dlopen(its.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Of an id that is not known, what the real driver says. */
CUresult cuGetExportTable(const void **ppExportTable,
			  const CUuuid *pExportTableId)
{
	static const uint8_t id[sizeof(CUuuid)] = {
		0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74,
		0x93, 0xf2, 0x08, 0x00, 0x20, 0x0c, 0x0a, 0x66
	};
	const void *found = NULL;

	if (!ppExportTable || !pExportTableId)
		return CUDA_ERROR_INVALID_VALUE;
	if (wanted())
		found = memcmp(pExportTableId, id, sizeof(id)) ?
			tables_find((const uint8_t *)pExportTableId) : &tools;
	if (found)
		stay();
	*ppExportTable = found;
	if (!found && tables_is_interface((const uint8_t *)pExportTableId))
		tell_runtime();
	return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
