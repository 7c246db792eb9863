/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the auditor finds the core and loads it: paths of all lengths in all buffers, the program's
 * libc of any make, and what is printed where there is no core.
 */
#include <stdint.h>
#include <sys/mman.h>

#include "audit/core_loader.c"

#include "t/sys.h"
#include "t/tap.h"

enum { PAGE = 4096, LONGEST = 64, SLOT = 3, THREAD = 77 };

struct link_table object_table;

static const char *mapped, *own; /* the auditor's path, by the kernel and by the loader */
static const char *existing[2];

/* What core_loader.c takes from the rest of the auditor. */
const char *symtab_own_path(void)
{
	return own;
}

void *stub_address(uint32_t slot)
{
	(void)slot;
	return (void *)0x7f0000001000;
}

bool sys_equal(const char *a, const char *b)
{
	return !strcmp(a, b);
}

bool sys_exists(const char *path)
{
	return (existing[0] && !strcmp(path, existing[0])) ||
	       (existing[1] && !strcmp(path, existing[1]));
}

bool sys_each_line(const char *path, bool (*take)(const char *line, void *data), void *data)
{
	char line[2 * LONGEST + 64];
	bool taken;

	if (!mapped || strcmp(path, "/proc/thread-self/maps"))
		return false;
	if (take("7f0000000000-7f0000001000 r--p 00000000 fe:01 1 /before.so", data) ||
	    take("7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]", data))
		return true;
	snprintf(line, sizeof(line), "7f0000001000-7f0000041000 r-xp 00001000 fe:01 2      %s",
		 mapped);
	taken = take(line, data);
	/* A line that is not there any more when it has been looked at. */
	memset(line, 'x', sizeof(line));
	return taken;
}

/* A line and where in it the path begins: 0 for none. */
static void test_lines(void)
{
	static const struct {
		const char *line;
		uintptr_t address;
		size_t path;
	} cases[] = {
		{ "1000-2000 r-xp 00000000 fe:01 1234   /a/b c", 0x1000, 37 },
		{ "1000-2000 r-xp 00000000 fe:01 1234   /a/b c", 0x1fff, 37 },
		{ "1000-2000 r-xp 00000000 fe:01 1234   /a/b c", 0xfff, 0 },
		{ "1000-2000 r-xp 00000000 fe:01 1234   /a/b c", 0x2000, 0 },
		{ "7ffff7fc9000-7fffffffafed r-xp 0 0:0 0 /x", 0x7ffff7fc9000, 39 },
		{ "7ffff7fc9000-7fffffffafed r-xp 0 0:0 0 /x", 0x7ffff7fc8fff, 0 },
		{ "7ffff7fc9000-7fffffffafed r-xp 0 0:0 0 /x", 0x7fffffffafec, 39 },
		{ "7ffff7fc9000-7fffffffafed r-xp 0 0:0 0 /x", 0x7fffffffafed, 0 },
		{ "1000-2000 rw-p 00000000 00:00 0", 0x1000, 0 },
		{ "1000-2000 rw-p 00000000 00:00 0   [heap]", 0x1000, 0 },
	};
	char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	unsigned int wrong = 0;

	mprotect(page + PAGE, PAGE, PROT_NONE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = strlen(cases[i].line);
		const char *path = mapped_path(cases[i].line, cases[i].address);

		is_ptr(path, cases[i].path ? cases[i].line + cases[i].path : NULL, "%lx in '%s'",
		       (unsigned long)cases[i].address, cases[i].line);
		/* Cut anywhere: nothing behind its end is read. */
		for (size_t cut = 0; cut < length; cut++) {
			char *line = page + PAGE - cut - 1;

			memcpy(line, cases[i].line, cut);
			line[cut] = '\0';
			path = mapped_path(line, cases[i].address);
			wrong += path != (cases[i].path && cut > cases[i].path
						  ? line + cases[i].path
						  : NULL);
		}
	}
	is_int(wrong, 0, "lines that are cut");
	munmap(page, 2 * PAGE);
}

/* The file of a name beside the auditor, or among the installed ones; NULL where none fits. */
static const char *expected(size_t size, const char *name)
{
	static char beside[4 * LONGEST], installed[4 * LONGEST];
	const char *path = mapped ? mapped : own && own[0] == '/' ? own : NULL;
	bool fits;

	snprintf(installed, sizeof(installed), "%s/%s", PKGLIBDIR, name);
	if (!path)
		return strlen(installed) < size ? installed : NULL;
	snprintf(beside, sizeof(beside), "%.*scuaudit/%s", (int)(strrchr(path, '/') - path) + 1,
		 path, name);
	fits = strlen(beside) < size && strlen(path) < size;
	if (fits && (sys_exists(beside) || !sys_exists(installed)))
		return beside;
	return strlen(installed) < size ? installed : NULL;
}

