/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the auditor by themselves: what they do to an object's PLT, which only old loaders
 * ask for, what is the driver's, what is read of the objects of this process, what escaped.
 */
#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>

#include "audit/filter.h"
#include "util/globs.h"
#define _DYNAMIC plt_dynamic
#include "audit/plt.c"
#undef _DYNAMIC
#include "audit/bind_now.c"
#include "audit/escape.c"
#include "audit/peer.c"
#define real calloc_real
#include "audit/calloc.c"
#undef real
#define end exit_end
#include "audit/exit.c"
#undef end

#include "t/fuzz/chance.h"
#include "t/sys.h"
#include "t/tap.h"
#include "audit/slot_lock.h"

uint64_t slot_lock_take(void)
{
	return 0;
}

void slot_lock_release(uint64_t signals)
{
	(void)signals;
}



enum { PAGE = 4096, CALLS = 5, RELATIVES = 2, SLOTS_AT = 3, NSLOTS = 8, ENTRIES_MOST = 16 };

/* What these take from the rest of the auditor. */
struct link_table object_table;
bool object_by_kernel = true;
size_t sys_page = PAGE;

static size_t allocated;
static struct object_detail detail;
static struct link_slot slots[LINK_SLOTS];
static struct { uintptr_t from, to; int protection; } protections[4];
static int nprotections, said, unchecked;

void unchecked_leave(const char *saved, const char *name)
{
	(void)saved;
	(void)name;
	unchecked++;
}

void judge_uncounted(const char *path)
{
	(void)path;
}

void *sys_alloc(size_t size)
{
	allocated = size;
	return calloc(1, size);
}

bool sys_equal(const char *a, const char *b)
{
	return !strcmp(a, b);
}

bool sys_readable(const void *address)
{
	return address != NULL;
}

bool sys_each_mapping(bool (*take)(const struct sys_mapping *mapping, void *data), void *data)
{
	(void)take, (void)data;
	return false;
}

void message_say(const char *first, ...)
{
	said += first != NULL;
}

int sys_protect(uintptr_t from, uintptr_t to, int protection)
{
	protections[nprotections].from = from;
	protections[nprotections].to = to;
	protections[nprotections++ % 4].protection = protection;
	return 0;
}

struct object_detail *object_detail(struct link_object *object)
{
	object->detail = &detail;
	return &detail;
}

static char stubs[LINK_SLOTS * ARCH_STUB_SIZE];

void *stub_address(uint32_t slot)
{
	return stubs + (size_t)slot * ARCH_STUB_SIZE;
}

static bool intercepted;

bool bind_slot(struct link_object *from, uint32_t number, uint32_t route)
{
	return from && number < LINK_SLOTS && route == LINK_PLT && intercepted;
}

/*
 * An object as it lies in memory before it is relocated: five calls through its PLT, the last
 * two of versions of one function, and two relative relocations. Its first page is RELRO, and
 * a part of the second, which stays writable.
 */
static struct object {
	uintptr_t got[NSLOTS];
	uintptr_t data[RELATIVES];
	ElfW(Dyn) dynamic[ENTRIES_MOST] __attribute__((aligned(PAGE)));
	ElfW(Sym) symbols[1 + CALLS];
	ElfW(Rela) rela[RELATIVES + CALLS];
	char strings[64];
} object __attribute__((aligned(PAGE)));

static ElfW(Phdr) headers[] = {
	{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_memsz = sizeof(object) },
	{ .p_type = PT_GNU_RELRO, .p_flags = PF_R, .p_memsz = PAGE + PAGE / 2 },
};

static const char *const names[CALLS] = { "puts", "cuInit", "cuMemFree_v2", "cuTwice", "cuTwice" };

static struct elf_image image;
static struct link_map map;
static struct link_object record;

static ElfW(Dyn) *entry_of(ElfW(Sxword) tag)
{
	ElfW(Dyn) *entry = object.dynamic;

	while (entry->d_tag != tag && entry->d_tag != DT_NULL)
		entry++;
	return entry;
}

static void add_entry(ElfW(Sxword) tag, ElfW(Xword) value)
{
	*entry_of(tag) = (ElfW(Dyn)){ .d_tag = tag, .d_un.d_val = value };
}

