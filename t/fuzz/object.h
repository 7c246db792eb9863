/* SPDX-License-Identifier: Apache-2.0 */
/* ELF objects: read whole, damaged, and mapped as a loader maps them. */
#ifndef T_FUZZ_OBJECT_H
#define T_FUZZ_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

enum { AREAS = 12 };

/* A table in the file: of size bytes, in fields of width bytes. */
struct area {
	size_t offset, size;
	unsigned int width;
};

struct object {
	const char *path;
	unsigned char *good, *bytes;	/* the file; a copy to damage */
	size_t size;
	struct area areas[AREAS];
	unsigned int nareas;
};

void object_load(struct object *object, const char *path);

/* A fresh copy with a few fields, or bytes, changed. */
void object_damage(struct object *object);

/*
 * Maps the damaged copy. Whatever a loader would not have mapped is poisoned,
 * or without access. False where a loader refuses, or dies itself.
 * *whole: its dynamic section ends inside of it.
 */
bool object_map(const struct object *object, struct link_map *map, bool *whole);

/* The program headers in memory, as the kernel tells an executable's; NULL if they are not mapped. */
const ElfW(Phdr) *object_headers(const struct object *object, const struct link_map *map);

void object_unmap(void);

#endif
