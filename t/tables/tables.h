/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated driver's export tables, as programs of tests ask for them. */
#ifndef T_TABLES_TABLES_H
#define T_TABLES_TABLES_H

#include <stddef.h>
#include <stdint.h>

int cuGetExportTable(const void **table, const unsigned char uuid[16]);
int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);

static const unsigned char interface_uuid[16] = {
	0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9
};
static const unsigned char storage_uuid[16] = {
	0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95, 0x93
};
static const unsigned char check_uuid[16] = {
	0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba, 0x12, 0x3c, 0x66, 0xe1, 0xf2
};
static const unsigned char any_uuid[16] = { 0xca, 0xfe, 0, 1 };
static const unsigned char absurd_uuid[16] = { 0xca, 0xfe, 0, 2 };
static const unsigned char code_uuid[16] = { 0xca, 0xfe, 0, 3 };

struct interface {
	size_t size;
	int (*first)(void);
	int (*primary)(void **context, int device);
	uint64_t others[10];
};

struct storage {
	int (*put)(const void *key, void *value);
	int (*delete)(const void *key);
	int (*get)(void **value, const void *key);
	uint64_t end;
};

struct check {
	size_t size;
	uint64_t (*integrity)(uint64_t seed);
	uint64_t other;
};

enum { MANY = 20 };

struct large {
	uint64_t words[MANY];
};

struct mixed {
	double number;
	uint64_t word;
};

struct any {
	size_t size;
	double (*sum_doubles)(int count, ...);
	uint64_t (*sum_words)(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
			      uint64_t h, uint64_t i, uint64_t j);
	struct large (*fill)(struct large from, uint64_t more);
	struct mixed (*mix)(float number, uint64_t word);
	void (*call_back)(void (*back)(void *), void *data);
	int (*nothing)(void);
	uint64_t (*integrity)(uint64_t seed);
	int (*last)(void);
};

struct absurd {
	size_t size;
	int (*nothing)(void);
};

/* NULL: the driver has none. */
static inline const void *table_of(const unsigned char *uuid)
{
	const void *table = NULL;

	return cuGetExportTable(&table, uuid) ? NULL : table;
}

#endif