static void test_paths(void)
{
	static const char *const paths[] = {
		NULL,
		"/lib.so",
		"/some/where/libcuaudit.so",
		"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/libcuaudit.so",
		"libcuaudit.so",
		"",
	};
	static const char *const there[][2] = {
		{ NULL, NULL },
		{ PKGLIBDIR "/core.so", NULL },
		{ "/some/where/cuaudit/core.so", NULL },
		{ "/some/where/cuaudit/core.so", PKGLIBDIR "/core.so" },
		{ "/cuaudit/core.so", PKGLIBDIR "/core.so" },
	};
	unsigned int wrong = 0, found = 0;

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++)
			for (size_t n = 0; n < sizeof(there) / sizeof(there[0]); n++)
				for (size_t size = 1; size <= LONGEST; size++) {
					char buffer[LONGEST + 1];
					const char *want;

					mapped = paths[i];
					own = paths[k];
					core_loader_start();
					existing[0] = there[n][0];
					existing[1] = there[n][1];
					memset(buffer, 'x', sizeof(buffer));
					want = expected(size, "core.so");
					if (core_path(buffer, size, "core.so") != (want != NULL) ||
					    (want && strcmp(buffer, want)) || buffer[size] != 'x')
						wrong++;
					found += want != NULL;
				}
	is_int(wrong, 0, "the core's path, wherever the auditor is and however long a path may be");
	ok(found > 1000, "it is found %u times", found);
}

/* Objects of the program: libc's functions, as far as they are there. */
static ElfW(Sym) symbols[3];
static struct library {
	struct link_map map;
	const char *functions[3];
	bool unread, uncounted;
} libc, libdl, other;

static bool is_writable;
static struct link_table *written;

bool elf_read(struct elf_image *image, const struct link_map *map, const ElfW(Phdr) *phdr,
	      unsigned int phnum)
{
	const struct library *library = (const struct library *)map;

	*image = (struct elf_image){ .base = map->l_addr, .phdr = (const ElfW(Phdr) *)map };
	return !library->unread && !phdr && !phnum;
}

bool elf_count(struct elf_image *image)
{
	return !((const struct library *)image->phdr)->uncounted;
}

const ElfW(Sym) *elf_find(const struct elf_image *image, const char *name)
{
	const struct library *library = (const struct library *)image->phdr;

	for (size_t i = 0; i < 3; i++)
		if (library->functions[i] && !strcmp(library->functions[i], name))
			return &symbols[i];
	return NULL;
}

bool elf_writable(const struct elf_image *image, uintptr_t address)
{
	return is_writable && address == image->base + symbols[0].st_value;
}

