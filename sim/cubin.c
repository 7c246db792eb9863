/* SPDX-License-Identifier: Apache-2.0 */
/* Finds kernels, their parameters and variables in a cubin, which is an ELF file. */
#include "sim/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	MACHINE_CUDA = 190,
	ENTRY = 0x10,		/* in st_other: a kernel, not a device function */
	FORMAT_SIZED = 4,
	KPARAM_INFO = 0x17,
	RESERVED = 1024		/* bytes at the start of shared memory */
};

struct cubin {
	const char *data;
	size_t size;
	const Elf64_Shdr *sections;
	unsigned int nsections;
	const char *names;
};

bool cubin_is(const char *data, size_t size)
{
	/* Text may be shorter than that, and ends with a zero. */
	return size >= sizeof(Elf64_Ehdr) && !strncmp(data, ELFMAG, SELFMAG);
}

static bool inside(const struct cubin *c, size_t offset, size_t size)
{
	return offset <= c->size && size <= c->size - offset;
}

static bool open_cubin(const char *data, size_t size, struct cubin *c)
{
	const Elf64_Ehdr *header = (const void *)data;

	*c = (struct cubin){ .data = data, .size = size };
	if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_machine != MACHINE_CUDA ||
	    header->e_shentsize != sizeof(Elf64_Shdr) ||
	    header->e_shstrndx >= header->e_shnum ||
	    !inside(c, header->e_shoff,
		    (size_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return false;
	c->sections = (const void *)(data + header->e_shoff);
	c->nsections = header->e_shnum;
	for (unsigned int i = 0; i < c->nsections; i++)
		if (c->sections[i].sh_type != SHT_NOBITS &&
		    !inside(c, c->sections[i].sh_offset,
			    c->sections[i].sh_size))
			return false;
	c->names = data + c->sections[header->e_shstrndx].sh_offset;
	return true;
}

/* The section called prefix followed by name. */
static const Elf64_Shdr *section(const struct cubin *c, const char *prefix,
				 const char *name)
{
	size_t length = strlen(prefix);

	for (unsigned int i = 0; i < c->nsections; i++) {
		const char *is = c->names + c->sections[i].sh_name;

		if (!strncmp(is, prefix, length) && !strcmp(is + length, name))
			return c->sections + i;
	}
	return NULL;
}

static uint32_t word(const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* The records come last parameter first, or in any order. */
static CUresult parameter(struct image_function *function, const char *value)
{
	unsigned int ordinal = word(value + 4) & 0xffff;
	struct image_param *param;

	while (function->nparams <= ordinal)
		if (!image_param(function))
			return CUDA_ERROR_OUT_OF_MEMORY;
	param = function->params + ordinal;
	param->offset = word(value + 4) >> 16;
	param->size = word(value + 8) >> 18;
	return CUDA_SUCCESS;
}

static CUresult parameters(const struct cubin *c, const Elf64_Shdr *info,
			   struct image_function *function)
{
	const char *at = c->data + info->sh_offset;
	const char *end = at + info->sh_size;
	CUresult rc = CUDA_SUCCESS;

	while (!rc && end - at >= 4) {
		unsigned int sized = at[0] == FORMAT_SIZED;
		size_t size = sized ? word(at) >> 16 : 0;

		if ((size_t)(end - at) < 4 + size)
			return CUDA_ERROR_INVALID_IMAGE;
		if (sized && at[1] == KPARAM_INFO && size == 12)
			rc = parameter(function, at + 4);
		at += 4 + size;
	}
	return rc;
}

static CUresult kernel(const struct cubin *c, const char *name,
		       struct image *image)
{
	struct image_function *function;
	const Elf64_Shdr *s;

	if (!section(c, ".text.", name))
		return CUDA_SUCCESS;
	function = image_function(image, name, strlen(name));
	if (!function)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s = section(c, ".nv.shared.", name);
	if (s)
		function->shared = s->sh_size;
	if (section(c, ".nv.shared.reserved.0", "") &&
	    function->shared >= RESERVED)
		function->shared -= RESERVED;
	s = section(c, ".nv.info.", name);
	return s ? parameters(c, s, function) : CUDA_SUCCESS;
}

static CUresult variable(const struct cubin *c, const char *name,
			 const Elf64_Sym *symbol, struct image *image)
{
	const Elf64_Shdr *s = c->sections + symbol->st_shndx;
	const char *in = c->names + s->sh_name;
	struct image_global *global;

	if (strncmp(in, ".nv.global", 10) && strncmp(in, ".nv.constant", 12))
		return CUDA_SUCCESS;
	global = image_global(image, name, strlen(name));
	if (!global)
		return CUDA_ERROR_OUT_OF_MEMORY;
	global->size = symbol->st_size;
	if (s->sh_type == SHT_NOBITS || symbol->st_value > s->sh_size ||
	    symbol->st_size > s->sh_size - symbol->st_value)
		return CUDA_SUCCESS;
	global->data = malloc(global->size + 1);
	if (!global->data)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(global->data, c->data + s->sh_offset + symbol->st_value,
	       global->size);
	return CUDA_SUCCESS;
}

CUresult cubin_read(const char *data, size_t size, struct image *image)
{
	const Elf64_Shdr *symtab, *strtab;
	CUresult rc = CUDA_SUCCESS;
	const Elf64_Sym *symbols;
	struct cubin c;

	if (!open_cubin(data, size, &c))
		return CUDA_ERROR_INVALID_IMAGE;
	symtab = section(&c, ".symtab", "");
	if (!symtab || symtab->sh_link >= c.nsections)
		return CUDA_ERROR_INVALID_IMAGE;
	strtab = c.sections + symtab->sh_link;
	symbols = (const void *)(data + symtab->sh_offset);
	for (size_t i = 0; !rc && i < symtab->sh_size / sizeof(*symbols); i++) {
		const Elf64_Sym *s = symbols + i;
		const char *name = data + strtab->sh_offset + s->st_name;

		if (s->st_name >= strtab->sh_size ||
		    s->st_shndx == SHN_UNDEF || s->st_shndx >= c.nsections)
			continue;
		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
		    s->st_other & ENTRY)
			rc = kernel(&c, name, image);
		else if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT)
			rc = variable(&c, name, s, image);
	}
	return rc;
}
