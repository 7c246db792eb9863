/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the core into the program's namespace, on the first intercepted call. */
#include "audit/core_loader.h"

#include <dlfcn.h>

#include <internal/range_ops.h>

#include "arch.h"
#include "audit/judge.h"
#include "audit/message.h"
#include "audit/object.h"
#include "audit/stub.h"
#include "audit/symtab.h"
#include "audit/sys.h"

#define CORE "cuaudit-core.so"
#define NVTX "libcuaudit-nvtx.so"

enum { PATH_SIZE = 4096, STACK_SIZE = 8 << 20, LOADING = 64 };

typedef void *(*dlmopen_fn)(Lmid_t space, const char *path, int mode);
typedef const char *(*dlerror_fn)(void);

static const char *own_path;
static const struct link_map *base_libc, *base_libdl;
static _Atomic bool failed;

void core_loader_start(void)
{
	own_path = symtab_own_path();
}

void core_loader_note(const struct link_map *map, Lmid_t space, const struct elf_image *image)
{
	if (space != LM_ID_BASE || !image->soname)
		return;
	if (!base_libc && sys_equal(image->soname, "libc.so.6"))
		base_libc = map;
	else if (!base_libdl && sys_equal(image->soname, "libdl.so.2"))
		base_libdl = map;
}

/* Writes the table's address to a variable of an object of ours. */
static bool give_table(struct elf_image *image, const char *soname, const char *variable)
{
	const ElfW(Sym) *symbol;

	if (!image->soname || !sys_equal(image->soname, soname) || !elf_count(image))
		return false;
	symbol = elf_find(image, variable);
	if (!symbol || symbol->st_size != sizeof(void *) ||
	    !elf_writable(image, image->base + symbol->st_value))
		return false;
	/* Mapped, not relocated yet; nothing relocates this word. */
	*(struct link_table **)(image->base + symbol->st_value) = &object_table;
	return true;
}

bool core_loader_is_core(struct elf_image *image)
{
	return give_table(image, CORE, LINK_SYMBOL);
}

void core_loader_meet_nvtx(struct elf_image *image)
{
	give_table(image, NVTX, RANGES_SYMBOL);
}

/* One line of /proc/thread-self/maps that covers address: its path, or NULL. */
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

static void take_directory(struct finder *finder, const char *path)
{
	append(finder->buffer, finder->size, &finder->used, path);
	while (finder->used && finder->buffer[finder->used - 1] != '/')
		finder->used--;
}

static bool take_line(const char *line, void *data)
{
	const char *path = mapped_path(line, (uintptr_t)stub_address(0));

	if (path)
		take_directory(data, path);
	return path != NULL;
}

static bool installed_path(char *buffer, size_t size, const char *name)
{
	size_t used = 0;

	return append(buffer, size, &used, PKGLIBDIR "/") && append(buffer, size, &used, name);
}

bool core_path(char *buffer, size_t size, const char *name)
{
	struct finder finder = { buffer, size, 0 };
	char installed[PATH_SIZE];

	/* The loader's own name of us may lead through links. */
	if (!sys_each_line("/proc/thread-self/maps", take_line, &finder) && own_path &&
	    own_path[0] == '/')
		take_directory(&finder, own_path);
	if (!finder.used || !append(buffer, size, &finder.used, "cuaudit/") ||
	    !append(buffer, size, &finder.used, name))
		return installed_path(buffer, size, name);
	if (sys_exists(buffer) || !installed_path(installed, sizeof(installed), name) ||
	    !sys_exists(installed))
		return true;
	return installed_path(buffer, size, name);
}

/* A function of the program's own libc: the auditor has none. */
static void *find_function(const char *name)
{
	const struct link_map *maps[] = { base_libc, base_libdl };

	for (int i = 0; i < 2; i++) {
		struct elf_image image;
		const ElfW(Sym) *symbol;

		if (!maps[i] || !elf_read(&image, maps[i], NULL, 0) || !elf_count(&image))
			continue;
		symbol = elf_find(&image, name);
		if (symbol && ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC)
			return (void *)(image.base + symbol->st_value);
	}
	return NULL;
}

