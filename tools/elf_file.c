/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file as it is on disk, safe to ask whatever it holds. */
#include "tools/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#endif

int elf_file_open(struct elf_file *object, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
	struct stat status;
	void *data = NULL;

	*object = (struct elf_file){ NULL, 0 };
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = S_ISDIR(status.st_mode) ? -EISDIR : -EACCES;
	else if (status.st_size)
		data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		error = -errno;
	else if (data)
		*object = (struct elf_file){ data, (size_t)status.st_size };
	close(fd);
	return error;
}

void elf_file_close(struct elf_file *object)
{
	if (object->data)
		munmap((void *)object->data, object->size);
}

/* size bytes of the file, or NULL. */
static const void *at(const struct elf_file *object, uint64_t offset, uint64_t size)
{
	if (offset > object->size || size > object->size - offset)
		return NULL;
	return object->data + offset;
}

/* A text that ends in the file, or NULL. */
static const char *text_at(const struct elf_file *object, uint64_t offset)
{
	if (offset >= object->size || !memchr(object->data + offset, '\0', object->size - offset))
		return NULL;
	return object->data + offset;
}

bool elf_file_is_elf(const struct elf_file *object)
{
	return at(object, 0, EI_NIDENT) && !memcmp(object->data, ELFMAG, SELFMAG);
}

bool elf_file_is_native(const struct elf_file *object)
{
	const Elf64_Ehdr *header = at(object, 0, sizeof(*header));

	return header && elf_file_is_elf(object) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == MACHINE &&
	       header->e_phentsize == sizeof(Elf64_Phdr);
}

bool elf_file_is_whole(const struct elf_file *object)
{
	const Elf64_Ehdr *header = at(object, 0, sizeof(*header));

	return header && header->e_phnum &&
	       at(object, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr));
}

/* The i-th program header, copied for its alignment. False past the last. */
static bool segment(const struct elf_file *object, unsigned int i, Elf64_Phdr *segment)
{
	const Elf64_Ehdr *header = at(object, 0, sizeof(*header));
	const void *found;

	if (!header || i >= header->e_phnum)
		return false;
	found = at(object, header->e_phoff + i * sizeof(*segment), sizeof(*segment));
	if (!found)
		return false;
	memcpy(segment, found, sizeof(*segment));
	return true;
}

const char *elf_file_loader(const struct elf_file *object)
{
	Elf64_Phdr found;

	for (unsigned int i = 0; segment(object, i, &found); i++)
		if (found.p_type == PT_INTERP)
			return text_at(object, found.p_offset);
	return NULL;
}

/* Where in the file an address of the mapped object is; the file's size if nowhere. */
static uint64_t offset_of(const struct elf_file *object, uint64_t address)
{
	Elf64_Phdr found;

	for (unsigned int i = 0; segment(object, i, &found); i++)
		if (found.p_type == PT_LOAD && address >= found.p_vaddr &&
		    address - found.p_vaddr < found.p_filesz)
			return found.p_offset + (address - found.p_vaddr);
	return object->size;
}

static bool dynamic_value(const struct elf_file *object, Elf64_Sxword tag, uint64_t *value)
{
	Elf64_Phdr found;

	for (unsigned int i = 0; segment(object, i, &found); i++) {
		if (found.p_type != PT_DYNAMIC)
			continue;
		for (uint64_t used = 0; used + sizeof(Elf64_Dyn) <= found.p_filesz;
		     used += sizeof(Elf64_Dyn)) {
			const void *entry = at(object, found.p_offset + used, sizeof(Elf64_Dyn));
			Elf64_Dyn dynamic;

			if (!entry)
				return false;
			memcpy(&dynamic, entry, sizeof(dynamic));
			if (dynamic.d_tag == DT_NULL)
				return false;
			if (dynamic.d_tag == tag) {
				*value = dynamic.d_un.d_val;
				return true;
			}
		}
	}
	return false;
}

const char *elf_file_text(const struct elf_file *object, Elf64_Sxword tag)
{
	uint64_t name, strings;

	if (!dynamic_value(object, tag, &name) || !dynamic_value(object, DT_STRTAB, &strings))
		return NULL;
	return text_at(object, offset_of(object, strings) + name);
}

/* The i-th section header, copied for its alignment. False past the last. */
static bool section(const struct elf_file *object, unsigned int i, Elf64_Shdr *section)
{
	const Elf64_Ehdr *header = at(object, 0, sizeof(*header));
	const void *found;

	if (!header || i >= header->e_shnum || header->e_shentsize != sizeof(*section) ||
	    header->e_shoff > object->size)
		return false;
	found = at(object, header->e_shoff + i * sizeof(*section), sizeof(*section));
	if (!found)
		return false;
	memcpy(section, found, sizeof(*section));
	return true;
}

bool elf_file_symbol(const struct elf_file *object, const char *name, uint64_t *address)
{
	Elf64_Shdr symbols, strings;
	Elf64_Sym symbol;
	size_t size = strlen(name) + 1;

	for (unsigned int i = 0; section(object, i, &symbols); i++) {
		if (symbols.sh_type != SHT_DYNSYM || !section(object, symbols.sh_link, &strings) ||
		    !at(object, symbols.sh_offset, symbols.sh_size) ||
		    !at(object, strings.sh_offset, strings.sh_size))
			continue;
		for (uint64_t used = 0; symbols.sh_size - used >= sizeof(symbol); used += sizeof(symbol)) {
			memcpy(&symbol, object->data + symbols.sh_offset + used, sizeof(symbol));
			if (symbol.st_shndx == SHN_UNDEF || symbol.st_name > strings.sh_size ||
			    strings.sh_size - symbol.st_name < size ||
			    memcmp(object->data + strings.sh_offset + symbol.st_name, name, size))
				continue;
			*address = symbol.st_value;
			return true;
		}
	}
	return false;
}

static bool is_exported_function(const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info), bind = ELF64_ST_BIND(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       (bind == STB_GLOBAL || bind == STB_WEAK);
}

size_t elf_file_functions(const struct elf_file *object)
{
	Elf64_Shdr symbols;
	Elf64_Sym symbol;
	size_t found = 0;

	for (unsigned int i = 0; section(object, i, &symbols); i++) {
		if (symbols.sh_type != SHT_DYNSYM || !at(object, symbols.sh_offset, symbols.sh_size))
			continue;
		for (uint64_t used = 0; symbols.sh_size - used >= sizeof(symbol); used += sizeof(symbol)) {
			memcpy(&symbol, object->data + symbols.sh_offset + used, sizeof(symbol));
			found += is_exported_function(&symbol);
		}
	}
	return found;
}

bool elf_file_read(const struct elf_file *object, uint64_t address, void *to, size_t size)
{
	const void *found = at(object, offset_of(object, address), size);

	if (found)
		memcpy(to, found, size);
	return found;
}

bool elf_file_holds(const struct elf_file *object, const char *text)
{
	return object->data && memmem(object->data, object->size, text, strlen(text));
}