static void test_core(void)
{
	static const struct {
		const char *soname, *symbol;
		size_t size;
		bool counted, writable, is_core, is_nvtx;
	} cases[] = {
		{ CORE, LINK_SYMBOL, sizeof(void *), true, true, true, false },
		{ CORE, LINK_SYMBOL, sizeof(void *), false, true, false, false },
		{ CORE, LINK_SYMBOL, sizeof(void *), true, false, false, false },
		{ CORE, LINK_SYMBOL, sizeof(void *) + 1, true, true, false, false },
		{ CORE, LINK_AUDITOR_SYMBOL, sizeof(void *), true, true, false, false },
		{ "libother.so", LINK_SYMBOL, sizeof(void *), true, true, false, false },
		{ NULL, LINK_SYMBOL, sizeof(void *), true, true, false, false },
		{ NVTX, LINK_SYMBOL, sizeof(void *), true, true, false, false },
		{ CORE, RANGES_SYMBOL, sizeof(void *), true, true, false, false },
		{ NVTX, RANGES_SYMBOL, sizeof(void *), true, true, false, true },
		{ NVTX, RANGES_SYMBOL, sizeof(void *), true, false, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct elf_image image = { .soname = cases[i].soname,
					   .phdr = (const ElfW(Phdr) *)&other,
					   .base = (uintptr_t)&written - 0x100 };

		other = (struct library){ .functions = { cases[i].symbol },
					  .uncounted = !cases[i].counted };
		symbols[0] = (ElfW(Sym)){ .st_value = 0x100, .st_size = cases[i].size };
		is_writable = cases[i].writable;
		written = NULL;
		is_int(core_loader_is_core(&image), cases[i].is_core, "%s, %s of %zu bytes",
		       cases[i].soname ? cases[i].soname : "nameless", cases[i].symbol,
		       cases[i].size);
		is_ptr(written, cases[i].is_core ? &object_table : NULL, "... its word");
		written = NULL;
		core_loader_meet_nvtx(&image);
		is_ptr(written, cases[i].is_nvtx ? &object_table : NULL, "... that for ranges");
	}
}

static void note(struct library *library, Lmid_t space, const char *soname)
{
	const struct elf_image image = { .soname = soname };

	core_loader_note(&library->map, space, &image);
}

/* Functions are looked for in the program's first libc, then in its first libdl. */
static void test_functions(void)
{
	for (int turn = 0; turn < 2; turn++) {
		bool old = turn;

		base_libc = base_libdl = NULL;
		libc = (struct library){ .map = { .l_addr = 0x1000 },
					 .functions = { "dlerror", old ? NULL : "dlmopen" } };
		libdl = (struct library){ .map = { .l_addr = 0x2000 },
					  .functions = { "dlerror", "dlmopen" } };
		other = (struct library){ .map = { .l_addr = 0x3000 },
					  .functions = { "dlerror", "dlmopen", "dlother" } };
		for (int i = 0; i < 3; i++)
			symbols[i].st_value = 0x10 * (unsigned int)i;
		ok(!find_function("dlmopen"), "without a libc there is no function");
		note(&other, LM_ID_BASE + 1, "libc.so.6");
		note(&other, LM_ID_BASE, "libother.so");
		note(&other, LM_ID_BASE, NULL);
		ok(!find_function("dlmopen"), "nor in what is none of the program's");
		if (old)
			note(&libdl, LM_ID_BASE, "libdl.so.2");
		note(&libc, LM_ID_BASE, "libc.so.6");
		note(&other, LM_ID_BASE, "libc.so.6");
		note(&other, LM_ID_BASE, "libdl.so.2");
		is_ptr(find_function("dlerror"), (void *)0x1000, "the first libc's");
		is_ptr(find_function("dlmopen"), (void *)(uintptr_t)(old ? 0x2010 : 0x1010), "%s",
		       old ? "the first libdl's" : "libc's again");
		is_ptr(find_function("dlother"), old ? NULL : (void *)0x3020,
		       "... one that is in the last");
		libc.unread = true;
		is_ptr(find_function("dlerror"), (void *)(uintptr_t)(old ? 0x2000 : 0x3000),
		       "a libc that cannot be read");
		libc.unread = false;
		libc.uncounted = true;
		is_ptr(find_function("dlerror"), (void *)(uintptr_t)(old ? 0x2000 : 0x3000),
		       "nor its symbols");
		ok(!find_function("dlnone"), "one that is in none");
		libc.uncounted = false;
		symbols[0].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
		ok(!find_function("dlerror"), "nor one that another function has yet to choose");
		symbols[0].st_info = 0;
	}
}

/* What happens as the core is loaded: a letter each. */
static char events[64], messages[512];

static void event(char what)
{
	size_t length = strlen(events);

	events[length] = what;
	events[length + 1] = '\0';
}

void message_say(const char *first, ...)
{
	va_list texts;

	va_start(texts, first);
	for (const char *text = first; text; text = va_arg(texts, const char *))
		strcat(messages, text);
	va_end(texts);
	event('m');
}

const char *judge_unaudited(void)
{
	return "nothing is audited";
}

void judge_end_unaudited(void)
{
	event('e');
}

static char resolver, real, stack_memory[STACK_SIZE];
static bool no_stack;
static long process = 10;

void *stub_resolver(void)
{
	return &resolver;
}

void stub_reroute(uint32_t slot, void *old, void *target)
{
	event(slot == SLOT && old == &resolver && target == &real ? 'r' : 'X');
	if (object_table.routes[slot] == old)
		object_table.routes[slot] = target;
}

void stub_call_on(void *top, void (*function)(void *), void *data)
{
	event(top == stack_memory + STACK_SIZE ? 'c' : 'X');
	function(data);
}

char *sys_map_stack(size_t size)
{
	event(size == STACK_SIZE ? 's' : 'X');
	return no_stack ? NULL : stack_memory;
}

void sys_unmap(char *stack, size_t size)
{
	event(stack == stack_memory && size == STACK_SIZE ? 'u' : 'X');
}

uint64_t sys_block_signals(void)
{
	event('b');
	return 0x1234;
}

void sys_unblock_signals(uint64_t before)
{
	event(before == 0x1234 ? 'B' : 'X');
}

int32_t sys_thread(void)
{
	return THREAD;
}

long sys_process(void)
{
	return process;
}

static void attach(void)
{
	event('a');
}

static bool opens, attaches, has_error;

static void *open_core(Lmid_t space, const char *path, int mode)
{
	event(space == LM_ID_BASE && !strcmp(path, PKGLIBDIR "/" CORE) &&
			      mode == (RTLD_NOW | RTLD_LOCAL)
		      ? 'o'
		      : 'X');
	if (attaches)
		atomic_store(&object_table.attach, attach);
	return opens ? &opens : NULL;
}

static const char *error_of(void)
{
	return has_error ? "the reason" : NULL;
}

/* Loads it; in a process that has not failed to, unless again. */
static void load(const char *want, const char *says, const char *name, bool again)
{
	static _Atomic(void *) routes[SLOT + 1];
	static struct link_slot slots[SLOT + 1];
	void *route;

	object_table.routes = routes;
	object_table.slots = slots;
	atomic_store(&slots[SLOT].real, &real);
	atomic_store(&routes[SLOT], &resolver);
	events[0] = messages[0] = '\0';
	if (!again)
		atomic_store(&failed, false);
	route = core_load(SLOT);
	is_str(events, want, "%s: what happens", name);
	is_str(messages, says, "... what is printed");
	is_ptr(route, &real, "... the driver's function is called");
	atomic_store(&object_table.attach, NULL);
	process++;
}

static void test_load(void)
{
	base_libc = &libc.map;
	base_libdl = NULL;
	mapped = own = NULL;
	core_loader_start();
	libc = (struct library){ .functions = { NULL } };
	symbols[0].st_value = (uintptr_t)open_core;
	symbols[1].st_value = (uintptr_t)error_of;
	load("bscmeurB", "the program's libc has no dlmopen; nothing is audited",
	     "a libc without the function", false);
	libc.functions[0] = "dlmopen";
	load("bscomeurB", "cannot load " PKGLIBDIR "/" CORE ": no reason given; nothing is audited",
	     "a libc that does not say why", false);
	libc.functions[1] = "dlerror";
	load("bscomeurB", "cannot load " PKGLIBDIR "/" CORE ": no reason given; nothing is audited",
	     "one that knows no reason", false);
	is_ptr(object_table.read_clock, NULL, "a libc without a clock");
	libc.functions[2] = "clock_gettime";
	symbols[2].st_value = 0x4000;
	has_error = true;
	load("bscomeurB", "cannot load " PKGLIBDIR "/" CORE ": the reason; nothing is audited",
	     "one that does", false);
	is_ptr(object_table.read_clock, (void *)0x4000, "its clock is handed on");
	load("bsceurB", "", "the next call", true);
	opens = true;
	/* The process that began to. */
	process -= 2;
	load("bscomeurB", CORE " did not start; nothing is audited", "a core that does not start",
	     false);
	load("bscomeurB",
	     "forked while another thread loaded " CORE "; in this child nothing is audited",
	     "one that another process had begun to load", false);
	attaches = true;
	load("bscoaurB", "", "a core that starts", false);
	no_stack = true;
	load("bsoarB", "", "without memory for a stack", false);
	no_stack = false;
	atomic_store(&object_table.attach, attach);
	load("bscaurB", "", "one that is there", false);
	own = mapped = NULL;
	atomic_store(&object_table.setup_thread, THREAD);
	load("", "", "a call of the core's own as it starts", false);
	is_int((long long)atomic_load(&object_table.setup_calls), 1, "which is counted");
	atomic_store(&object_table.setup_thread, THREAD + 1);
	load("bscoaurB", "", "another thread's meanwhile", false);
	for (int own_thread = 0; own_thread < 2; own_thread++) {
		atomic_store(&object_table.setup_thread, THREAD + !own_thread);
		events[0] = '\0';
		core_load_early();
		is_str(events, own_thread ? "" : "bscoauB", "early, %s thread",
		       own_thread ? "by the core's own" : "by another");
		atomic_store(&object_table.attach, NULL);
	}
}

int main(void)
{
	test_lines();
	test_paths();
	test_core();
	test_functions();
	test_load();
	return done_testing();
}
