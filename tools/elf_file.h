/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file as it lies on disk, safe to ask whatever it holds. */
#ifndef TOOLS_ELF_FILE_H
#define TOOLS_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct object {
	const char *data;	/* the file, mapped */
	size_t size;
};

/* 0 or -errno. An empty file has no data. */
int object_open(struct object *object, const char *path);
void object_close(struct object *object);

bool object_is_elf(const struct object *object);

/* Whether it is for the machine this is built for; what follows wants that. */
bool object_is_native(const struct object *object);

/* Whether its program headers lie in the file. */
bool object_is_whole(const struct object *object);

/* The loader it names; NULL if none. Belongs to the object. */
const char *object_loader(const struct object *object);

/* The text of a dynamic entry, DT_SONAME for one; NULL if there is none. */
const char *object_text(const struct object *object, Elf64_Sxword tag);

/* Whether the file holds the text anywhere. */
bool object_holds(const struct object *object, const char *text);

#endif
