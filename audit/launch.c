/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the core into the program's namespace, on the first routed call. */
#include "audit/launch.h"

#include <dlfcn.h>

#include "arch.h"
#include "audit/judge.h"
#include "audit/object.h"
#include "audit/stub.h"
#include "audit/sys.h"

#define CORE "cuaudit-core.so"

enum { PATH_SIZE = 4096 };

typedef void *(*dlmopen_fn)(Lmid_t space, const char *path, int mode);

static const struct link_map *base_libc, *base_libdl;
static _Atomic bool failed;

void launch_note(const struct link_map *map, Lmid_t space, const struct elf_image *image)
{
	if (space != LM_ID_BASE || !image->soname)
		return;
	if (!base_libc && sys_equal(image->soname, "libc.so.6"))
		base_libc = map;
	else if (!base_libdl && sys_equal(image->soname, "libdl.so.2"))
		base_libdl = map;
}

bool launch_is_core(struct elf_image *image)
{
	const ElfW(Sym) *symbol;

	if (!image->soname || !sys_equal(image->soname, CORE) || !elf_count(image))
		return false;
	symbol = elf_find(image, LINK_SYMBOL);
	if (!symbol || symbol->st_size != sizeof(void *) ||
	    !elf_writable(image, image->base + symbol->st_value))
		return false;
	/* Mapped, not relocated yet; nothing relocates this word. */
	*(struct link_table **)(image->base + symbol->st_value) = &object_table;
	return true;
}

/* One line of /proc/self/maps that covers address: its path, or NULL. */
static const char *mapped_path(const char *line, uintptr_t address)
{
	uintptr_t bounds[2] = { 0, 0 };

	for (int i = 0; i < 2; i++, line++) {
		for (; *line && *line != '-' && *line != ' '; line++)
			bounds[i] = bounds[i] * 16 +
				    (uintptr_t)(*line <= '9' ? *line - '0' : *line - 'a' + 10);
		if (!*line)
			return NULL;
	}
	if (address < bounds[0] || address >= bounds[1])
		return NULL;
	while (*line && *line != '/')
		line++;
	return *line ? line : NULL;
}

static bool append(char *buffer, size_t size, size_t *used, const char *text)
{
	size_t length = sys_strlen(text);

	if (length >= size - *used)
		return false;
	for (size_t i = 0; i <= length; i++)
		buffer[*used + i] = text[i];
	*used += length;
	return true;
}

struct finder {
	char *buffer;
	size_t size, used;
};

static bool take_line(const char *line, void *data)
{
	struct finder *finder = data;
	const char *path = mapped_path(line, (uintptr_t)stub_address(0));

	if (!path)
		return false;
	if (!append(finder->buffer, finder->size, &finder->used, path))
		finder->used = 0;
	while (finder->used && finder->buffer[finder->used - 1] != '/')
		finder->used--;
	finder->buffer[finder->used] = '\0';
	return true;
}

bool launch_path(char *buffer, size_t size, const char *name)
{
	struct finder finder = { buffer, size, 0 };

	buffer[0] = '\0';
	if (!sys_each_line("/proc/self/maps", take_line, &finder) || !finder.used ||
	    !append(buffer, size, &finder.used, "cuaudit/") ||
	    !append(buffer, size, &finder.used, name) || !sys_exists(buffer)) {
		finder.used = 0;
		return append(buffer, size, &finder.used, PKGLIBDIR "/") &&
		       append(buffer, size, &finder.used, name);
	}
	return true;
}

/* dlmopen of the program's own libc: the auditor has none. */
static dlmopen_fn find_dlmopen(void)
{
	const struct link_map *maps[] = { base_libc, base_libdl };

	for (int i = 0; i < 2; i++) {
		struct elf_image image;
		const ElfW(Sym) *symbol;

		if (!maps[i] || !elf_read(&image, maps[i], NULL, 0) || !elf_count(&image))
			continue;
		symbol = elf_find(&image, "dlmopen");
		if (symbol)
			return (dlmopen_fn)(image.base + symbol->st_value);
	}
	return NULL;
}

static void load_core(void)
{
	char path[PATH_SIZE];
	dlmopen_fn open = find_dlmopen();

	if (!open)
		sys_say("the program's libc has no dlmopen; nothing is audited", NULL);
	else if (!launch_path(path, sizeof(path), CORE))
		sys_say("the path of " CORE " is too long; nothing is audited", NULL);
	else if (open(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL))
		return;
	else
		sys_say("cannot load ", path, "; nothing is audited", NULL);
	atomic_store_explicit(&failed, true, memory_order_relaxed);
}

void *launch(uint32_t slot)
{
	void (*attach)(void);
	void *real = atomic_load_explicit(&object_table.slots[slot].real, memory_order_relaxed);

	if (!atomic_load_explicit(&object_table.attach, memory_order_acquire) &&
	    !atomic_load_explicit(&failed, memory_order_relaxed))
		load_core();
	attach = atomic_load_explicit(&object_table.attach, memory_order_acquire);
	if (attach)
		attach();
	else if (!atomic_exchange_explicit(&failed, true, memory_order_relaxed))
		sys_say("forked while another thread loaded " CORE "; nothing is audited here", NULL);
	if (!attach)
		judge_unaudited();
	/* A core that could not, or would not, route it. */
	stub_reroute(slot, stub_resolver(), real);
	return atomic_load_explicit(&object_table.routes[slot], memory_order_acquire);
}