static uintptr_t base = (uintptr_t)&object;	/* 0: of a program that cannot move */

/* calls: of the functions, that many. */
static void make_object(size_t calls)
{
	size_t used = 1;

	memset(&object, 0, sizeof(object));
	for (size_t i = 0; i < calls; i++) {
		object.symbols[1 + i].st_name = (ElfW(Word))used;
		object.symbols[1 + i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		used += (size_t)sprintf(object.strings + used, "%s", names[i]) + 1;
		object.rela[RELATIVES + i] = (ElfW(Rela)){
			.r_offset = (uintptr_t)&object.got[SLOTS_AT + i] - base,
			.r_info = ELF64_R_INFO(1 + i, ARCH_R_JUMP_SLOT),
		};
		object.got[SLOTS_AT + i] = 0x1000 + i;
	}
	add_entry(DT_PLTGOT, (uintptr_t)object.got);
	add_entry(DT_JMPREL, (uintptr_t)&object.rela[RELATIVES]);
	add_entry(DT_PLTRELSZ, calls * sizeof(ElfW(Rela)));
	add_entry(DT_PLTREL, DT_RELA);
	add_entry(DT_RELA, (uintptr_t)object.rela);
	add_entry(DT_RELASZ, RELATIVES * sizeof(ElfW(Rela)));
	add_entry(DT_SYMTAB, (uintptr_t)object.symbols);
	add_entry(DT_STRTAB, (uintptr_t)object.strings);
	image = (struct elf_image){
		.base = base, .phdr = headers, .phnum = 2,
		.lo = (uintptr_t)&object, .hi = (uintptr_t)&object + sizeof(object),
		.strings = object.strings, .strings_size = sizeof(object.strings),
		.symbols = object.symbols, .room = 1 + CALLS, .nsymbols = 1 + CALLS,
	};
	map = (struct link_map){ .l_addr = base, .l_ld = object.dynamic };
	record = (struct link_object){ .path = "/object", .flags = base ? 0 : LINK_OBJECT_MAIN };
	headers[0].p_vaddr = headers[1].p_vaddr = (uintptr_t)&object - base;
	nprotections = 0;
}

/* The resolver of an unaudited object, as plt_start finds it; never called. */
enum { plain = 0x5000, audited = 0x6000 };

/* The loader relocates lazily: it writes its words to where DT_PLTGOT leads. */
static uintptr_t *relocate_lazily(void)
{
	uintptr_t *got = (uintptr_t *)entry_of(DT_PLTGOT)->d_un.d_ptr;

	got[GOT_MAP] = (uintptr_t)&map;
	got[GOT_RESOLVER] = audited;
	return got;
}

/* The auditor's own PLT, which nobody audits. */
static uintptr_t own_got[GOT_RESERVED] = { 1, 2, plain };
ElfW(Dyn) plt_dynamic[3];

/* The resolver is looked for where the loader is old, started the program, and asks us alone. */
static void test_start(void)
{
	static const struct {
		unsigned int version;
		bool by_kernel;
		struct env_loader loader;
		unsigned int peers;
		bool found;
	} cases[] = {
		{ 1, true, { .auditors = 1 }, 0, true }, { 2, true, { .auditors = 1 }, 0, false },
		{ 1, false, { .auditors = 1 }, 0, false }, { 1, true, { .auditors = 2 }, 0, false },
		{ 1, true, { .auditors = 2 }, 1, true }, { 1, true, { .auditors = 3 }, 1, false },
		{ 1, true, { .auditors = 1, .cut = true }, 0, false },
		{ 1, true, { .auditors = 1, .profile = true }, 0, false },
		{ 1, true, { .auditors = 1, .bind_not = true }, 0, true },
	};

	plt_dynamic[0] = (ElfW(Dyn)){ .d_tag = DT_STRTAB, .d_un.d_ptr = 1 };
	plt_dynamic[1] = (ElfW(Dyn)){ .d_tag = DT_PLTGOT, .d_un.d_ptr = (uintptr_t)own_got };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		plt_resolver = 0;
		object_by_kernel = cases[i].by_kernel;
		peer_count = cases[i].peers;
		plt_start(cases[i].version, &cases[i].loader);
		ok(plt_resolver == (cases[i].found ? plain : 0), "start, case %zu: %s", i,
		   cases[i].found ? "the loader's resolver" : "objects are left as they are");
	}
	/* That was with LD_BIND_NOT: what is bound is not written. */
	make_object(CALLS);
	plt_open(&record, &image, &map);
	plt_bound(&record, "cuInit", 0x2222);
	ok(object.got[GOT_RESOLVER] == (uintptr_t)plt_resolve && object.got[SLOTS_AT + 1] == 0x1001,
	   "LD_BIND_NOT: its slots stay");
	plt_close(&record);
	plt_start(1, &cases[0].loader);
	object_by_kernel = true;
	peer_count = 0;
}

