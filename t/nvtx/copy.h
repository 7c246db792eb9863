/* SPDX-License-Identifier: Apache-2.0 */
/* What each library that uses NVTX 3 has of it: pointers to functions, which the injection of NVTX_INJECTION64_PATH may set. */
#ifndef T_NVTX_COPY_H
#define T_NVTX_COPY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t colour_type;
	uint32_t colour;
	int32_t payload_type, unused;
	union {
		uint64_t u;
		int64_t i;
		double d;
		uint32_t u32;
		int32_t i32;
		float f;
	} payload;
	int32_t text_type;
	const void *text;
};

struct nvtx_resource {
	uint16_t version, size;
	int32_t type;
	uint64_t id;
	int32_t text_type;
	const void *text;
};

enum { NVTX_EXTENSION };	/* no module: this copy has no extension */

/* The pointers, NULL where nobody follows. */
static struct {
#define CALLBACK(module, number, name, result, parameters, arguments) result (*name) parameters;
#include "nvtx/callbacks.def"
} nvtx;

typedef void (*copy_fn)(void);

/* What they are before the injection is asked: a pointer of this copy's own. */
static void copy_uninitialized(void)
{
	abort();
}

enum { COPY_MODULES = 8, COPY_FUNCTIONS = 20 };

static copy_fn *copy_tables[COPY_MODULES][COPY_FUNCTIONS];
static copy_fn copy_unused = copy_uninitialized;

static int copy_module(int number, copy_fn ***table, unsigned int *size)
{
	if (number <= 0 || number >= COPY_MODULES)
		return 0;
	*table = copy_tables[number];
	*size = number == 1 || number == 5 ? 16 : number == 2 ? 9 : 7;
	return 1;
}

static const void *copy_table(uint32_t number)
{
	static const struct {
		size_t size;
		int (*module)(int, copy_fn ***, unsigned int *);
	} callbacks = { sizeof(callbacks), copy_module };

	return number == 1 ? &callbacks : NULL;
}

/* The answer of the injection; -1: there is none. */
static inline int copy_initialize(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *handle = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*initialize)(const void *(*)(uint32_t)) =
		handle ? (int (*)(const void *(*)(uint32_t)))dlsym(handle, "InitializeInjectionNvtx2") : NULL;
	int answer;

	for (int i = 0; i < COPY_MODULES; i++)
		for (int j = 0; j < COPY_FUNCTIONS; j++)
			copy_tables[i][j] = &copy_unused;
#define CALLBACK(module, number, name, result, parameters, arguments) \
	copy_tables[module][number] = (copy_fn *)&nvtx.name; \
	*copy_tables[module][number] = copy_uninitialized;
#include "nvtx/callbacks.def"
	answer = initialize ? initialize(copy_table) : -1;
	if (answer == 0)
		dlclose(handle);
	for (int i = 0; i < COPY_MODULES; i++)
		for (int j = 0; j < COPY_FUNCTIONS; j++)
			if (answer <= 0 || *copy_tables[i][j] == copy_uninitialized)
				*copy_tables[i][j] = NULL;
	return answer;
}

static inline struct nvtx_attributes copy_text(const char *text)
{
	return (struct nvtx_attributes){ .version = 3, .size = 48, .text_type = 1, .text = text };
}

static inline int copy_push(const char *text)
{
	return nvtx.RangePushA ? nvtx.RangePushA(text) : -2;
}

static inline int copy_pop(void)
{
	return nvtx.RangePop ? nvtx.RangePop() : -2;
}

#endif
