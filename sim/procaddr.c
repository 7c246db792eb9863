/* SPDX-License-Identifier: Apache-2.0 */
/* cuGetProcAddress: functions by their base name, version and kind of default stream. */
#include "sim/sim.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum flavour { NONE, PTDS, PTSZ };

struct entry {
	const char *symbol;
	const char *base;
	void *function;
	int version;
	enum flavour flavour;
};

static struct entry entries[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) \
	{ #symbol, #base, (void *)symbol, version, flavour },
#include <cuaudit/driver_api.def>
#undef CUAPI
};

enum { ENTRIES = sizeof(entries) / sizeof(entries[0]) };

/* Declared by the headers, but not in the real driver of this version. */
static const char *const absent[] = {
	"cuEventCreateFromEGLSync",
	"cuWGLGetDevice",
};

static int compare(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;
	int order = strcmp(a->base, b->base);

	if (order)
		return order;
	if ((a->flavour != NONE) != (b->flavour != NONE))
		return a->flavour != NONE ? 1 : -1;
	return a->version < b->version ? -1 : a->version > b->version;
}

static void sort(void)
{
	for (size_t i = 0; i < ENTRIES; i++)
		for (size_t k = 0; k < sizeof(absent) / sizeof(absent[0]); k++)
			if (!strcmp(entries[i].symbol, absent[k]))
				entries[i].version = 0;
	qsort(entries, ENTRIES, sizeof(entries[0]), compare);
}

static int by_base(const void *name, const void *entry)
{
	return strcmp(name, ((const struct entry *)entry)->base);
}

/*
 * The newest form of base that version may see. A base with per-thread forms
 * has nothing else for those who ask for such a form.
 */
static void *choose(const char *base, int version, bool per_thread,
		    bool *known)
{
	struct entry *end = entries + ENTRIES, *best = NULL;
	struct entry *e = bsearch(base, entries, ENTRIES, sizeof(*e), by_base);
	struct entry *first, *last;

	*known = false;
	if (!e)
		return NULL;
	for (first = e; first > entries && !by_base(base, first - 1); first--)
		;
	for (last = e + 1; last < end && !by_base(base, last); last++)
		;
	per_thread = per_thread && last[-1].flavour != NONE;
	for (e = first; e < last; e++) {
		if ((e->flavour != NONE) != per_thread || !e->version)
			continue;
		*known = true;
		if (e->version <= version)
			best = e;
	}
	return best ? best->function : NULL;
}

static CUresult lookup(const char *symbol, void **pfn, int version,
		       cuuint64_t flags, bool *known)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!symbol || !pfn || version > SIM_VERSION || flags > 3)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_once(&once, sort);
	*pfn = choose(symbol, version, flags & 2, known);
	return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
			  cuuint64_t flags)
{
	void *found = NULL;
	CUresult rc;
	bool known;

	rc = lookup(symbol, pfn ? &found : NULL, cudaVersion, flags, &known);
	if (rc)
		return rc;
	if (!found)
		return CUDA_ERROR_NOT_FOUND;
	*pfn = found;
	return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
			     cuuint64_t flags,
			     CUdriverProcAddressQueryResult *symbolStatus)
{
	bool known;
	CUresult rc = lookup(symbol, pfn, cudaVersion, flags, &known);

	if (rc || !symbolStatus)
		return rc;
	*symbolStatus = *pfn ? CU_GET_PROC_ADDRESS_SUCCESS :
			known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT :
				CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return CUDA_SUCCESS;
}