static void test_lazy(void)
{
	plt_resolver = plain;
	make_object(1);
	plt_open(&record, &image, &map);
	ok(relocate_lazily() != object.got, "lazily: the loader writes elsewhere");
	ok(object.got[GOT_MAP] == (uintptr_t)&map && object.got[GOT_RESOLVER] == plain,
	   "one that calls no driver has the plain resolver");

	make_object(CALLS);
	plt_open(&record, &image, &map);
	relocate_lazily();
	ok(object.got[GOT_MAP] == (uintptr_t)&map, "one that does: its link map");
	ok(object.got[GOT_RESOLVER] == (uintptr_t)plt_resolve, "and the resolver that chooses");
	for (uint32_t i = 0; i < CALLS; i++)
		ok(plt_choose(&map, i) == (names[i][0] == 'c' ? audited : plain), "call %u: %s", i,
		   names[i]);
	plt_bound(&record, "cuInit", 0x2222);
	plt_bound(&record, "cuTwice", 0x3333);
	plt_bound(&record, "cuOther", 0x4444);
	for (uintptr_t i = 0; i < CALLS; i++)
		ok(object.got[SLOTS_AT + i] == (i == 1 ? 0x2222 : 0x1000 + i), "slot %d is %s", (int)i,
		   i == 1 ? "bound" : "left");
	plt_close(&record);
	plt_bound(&record, "cuMemFree_v2", 0x5555);
	ok(object.got[SLOTS_AT + 2] == 0x1002, "nothing is written once it is closed");

	make_object(CALLS);
	allocated = 0;
	plt_open(&record, &image, &map);
	ok(!allocated && object.got[GOT_RESOLVER] == (uintptr_t)plt_resolve, "opened again, its memory is used again");

	make_object(CALLS);
	object.got[GOT_RESOLVER] = 1;
	plt_open(&record, &image, &map);
	ok(entry_of(DT_PLTGOT)->d_un.d_ptr == (uintptr_t)object.got, "a prelinked one is left");
}

/* One bound now has its PLT's relocations among the others, by any of the three marks. */
static void open_now(ElfW(Sxword) tag, ElfW(Xword) value)
{
	make_object(CALLS);
	add_entry(tag, value);
	plt_open(&record, &image, &map);
	ok(entry_of(DT_RELASZ)->d_un.d_val == sizeof(object.rela) &&
	   entry_of(DT_RELA)->d_un.d_ptr == (uintptr_t)object.rela,
	   "bound now by %llx: all relocations are bound", (unsigned long long)tag);
	ok(entry_of(DT_PLTRELSZ)->d_un.d_val == sizeof(ElfW(Rela)) &&
	   entry_of(DT_JMPREL)->d_un.d_ptr != (uintptr_t)&object.rela[RELATIVES],
	   "and one of ours in their place");
}

/* The loader's own: a lazy JUMP_SLOT moves with the object. */
static void relocate_ours(void)
{
	const ElfW(Rela) *ours = (const ElfW(Rela) *)entry_of(DT_JMPREL)->d_un.d_ptr;

	*(uintptr_t *)(image.base + ours->r_offset) += image.base;
}

static bool put_back(void)
{
	return entry_of(DT_RELASZ)->d_un.d_val == RELATIVES * sizeof(ElfW(Rela)) &&
	       entry_of(DT_JMPREL)->d_un.d_ptr == (uintptr_t)&object.rela[RELATIVES] &&
	       entry_of(DT_PLTRELSZ)->d_un.d_val == CALLS * sizeof(ElfW(Rela));
}

