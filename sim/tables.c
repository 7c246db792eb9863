/* SPDX-License-Identifier: Apache-2.0 */
/* Export tables as a driver's were measured, and one of functions of any kind. */
#include "sim/tables.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { UUID = 16, PAGE = 1 << 16, VALUES = 8, MANY = 20 };

typedef void (*any_fn)(void);

#define FUNCTION(name) (any_fn)(void *)(name)

/* Storage by a key, as a runtime keeps its state of a context. */
static struct {
	const void *key;
	void *value;
} values[VALUES];

static int put(const void *key, void *value)
{
	for (int i = 0; i < VALUES; i++)
		if (!values[i].key || values[i].key == key) {
			values[i].key = key;
			values[i].value = value;
			return 0;
		}
	return 2;
}

static int delete(const void *key)
{
	for (int i = 0; i < VALUES; i++)
		if (values[i].key == key)
			values[i].key = NULL;
	return 0;
}

static int get(void **value, const void *key)
{
	for (int i = 0; i < VALUES; i++)
		if (values[i].key == key) {
			*value = values[i].value;
			return 0;
		}
	return 400;
}

static const any_fn storage[] = { FUNCTION(put), FUNCTION(delete), FUNCTION(get), NULL };

static int nothing(void)
{
	return 0;
}

static int primary(void **context, int device)
{
	static char contexts[VALUES];

	if (device < 0 || device >= VALUES)
		return 101;
	*context = &contexts[device];
	return 0;
}

struct sized {
	size_t size;
	any_fn slots[];
};

static const struct sized interface = {
	13 * sizeof(any_fn), {
		FUNCTION(nothing), FUNCTION(primary), NULL, (any_fn)(uintptr_t)7, FUNCTION(nothing),
		FUNCTION(nothing), FUNCTION(nothing), FUNCTION(nothing), (any_fn)(void *)values,
		FUNCTION(nothing), FUNCTION(nothing), FUNCTION(nothing),
	}
};

/* Runtimes compute the same of what they were handed, and refuse to work where it differs. */
static uint64_t integrity(uint64_t seed);

static const struct sized check = {
	3 * sizeof(any_fn), { FUNCTION(integrity), FUNCTION(nothing) }
};

static uint64_t integrity(uint64_t seed)
{
	uint64_t words[] = {
		(uintptr_t)&interface, (uintptr_t)&check, (uintptr_t)check.slots[0],
		(uintptr_t)check.slots[1], check.size
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		seed = (seed ^ words[i]) * 0x100000001b3;
	return seed;
}

static double sum_doubles(int count, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, count);
	while (count--)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}

static uint64_t sum_words(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
			  uint64_t h, uint64_t i, uint64_t j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

struct large {
	uint64_t words[MANY];
};

static struct large fill(struct large from, uint64_t more)
{
	for (int i = 0; i < MANY; i++)
		from.words[i] += more;
	return from;
}

struct mixed {
	double number;
	uint64_t word;
};

static struct mixed mix(float number, uint64_t word)
{
	return (struct mixed){ (double)number * 2, word + 1 };
}

static void call_back(void (*back)(void *), void *data)
{
	back(data);
}

static int through_table(void);

/* In pages that are written to while they are used, too. */
static struct sized any = {
	9 * sizeof(any_fn), {
		FUNCTION(sum_doubles), FUNCTION(sum_words), FUNCTION(fill), FUNCTION(mix),
		FUNCTION(call_back), FUNCTION(nothing), FUNCTION(integrity), FUNCTION(through_table),
	}
};

/* The driver calls a function by its own table. */
static int through_table(void)
{
	int (*volatile function)(void) = (int (*)(void))any.slots[5];

	return function();
}

static const struct sized absurd = { 0x7fff1234, { FUNCTION(nothing) } };

/* A table in a page of code, NULL where the system has no such pages. */
static const void *executable(void)
{
	static const struct sized *made;
	struct sized *page;

	if (made)
		return made;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return NULL;
	page->size = 2 * sizeof(any_fn);
	page->slots[0] = FUNCTION(nothing);
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC)) {
		munmap(page, PAGE);
		return NULL;
	}
	made = page;
	return made;
}

static const uint8_t interface_uuid[UUID] = {
	0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9
};

bool tables_is_interface(const uint8_t *uuid)
{
	return !memcmp(uuid, interface_uuid, UUID);
}

const void *tables_find(const uint8_t *uuid)
{
	static const struct {
		uint8_t uuid[UUID];
		const void *table;
	} tables[] = {
		{ { 0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95, 0x93 },
		  storage },
		{ { 0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba, 0x12, 0x3c, 0x66, 0xe1, 0xf2 },
		  &check },
		{ { 0xca, 0xfe, 0, 1 }, &any },
		{ { 0xca, 0xfe, 0, 2 }, &absurd },
	};
	static const uint8_t code[UUID] = { 0xca, 0xfe, 0, 3 };

	if (tables_is_interface(uuid))
		return &interface;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!memcmp(tables[i].uuid, uuid, UUID))
			return tables[i].table;
	return memcmp(uuid, code, UUID) ? NULL : executable();
}