/* Why the core was not loaded; the program's libc keeps that for each thread. */
static const char *load_error(void)
{
	dlerror_fn error = (dlerror_fn)find_function("dlerror");
	const char *text = error ? error() : NULL;

	return text ? text : "no reason given";
}

static void load_core(void)
{
	static _Atomic long loader;	/* the process that began to */
	char path[PATH_SIZE];
	dlmopen_fn open = (dlmopen_fn)find_function("dlmopen");
	long before = atomic_exchange_explicit(&loader, sys_process(), memory_order_relaxed);

	object_table.read_clock = find_function("clock_gettime");
	if (!open)
		message_say("the program's libc has no dlmopen; ", judge_unaudited(), NULL);
	else if (!core_path(path, sizeof(path), CORE))
		message_say("the path of " CORE " is too long; ", judge_unaudited(), NULL);
	else if (!open(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL))
		message_say("cannot load ", path, ": ", load_error(), "; ", judge_unaudited(), NULL);
	else if (atomic_load_explicit(&object_table.attach, memory_order_acquire))
		return;
	else if (before && before != sys_process())
		message_say("forked while another thread loaded " CORE "; in this child ",
			judge_unaudited(), NULL);
	else	/* It has printed why. */
		message_say(CORE " did not start; ", judge_unaudited(), NULL);
	atomic_store_explicit(&failed, true, memory_order_relaxed);
}

static void set_up(void *unused)
{
	void (*attach)(void);

	(void)unused;
	if (!atomic_load_explicit(&object_table.attach, memory_order_acquire) &&
	    !atomic_load_explicit(&failed, memory_order_relaxed))
		load_core();
	attach = atomic_load_explicit(&object_table.attach, memory_order_acquire);
	if (attach)
		attach();
	else
		judge_end_unaudited();
}

/*
 * On a stack of its own, as the program's may be a signal's or a coroutine's of
 * some KiB, and with signals blocked: a handler would come between where the
 * loader, libc or the core is not to be entered again.
 */
static void set_up_apart(void)
{
	char *stack = sys_map_stack(STACK_SIZE);

	if (stack)
		stub_call_on(stack + STACK_SIZE, set_up, NULL);
	else
		set_up(NULL);
	if (stack)
		sys_unmap(stack, STACK_SIZE);
}

static bool is_setup_thread(long thread)
{
	return atomic_load_explicit(&object_table.setup_thread, memory_order_relaxed) == thread;
}

/*
 * Sets up, once in a thread: what the loader and libc call meanwhile, such as
 * the malloc() of a hooked library, would begin again, without end. A thread for
 * which there is no room is not remembered: no call of it may go unhooked. True:
 * the caller is to unblock the signals.
 */
static bool set_up_once(uint64_t *signals)
{
	static _Atomic long loading[LOADING];
	long thread = sys_thread(), none;
	uint32_t mine = 0;

	if (is_setup_thread(thread))
		return false;
	for (uint32_t i = 0; i < LOADING; i++)
		if (atomic_load_explicit(&loading[i], memory_order_relaxed) == thread)
			return false;
	*signals = sys_block_signals();
	do
		none = 0;
	while (!atomic_compare_exchange_strong(&loading[mine], &none, thread) && ++mine < LOADING);
	set_up_apart();
	if (mine < LOADING)
		atomic_store(&loading[mine], 0);
	return true;
}

void core_load_early(void)
{
	uint64_t signals;

	if (set_up_once(&signals))
		sys_unblock_signals(signals);
}

void *core_load(uint32_t slot)
{
	void *real = atomic_load_explicit(&object_table.slots[slot].real, memory_order_relaxed);
	uint64_t signals;

	if (!set_up_once(&signals)) {
		atomic_fetch_add_explicit(&object_table.setup_calls, 1, memory_order_relaxed);
		return real;
	}
	/* A core that could not, or would not, route it. */
	stub_reroute(slot, stub_resolver(), real);
	sys_unblock_signals(signals);
	return atomic_load_explicit(&object_table.routes[slot], memory_order_acquire);
}