static void test_now(void)
{
	open_now(DT_BIND_NOW, 0);
	bind_now_close(record.detail->now);
	open_now(DT_FLAGS, DF_BIND_NOW | DF_STATIC_TLS);
	bind_now_close(record.detail->now);
	for (int turn = 0; turn < 2; turn++) {
		open_now(DT_FLAGS_1, DF_1_NOW | DF_1_NODELETE);
		intercepted = turn;
		bind_now_finish(base);
		ok(!put_back() && !nprotections, "not relocated yet: as it was changed");
		object.got[SLOTS_AT] = 0x1234;
		object.got[SLOTS_AT + 1] = (uintptr_t)stub_address(0);
		object.got[SLOTS_AT + 2] = (uintptr_t)stub_address(LINK_SLOTS - 1);
		object.got[SLOTS_AT + 3] = (uintptr_t)stub_address(LINK_SLOTS);
		relocate_ours();
		bind_now_finish(!base);
		ok(put_back(), "relocated: its entries are put back");
		ok(nprotections == 2 && protections[0].from == image.lo &&
		   protections[0].to == image.lo + PAGE &&
		   protections[0].protection == (PROT_READ | PROT_WRITE) &&
		   protections[1].protection == PROT_READ, "its RELRO is written to, then read-only");
		ok(object.got[SLOTS_AT] == 0x1234 &&
		   object.got[SLOTS_AT + 3] == (uintptr_t)stub_address(LINK_SLOTS),
		   "what is no stub stays");
		is_ptr((void *)object.got[SLOTS_AT + 1], turn ? stub_address(0) : (void *)0x7000000,
		       turn ? "intercepted: the stub" : "excluded: the driver's own");
		is_ptr((void *)object.got[SLOTS_AT + 2], turn ? stub_address(LINK_SLOTS - 1) :
		       (void *)(uintptr_t)(0x7000000 + LINK_SLOTS - 1), "of the last slot too");
		bind_now_finish(false);
		is_int(nprotections, 2, "once");
	}
	open_now(DT_FLAGS_1, DF_1_NOW);
	relocate_ours();
	plt_close(&record);
	bind_now_finish(true);
	ok(!put_back() && !nprotections, "closed before: it is not written to");

	make_object(CALLS);
	add_entry(DT_FLAGS_1, DF_1_NOW);
	entry_of(DT_RELA)->d_tag = DT_DEBUG;
	plt_open(&record, &image, &map);
	ok(put_back(), "without other relocations: left alone");
}

/* rax rcx rdx rsi rdi r8-r10 rbx rbp r12-r15; then the two words, rsp before and after. */
enum { REGISTERS = 14 };

#ifdef __x86_64__
uint64_t parts_given[REGISTERS], parts_got[REGISTERS + 4];
void parts_call(void);
void parts_land(void);
const struct link_map *parts_map = &map;

