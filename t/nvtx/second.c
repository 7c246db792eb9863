/* SPDX-License-Identifier: Apache-2.0 */
/* The injection of another tool: counts what it gets, and gives handles of its own. */
#include <stdio.h>
#include <stdlib.h>

#include "nvtx/nvtx.h"

static int pushes, pops, starts, ends, marks, wrong;
static int domain, text;

static int push(const char *its)
{
	(void)its;
	return 100 + pushes++;
}

static int push_in(void *in, const struct nvtx_attributes *attributes)
{
	wrong += in != &domain || attributes->text != &text;
	return 100 + pushes++;
}

static int pop(void)
{
	return 200 + pops++;
}

static int pop_in(void *in)
{
	wrong += in != &domain;
	return 200 + pops++;
}

static uint64_t start(const char *its)
{
	(void)its;
	return (uint64_t)++starts;
}

static void end(uint64_t id)
{
	wrong += id == 0 || id > (uint64_t)starts;
	ends++;
}

static void mark(const wchar_t *its)
{
	(void)its;
	marks++;
}

static void *create(const char *name)
{
	(void)name;
	return &domain;
}

static void *register_text(void *in, const char *its)
{
	(void)its;
	wrong += in != &domain;
	return &text;
}

static int nothing(void)
{
	return 0;
}

static void report(void)
{
	printf("second: %d pushes, %d pops, %d starts, %d ends, %d marks, %d wrong\n", pushes, pops, starts,
	       ends, marks, wrong);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_table_fn table);

int InitializeInjectionNvtx2(nvtx_table_fn table)
{
	const struct nvtx_callbacks *callbacks = table(NVTX_CALLBACKS);
	nvtx_any_fn **core, **more;
	unsigned int size;

	if (getenv("SECOND_FAILS"))
		return 0;
	if (!callbacks->module(1, &core, &size) || !callbacks->module(5, &more, &size))
		return 0;
	for (int i = 1; i < 16; i++) {
		*core[i] = (nvtx_any_fn)nothing;
		*more[i] = (nvtx_any_fn)nothing;
	}
	*core[3] = (nvtx_any_fn)mark;
	*core[5] = (nvtx_any_fn)start;
	*core[7] = (nvtx_any_fn)end;
	*core[9] = (nvtx_any_fn)push;
	*core[11] = (nvtx_any_fn)pop;
	*more[4] = (nvtx_any_fn)push_in;
	*more[5] = (nvtx_any_fn)pop_in;
	*more[10] = (nvtx_any_fn)register_text;
	*more[12] = (nvtx_any_fn)create;
	atexit(report);
	return 1;
}