__asm__(
"	.text\n"
"parts_call:\n"
"	pushq	%rbx\n	pushq	%rbp\n	pushq	%r12\n	pushq	%r13\n	pushq	%r14\n	pushq	%r15\n"
"	subq	$8, %rsp\n"
"	leaq	parts_given(%rip), %r11\n"
"	movq	(%r11), %rax\n	movq	8(%r11), %rcx\n	movq	16(%r11), %rdx\n"
"	movq	24(%r11), %rsi\n	movq	32(%r11), %rdi\n	movq	40(%r11), %r8\n"
"	movq	48(%r11), %r9\n	movq	56(%r11), %r10\n	movq	64(%r11), %rbx\n"
"	movq	72(%r11), %rbp\n	movq	80(%r11), %r12\n	movq	88(%r11), %r13\n"
"	movq	96(%r11), %r14\n	movq	104(%r11), %r15\n"
"	movq	%rsp, 128+parts_got(%rip)\n"
"	call	1f\n"
"	addq	$8, %rsp\n"
"	popq	%r15\n	popq	%r14\n	popq	%r13\n	popq	%r12\n	popq	%rbp\n	popq	%rbx\n"
"	ret\n"
"1:	pushq	$2\n"			/* the third call */
"	pushq	parts_map(%rip)\n"
"	jmp	plt_resolve\n"
"parts_land:\n"
"	leaq	parts_got(%rip), %r11\n"
"	movq	%rax, (%r11)\n	movq	%rcx, 8(%r11)\n	movq	%rdx, 16(%r11)\n"
"	movq	%rsi, 24(%r11)\n	movq	%rdi, 32(%r11)\n	movq	%r8, 40(%r11)\n"
"	movq	%r9, 48(%r11)\n	movq	%r10, 56(%r11)\n	movq	%rbx, 64(%r11)\n"
"	movq	%rbp, 72(%r11)\n	movq	%r12, 80(%r11)\n	movq	%r13, 88(%r11)\n"
"	movq	%r14, 96(%r11)\n	movq	%r15, 104(%r11)\n"
"	popq	112(%r11)\n"
"	popq	120(%r11)\n"
"	leaq	8(%rsp), %rax\n"
"	movq	%rax, 136(%r11)\n"
"	ret\n");

static void test_registers(void)
{
	uintptr_t *got;

	plt_resolver = plain;
	make_object(CALLS);
	plt_open(&record, &image, &map);
	got = relocate_lazily();
	got[GOT_RESOLVER] = (uintptr_t)parts_land;
	for (uint64_t i = 0; i < REGISTERS; i++)
		parts_given[i] = 0x1111111111111111u * (i + 1) ^ 0x5a5a;
	parts_call();
	for (int i = 0; i < REGISTERS; i++)
		ok(parts_got[i] == parts_given[i], "the resolver that chooses keeps register %d", i);
	ok(parts_got[REGISTERS] == (uintptr_t)&map && parts_got[REGISTERS + 1] == 2,
	   "and the PLT's two words");
	ok(parts_got[REGISTERS + 2] == parts_got[REGISTERS + 3], "and the stack");
}
#else
void plt_resolve(void)
{
}

static void test_registers(void)
{
	skip(REGISTERS + 2, "registers of x86-64");
}
#endif

static void test_provider(void)
{
	enum { FUNCTION = 1, COMPANION = 2, FILE_NAME = 4 };
	static const struct {
		const char *name;
		int is;
	} samples[] = {
		{ "cuInit", FUNCTION }, { "cuA", FUNCTION }, { "cuZ", FUNCTION },
		{ "cudaMalloc", 0 }, { "cublasCreate_v2", 0 }, { "cu", 0 }, { "cu_Init", 0 },
		{ "cu[", 0 }, { "cu@", 0 }, { "CuInit", 0 }, { "xuInit", 0 }, { "cUInit", 0 },
		{ "", 0 }, { "libcuda.so.1", COMPANION | FILE_NAME },
		{ "libcuda.so", FILE_NAME }, { "/usr/lib/libcuda.so.1", COMPANION | FILE_NAME },
		{ "libcudart.so.12", 0 }, { "libcublas.so.12", 0 }, { "libnvidia-ml.so.1", 0 },
		{ "libnvrtc.so.12", 0 }, { "libcudadebugger.so", 0 },
		{ "libcuda.so.580.65.06", COMPANION }, { "libcudadebugger.so.1", COMPANION },
		{ "libnvidia-gpucomp.so.580.65.06", COMPANION },
		{ "libnvidia-nvvm.so.4", COMPANION }, { "libnvidia-nvvm70.so.4", COMPANION },
		{ "libnvidia-opticalflow.so.1", COMPANION },
		{ "libnvidia-ptxjitcompiler.so.1", COMPANION },
		{ "libnvidia-sandboxutils.so.1", COMPANION },
		{ "libnvidia-tileiras.so.580.65.06", COMPANION },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct elf_image named = { .soname = samples[i].name };

		is_int((provider_may_export(samples[i].name) ? FUNCTION : 0) |
		       (provider_is_driver_private(&named) ? COMPANION : 0) |
		       (provider_is_file(samples[i].name) ? FILE_NAME : 0), samples[i].is,
		       "'%s' is what it is", samples[i].name);
	}
	make_object(CALLS);
	image.soname = "libcuda.so.1";
	ok(!provider_is_driver(&image), "a library of the driver's name that only calls it is none");
	object.symbols[2].st_shndx = 1;
	object.symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	ok(!provider_is_driver(&image), "nor one that has data of such a name");
	object.symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	ok(provider_is_driver(&image), "one that has a function is");
	image.soname = "libcuda.so.2";
	ok(!provider_is_driver(&image), "by its name alone");
}

/* An object of this process as the auditor reads it, and as the loader does. */
static int check_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct link_map *link = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	const char *name = *info->dlpi_name ? info->dlpi_name : "the program";
	unsigned int functions = 0, other = 0, wrong = 0;
	struct elf_image read;

	(void)size;
	if (!link)
		return 0;
	ok(elf_read(&read, link, NULL, 0) && elf_count(&read), "%s: is read", name);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + segment->p_vaddr;
		int protection = (segment->p_flags & PF_R ? PROT_READ : 0) |
				 (segment->p_flags & PF_W ? PROT_WRITE : 0) |
				 (segment->p_flags & PF_X ? PROT_EXEC : 0);

		if (segment->p_type != PT_LOAD)
			continue;
		wrong += elf_protection(&read, from) != protection ||
			 elf_protection(&read, from + segment->p_memsz - 1) != protection ||
			 from < read.lo || from + segment->p_memsz > read.hi;
	}
	wrong += elf_protection(&read, read.hi) != -1 || elf_protection(&read, read.lo - 1) != -1;
	is_int(wrong, 0, "%s: its segments", name);
	for (uint32_t i = 1; i < read.nsymbols; i++) {
		const ElfW(Sym) *symbol = &read.symbols[i];
		const char *version = elf_version(&read, i);

		if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
		    ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
			continue;
		/* A name that the loader has for others to need, and does not find itself. */
		if (!strncmp(elf_name(&read, symbol), "__rtld_", 7))
			continue;
		functions++;
		other += version ? dlvsym(link, elf_name(&read, symbol), version) !=
				   (void *)(read.base + symbol->st_value) :
				   elf_find(&read, elf_name(&read, symbol)) != symbol;
	}
	is_int(other, 0, "%s: %u functions by their names and versions", name, functions);
	*(unsigned int *)data += functions;
	dlclose(link);
	return 0;
}

/* The word of another auditor of ours, where it is one; else it is not written to. */
static void test_peer(void)
{
	static const struct {
		const char *soname, *name;
		size_t size;
		bool writable, is_peer;
	} cases[] = {
		{ "libcuaudit.so", LINK_AUDITOR_SYMBOL, sizeof(void *), true, true },
		{ "libcuaudit.so", LINK_AUDITOR_SYMBOL, sizeof(int), true, false },
		{ "libcuaudit.so", LINK_AUDITOR_SYMBOL, sizeof(void *), false, false },
		{ "libcuaudit.so", LINK_SYMBOL, sizeof(void *), true, false },
		{ "libother.so", LINK_AUDITOR_SYMBOL, sizeof(void *), true, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t before = peer_count;

		make_object(0);
		image.soname = cases[i].soname;
		headers[0].p_flags = cases[i].writable ? PF_R | PF_W : PF_R;
		strcpy(object.strings + 1, cases[i].name);
		object.symbols[1] = (ElfW(Sym)){
			.st_name = 1, .st_shndx = 1, .st_size = cases[i].size,
			.st_value = (uintptr_t)&object.got[1] - base,
		};
		peer_open(&image);
		ok(object.got[1] == (cases[i].is_peer ? (uintptr_t)&object_table : 0) &&
		   peer_count == before + cases[i].is_peer, "%s, %s of %zu bytes%s", cases[i].soname,
		   cases[i].name, cases[i].size, cases[i].writable ? "" : ", read-only");
	}
	headers[0].p_flags = PF_R | PF_W;
	ok(!peer_is_first(), "nobody was there before us");
	cuaudit_auditor_link = &object_table;
	ok(peer_is_first(), "somebody was");
}

/* Each once and printed once; behind the last that has room, all in one. */
static void test_escapes(void)
{
	enum { MORE = 10 };
	struct link_object library = { .index = 5 };
	char path[32];

	for (int turn = 0; turn < 2; turn++)
		for (int i = 0; i < LINK_ESCAPES + MORE; i++) {
			snprintf(path, sizeof(path), "/some/lib%d.so", i);
			escape_record(CUAUDIT_ESCAPE_OBJECT, path, i % 2 ? &library : NULL, 3);
			if (turn == 0 && i == 2) {
				is_int(said, 0, "without a driver nothing is printed");
				ok(!escape_any(), "nor is there anything");
				atomic_store(&object_table.ndrivers, 1);
			}
		}
	ok(escape_any(), "with one there is");
	is_int(atomic_load(&object_table.nescapes), LINK_ESCAPES, "as many as have room");
	is_int(said, LINK_ESCAPES, "each is printed once");
	is_str(object_table.escapes[0].name, "lib0.so", "the first");
	is_str(object_table.escapes[LINK_ESCAPES - 2].name, "lib62.so", "the last but one");
	is_str(object_table.escapes[LINK_ESCAPES - 1].name, "(others)", "the last");
	is_int(object_table.escapes[0].object, 0, "of no library");
	is_int(object_table.escapes[1].object, 6, "of one");
	for (int i = 0; i < LINK_ESCAPES - 1; i++)
		if (atomic_load(&object_table.escapes[i].count) != 6)
			ok(false, "escape %d: how often", i);
	is_int(atomic_load(&object_table.escapes[LINK_ESCAPES - 1].count), 6 * (MORE + 1),
	       "how often all others");
	atomic_store(&object_table.nescapes, 0);
	escape_record(CUAUDIT_ESCAPE_OBJECT, "/lib.so", &library, 1);
	library.index = 6;
	escape_record(CUAUDIT_ESCAPE_OBJECT, "/lib.so", &library, 1);
	escape_record(CUAUDIT_ESCAPE_SYMBOLS, "/lib.so", &library, 1);
	is_int(atomic_load(&object_table.nescapes), 3, "another library's or another kind is another one");
	atomic_store(&object_table.nescapes, 0);
	atomic_store(&printed, 0);
	unchecked = 0;
	escape_record(CUAUDIT_ESCAPE_UNFIT, "/lib.so", &library, 1);
	is_int(unchecked, 0, "a process with functions that no hook can be around is checked");
	escape_record(CUAUDIT_ESCAPE_SLOTS, "/lib.so", &library, 1);
	is_int(unchecked, 1, "one with functions that have no slot is not");
}

static size_t program_callocs;

static void *program_calloc(size_t count, size_t size)
{
	program_callocs++;
	return calloc(count, size);
}

/* The loader's first is ours, whole; all others are the program's. */
static void test_heap(void)
{
	const uintptr_t cookies[2] = { 0, 0 }, value = (uintptr_t)program_calloc;
	void *(*given)(size_t, size_t);

	calloc_open(false, &cookies[1]);
	calloc_open(true, &cookies[0]);
	calloc_open(true, &cookies[1]);
	ok(calloc_bind(&cookies[1], value, "calloc") == value, "another's calloc stays");
	ok(calloc_bind(&cookies[0], value, "malloc") == value, "so does the program's malloc");
	given = (void *(*)(size_t, size_t))calloc_bind(&cookies[0], value, "calloc");
	ok((uintptr_t)given != value, "its calloc is ours");
	ok(calloc_bind(&cookies[0], value, "calloc") == value, "once");
	free(given(3, 40));
	ok(allocated == 120 && !program_callocs, "the first call has as much as it asks for");
	free(given(5, 40));
	ok(allocated == 120 && program_callocs == 1, "the next is the program's");
	calloc_settle(&cookies[0]);
	ok(calloc_bind(&cookies[0], value, "calloc") == value, "nothing is bound any more");
}

static int told = -1, ended = -1;

static void tell(int status)
{
	told = status;
}

static void end_here(int status)
{
	ended = status;
}

/* The first libc of the program's own namespace, and what ends a process there. */
static void test_exit(void)
{
	const struct elf_image one = { .soname = "libc.so.6" }, other = { .soname = "libm.so.6" }, none = { 0 };
	static struct link_object objects[3];
	uintptr_t value = (uintptr_t)end_here;

	ok(exit_bind(NULL, value, "_exit") == value, "no libc is known");
	ok(!exit_open(&objects[0], LM_ID_BASE, &other) && !exit_open(&objects[0], LM_ID_BASE, &none),
	   "others are none");
	ok(!exit_open(&objects[0], LM_ID_BASE + 1, &one), "nor is another namespace's");
	object_table.symtab_interposed = true;
	ok(!exit_open(&objects[0], LM_ID_BASE, &one), "nor any, where each binding is reported");
	object_table.symtab_interposed = false;
	ok(exit_open(&objects[1], LM_ID_BASE, &one), "this is it");
	ok(!exit_open(&objects[2], LM_ID_BASE, &one), "a second one is not");
	for (size_t i = 0; i < ENDS; i++) {
		const char *name = ends[i].name;
		uintptr_t ours = exit_bind(&objects[1], value, name);

		ok(exit_bind(&objects[1], value, name) == ours && exit_bind(&objects[1], value + 1, name) == value + 1,
		   "%s is bound again, and another version of it", name);
		ok(exit_bind(&objects[2], value, name) == value && exit_bind(NULL, value, name) == value,
		   "%s of another library is its own", name);
		atomic_store(&object_table.process_exit, NULL);
		told = ended = -1;
		((end_fn)ours)(3);
		ok(told == -1 && ended == 3, "%s: nobody is told, and the process ends", name);
		atomic_store(&object_table.process_exit, tell);
		((end_fn)ours)(4);
		ok(told == 4 && ended == 4, "%s: the core is told", name);
	}
	ok(exit_bind(&objects[1], value, "exit") == value, "exit stays");
}

static void test_filter(void)
{
	ok(!filter_list("", "", false) && !filter_list("::", "/lib/", false), "no glob matches nothing");
	ok(filter_list("::a*", "/lib/ab", false) && !filter_list("::a*", "/a/b", false),
	   "empty ones between others are none");
	ok(filter_list("[ab", "/lib/a", false) && filter_list("x\\", "/lib/x\\", false),
	   "what is not finished ends with the glob");
}

/* Against libc's, with what both take alike. */
static void test_glob(void)
{
	static const char *const pieces[] = { "a", "b", "c", "*", "?", "[ab]", "[!a]", "[^bc]", "[a-b]", "[!b-c]",
					      "[]a]", "[!]a]", "[a-]", "\\*", "\\a", "]", "-", "!" };
	int wrong = 0, matched = 0;

	chance_begin(11, 0);
	for (int round = 0; round < 300000; round++) {
		char pattern[64] = "", text[16] = "", longer[80];

		for (uint64_t i = chance(7); i; i--)
			strcat(pattern, pieces[chance(sizeof(pieces) / sizeof(pieces[0]))]);
		for (uint64_t i = chance(8); i; i--)
			strncat(text, &"abc]-!*"[chance(7)], 1);
		snprintf(longer, sizeof(longer), "%s*]", pattern);
		matched += !fnmatch(pattern, text, 0);
		wrong += glob_matches(longer, strlen(pattern), text) != !fnmatch(pattern, text, 0);
	}
	ok(!wrong && matched > 1000, "globs as fnmatch(3) has them: %d wrong, %d match", wrong, matched);
}

int main(void)
{
	unsigned int functions = 0;

	object_table.slots = slots;
	for (uint32_t i = 0; i < LINK_SLOTS; i++)
		atomic_store(&slots[i].real, (void *)(uintptr_t)(0x7000000 + i));
	test_start();
	test_lazy();
	test_now();
	base = 0;
	test_lazy();
	test_now();
	base = (uintptr_t)&object;
	test_registers();
	plt_resolver = 0;
	test_provider();
	test_peer();
	dl_iterate_phdr(check_object, &functions);
	ok(functions > 1000, "%u functions in all", functions);
	test_escapes();
	test_heap();
	test_filter();
	test_glob();
	test_exit();
	return done_testing();
}
