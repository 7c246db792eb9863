/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the auditor changes in an object before the loader relocates it: relocations by which it
 * would come to the driver unseen, and the driver's symbols.
 */
#include "arch.h"
#include "audit/compat.h"
#include "audit/driver.h"
#include "audit/env.h"
#include "audit/escape.h"
#include "audit/peer.h"
#include "audit/stub.h"
#include "audit/symtab.h"

/* The loader's list of namespaces is one of the test's own. */
#define loaders_spaces (*spaces)
#define __asm__(name) __asm__("own" name)
#define make_room symtab_make_room
#include "audit/symtab.c"
#undef make_room
#undef __asm__
#include "audit/elf.c"
#include "audit/relocate.c"

#include "t/elf_object.h"
#include "audit/chosen.h"
#include "audit/slot.h"
#include "audit/slot_lock.h"
#include "audit/sys.h"

bool chosen_may_export(const char *function, unsigned int type)
{
	(void)function;
	(void)type;
	return false;
}


struct link_table object_table;
size_t sys_page = PAGE;
uint32_t peer_count;
const struct space *spaces;
const ElfW(Dyn) own_dynamic[1];

static struct object_detail detail;
static struct link_object record = { .path = "/object" };

/* What these take from the rest of the auditor. */
static unsigned int allocations, escapes[CUAUDIT_ESCAPES], nprotections;
static bool no_memory;
static struct {
	uintptr_t from, to;
	int protection;
} protections[4];

void *sys_alloc(size_t size)
{
	allocations++;
	return no_memory ? NULL : calloc(1, size);
}

static int protect_answer;

int sys_protect(uintptr_t from, uintptr_t to, int protection)
{
	protections[nprotections % 4].from = from;
	protections[nprotections % 4].to = to;
	protections[nprotections++ % 4].protection = protection;
	return protect_answer;
}

void escape_record(enum cuaudit_escape_kind kind, const char *path,
		   const struct link_object *object, uint32_t times)
{
	(void)path, (void)object;
	/* Nothing is no escape. */
	mistaken += !times;
	escapes[kind] += times;
}

struct object_detail *object_detail(struct link_object *object)
{
	object->detail = &detail;
	return &detail;
}

bool driver_exports(uintptr_t address)
{
	return address >= 0x7000 && address < 0x8000;
}

/* Every second symbol has one. */
int driver_slot(const struct link_object *object, unsigned int symbol)
{
	(void)object;
	return symbol % 2 ? (int)symbol + 100 : -1;
}

void *stub_address(uint32_t slot)
{
	return (void *)(uintptr_t)(0x9000000 + slot * 16);
}

bool sys_starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

void stub_route(uint32_t slot, void *target)
{
	(void)slot;
	(void)target;
}

struct link_driver *chosen_record(const char *path, const char *named)
{
	(void)path;
	(void)named;
	return NULL;
}

int slot_add(uint32_t driver, const char *name, size_t length)
{
	(void)driver;
	(void)name;
	(void)length;
	return -1;
}

void slot_fill(uint32_t slot, void *real)
{
	(void)slot;
	(void)real;
}

uint64_t slot_lock_take(void)
{
	return 0;
}

void slot_lock_release(uint64_t signals)
{
	(void)signals;
}

int32_t sys_thread(void)
{
	return 1;
}

/* Whole and right, and nothing was done to it yet. */
static ElfW(Phdr) *make_fresh(void)
{
	memset(&detail, 0, sizeof(detail));
	memset(escapes, 0, sizeof(escapes));
	nprotections = 0;
	return make_object();
}

/* The symbol table that the loader reads has stubs where functions have slots. */
static void test_repoint(void)
{
	ElfW(Phdr) *headers;
	ElfW(Sym) *copy;
	unsigned int wrong = 0, before;

	for (int turn = 0; turn < 4; turn++) {
		headers = make_fresh();
		reads();
		elf_count(&image);
		object_detail(&record);
		no_memory = turn == 1;
		if (turn == 2)
			drop_entry(DT_SYMTAB);
		headers[3].p_flags = turn == 3 ? PF_R : PF_R | PF_W;
		symtab_repoint(&record, &image, &map);
		no_memory = false;
		is_int(escapes[CUAUDIT_ESCAPE_SYMBOLS], turn != 0, "symbols, %s",
		       (const char *const[]){ "replaced", "without memory", "without an entry",
					      "where it is read-only" }[turn]);
		if (turn != 2)
			ok((entry_of(DT_SYMTAB)->d_un.d_ptr == (uintptr_t)tables->symbols) ==
				   (turn != 0),
			   "... the entry");
	}
	make_fresh();
	reads();
	elf_count(&image);
	symtab_repoint(&record, &image, &map);
	copy = (ElfW(Sym) *)entry_of(DT_SYMTAB)->d_un.d_ptr;
	for (uint32_t i = 0; i < SYMBOLS; i++) {
		ElfW(Sym) want = tables->symbols[i];

		if (i % 2)
			want.st_value = (uintptr_t)stub_address(i + 100) - (uintptr_t)pages;
		wrong += memcmp(&want, &copy[i], sizeof(want)) != 0;
	}
	is_int(wrong, 0, "the same symbols with their stubs");
	before = allocations;
	entry_of(DT_SYMTAB)->d_un.d_ptr = (uintptr_t)tables->symbols;
	symtab_repoint(&record, &image, &map);
	ok(allocations == before && entry_of(DT_SYMTAB)->d_un.d_ptr == (uintptr_t)copy,
	   "the copy is used again");
	image.nsymbols++;
	entry_of(DT_SYMTAB)->d_un.d_ptr = (uintptr_t)tables->symbols;
	symtab_repoint(&record, &image, &map);
	ok(allocations == before + 1 && entry_of(DT_SYMTAB)->d_un.d_ptr != (uintptr_t)copy,
	   "but not for more symbols");
}

/* By which auditors there are whether symbols are needed; and which of them is this one. */
static void test_needed(void)
{
	static struct link_map others = { .l_name = "/other.so" },
			       own = { .l_name = "/own.so", .l_next = &others };
	static struct space list[5];
	static const struct {
		unsigned int version;
		int listed; /* the namespaces, -1: the loader lists none */
		uint32_t auditors, peers;
		bool needed;
	} cases[] = {
		{ 1, 1, 1, 0, true },	{ 2, 0, 0, 0, false },	{ 2, 1, 9, 0, false },
		{ 2, 2, 1, 0, true },	{ 2, 2, 9, 1, false },	{ 2, 3, 1, 1, true },
		{ 2, 3, 1, 2, false },	{ 2, 4, 1, 2, true },	{ 2, -1, 1, 0, false },
		{ 2, -1, 2, 0, true },	{ 2, -1, 2, 1, false }, { 2, -1, 3, 1, true },
		{ 2, -1, 3, 2, false },
	};

	others.l_ld = (ElfW(Dyn) *)tables->dynamic;
	own.l_ld = (ElfW(Dyn) *)(uintptr_t)own_dynamic;
	spaces = list;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct env_loader loader = { .auditors = cases[i].auditors };
		int listed = cases[i].listed;

		for (int k = 0; k < 5; k++)
			list[k] = (struct space){ .base = { .r_version = listed < 0 ? 1 : 2,
							    .r_map = k <= listed ? &others : NULL },
						  .next = k < 4 ? &list[k + 1] : NULL };
		peer_count = cases[i].peers;
		is_int(symtab_needed(cases[i].version, &loader), cases[i].needed,
		       "version %u, %d namespaces, %u auditors, %u of ours before",
		       cases[i].version, listed, cases[i].auditors, cases[i].peers);
		ok(!symtab_own_path(), "... none is this one");
		if (listed >= 1)
			list[listed].base.r_map = &own;
		others.l_next = listed == 2 ? &own : NULL;
		own.l_next = listed == 2 ? NULL : &others;
		if (listed == 2)
			list[2].base.r_map = &others;
		is_str(listed < 1 ? "/own.so" : symtab_own_path(), "/own.so", "... one is");
		others.l_next = NULL;
	}
	peer_count = 0;
}

/* Of the last seven relocations, which come to the driver by an address. */
static void set_relocations(void)
{
	static const struct {
		uint32_t symbol, type, addend;
	} made[RELAS] = {
		{ 3, ARCH_R_GLOB_DAT, 0 },
		{ 1, ARCH_R_GLOB_DAT, 0 },
		{ 2, ARCH_R_ABSOLUTE, 0 },
		{ 1, ARCH_R_ABSOLUTE, 8 },
		{ 1, ARCH_R_ABSOLUTE, 0 },
		{ 6, ARCH_R_GLOB_DAT, 0 },
		{ 1, ARCH_R_GLOB_DAT + ARCH_R_JUMP_SLOT, 0 },
	};

	for (int i = 0; i < RELAS; i++)
		tables->rela[RELATIVES + i] = (ElfW(Rela)){
			.r_offset = (uintptr_t)&tables->gnu[2 * i] - (uintptr_t)pages,
			.r_addend = made[i].addend,
			.r_info = ELF64_R_INFO((uint64_t)made[i].symbol, made[i].type),
		};
}

/* Bits of those that are JUMP_SLOTs now. */
static unsigned int rewritten(const ElfW(Rela) *rela)
{
	unsigned int which = 0;

	for (int i = 0; i < RELAS; i++)
		which |= ELF64_R_TYPE(rela[RELATIVES + i].r_info) == ARCH_R_JUMP_SLOT ? 1u << i : 0;
	return which;
}

enum { WANTED = 1 << 1 | 1 << 2 | 1 << 4, COUNT = 3 };

/* A program that cannot move: that object's names, and a value of its own for one of them. */
static struct elf_image *make_program(uintptr_t value)
{
	static struct elf_image program;
	static ElfW(Sym) symbols[SYMBOLS];

	memcpy(symbols, tables->symbols, sizeof(symbols));
	symbols[1] = tables->symbols[4];
	symbols[4] = tables->symbols[1];
	symbols[4].st_value = value;
	elf_count(&image);
	program = image;
	program.base = 0;
	program.symbols = symbols;
	return &program;
}

static void begin(unsigned int flags)
{
	make_fresh()[3].p_flags = flags;
	set_relocations();
	elf_read(&image, &map, NULL, 0);
	memset(&main_image, 0, sizeof(main_image));
	main_ndefined = 0;
	main_space = -1;
	protect_answer = 0;
}

/* In place: in a segment that can be written, or one that is read-only and becomes so again. */
static void test_in_place(void)
{
	for (int constant = 0; constant < 2; constant++) {
		uintptr_t from = (uintptr_t)&tables->rela[RELATIVES + 1],
			  to = (uintptr_t)&tables->rela[RELATIVES + 5];

		begin(constant ? PF_R : PF_R | PF_W);
		relocate_rewrite(&record, &image, &map, LM_ID_BASE);
		is_int(rewritten(tables->rela), WANTED, "%s: those of the driver's names",
		       constant ? "read-only" : "writable");
		is_int(escapes[CUAUDIT_ESCAPE_RELOCATIONS], 0, "... all");
		ok(ELF64_R_SYM(tables->rela[RELATIVES + 2].r_info) == 2, "... of the same symbols");
		is_int(nprotections, constant ? 2 : 0, "... the pages' protection");
		for (unsigned int i = 0; i < nprotections; i++)
			ok(protections[i].from == from && protections[i].to == to &&
				   protections[i].protection ==
					   (i ? PROT_READ : PROT_READ | PROT_WRITE),
			   "... %s", i ? "after" : "before");
		ok(!relocate_was_rewritten(&record, "cuCtxGet") &&
			   !relocate_was_rewritten(&record, "puts"),
		   "... none of another name");
		ok(relocate_was_rewritten(&record, "cuMemFree_v2") &&
			   !relocate_was_rewritten(&record, "cuMemFree_v2"),
		   "... a name with one, once");
		ok(relocate_was_rewritten(&record, "cuInit") &&
			   relocate_was_rewritten(&record, "cuInit") &&
			   !relocate_was_rewritten(&record, "cuInit"),
		   "... a name with two, twice");
	}
	record.detail = NULL;
	ok(!relocate_was_rewritten(&record, "cuInit"), "an object without any");
}

/* Opened again its memory is used again, if it is enough. */
static void test_again(void)
{
	struct object_detail kept;
	unsigned int before;

	begin(PF_R | PF_W);
	relocate_rewrite(&record, &image, &map, LM_ID_BASE);
	kept = detail;
	for (int more = 0; more < 2; more++) {
		begin(PF_R | PF_W);
		detail = kept;
		if (more)
			tables->rela[RELATIVES + 3].r_addend = 0;
		before = allocations;
		relocate_rewrite(&record, &image, &map, LM_ID_BASE);
		is_int(allocations - before, 0, "opened again, %s",
		       more ? "one more" : "the same");
		is_int(detail.npending, 8, "... places for its names");
		is_int(detail.room, 8, "... room for twice as many as there are");
		for (int bound = 0; bound < 2 + more; bound++)
			ok(relocate_was_rewritten(&record, "cuInit"), "... one was not bound yet");
		ok(!relocate_was_rewritten(&record, "cuInit"), "... and no more");
	}
	begin(PF_R | PF_W);
	no_memory = true;
	relocate_rewrite(&record, &image, &map, LM_ID_BASE);
	no_memory = false;
	ok(!rewritten(tables->rela) && escapes[CUAUDIT_ESCAPE_RELOCATIONS] == COUNT,
	   "without memory they are reported");
	begin(PF_R);
	protect_answer = -1;
	set_entry(DT_PLTGOT, 0);
	relocate_rewrite(&record, &image, &map, LM_ID_BASE);
	ok(!rewritten(tables->rela) && escapes[CUAUDIT_ESCAPE_RELOCATIONS] == COUNT,
	   "read-only and not to be changed: they are reported");
	begin(PF_R | PF_W);
	image.nrela = 1;
	allocations = 0;
	relocate_rewrite(&record, &image, &map, LM_ID_BASE);
	ok(!allocations && !escapes[CUAUDIT_ESCAPE_RELOCATIONS],
	   "an object that asks for none is left alone");
	begin(PF_R | PF_W);
	image.room = 2;
	relocate_rewrite(&record, &image, &map, LM_ID_BASE);
	is_int(rewritten(tables->rela), 1 << 1 | 1 << 4, "symbols that are not there are none");
}

/*
 * In a copy, where the table shares a segment with code. Its dynamic section is in another one:
 * the tables' segment is cut behind it.
 */
static void begin_copy(void)
{
	static ElfW(Phdr) cut[HEADERS + 1];
	size_t dynamic = offsetof(struct tables, symbols);

	begin(PF_R | PF_W);
	memcpy(cut, image.phdr, HEADERS * sizeof(*cut));
	cut[HEADERS] = cut[3];
	cut[3].p_memsz = dynamic;
	cut[HEADERS].p_vaddr += dynamic;
	cut[HEADERS].p_memsz -= dynamic;
	cut[HEADERS].p_flags = PF_R | PF_X;
	image.phdr = cut;
	image.phnum = HEADERS + 1;
}

static void test_copy(void)
{
	enum { ALL = RELATIVES + RELAS, ENTRY = sizeof(ElfW(Rela)) };
	static const struct {
		const char *name;
		long jmprel, pltrelsz; /* -1: there is none */
		bool relative;
		size_t copied;
	} cases[] = {
		{ "a PLT's apart", -1, -1, false, ALL },
		{ "a PLT's without a size", ALL - 1, -1, false, ALL },
		{ "a size without a PLT's", -1, 1, false, ALL },
		{ "the last is a PLT's", ALL - 1, 1, false, ALL - 1 },
		{ "so with its address from the base", ALL - 1, 1, true, ALL - 1 },
		{ "all behind the driver's", RELATIVES + 5, RELAS - 5, false, RELATIVES + 5 },
		{ "a PLT's elsewhere", ALL, 1, false, ALL },
		{ "a PLT's in the middle", ALL - 2, 1, false, ALL },
		{ "a PLT's larger than all", -2, ALL + 2, false, ALL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const ElfW(Rela) *copy;
		uintptr_t jmprel = (uintptr_t)(tables->rela + cases[i].jmprel) -
				   (cases[i].relative ? (uintptr_t)pages : 0);

		begin_copy();
		if (cases[i].jmprel != -1)
			set_entry(DT_JMPREL, jmprel);
		if (cases[i].pltrelsz >= 0)
			set_entry(DT_PLTRELSZ, (ElfW(Xword))cases[i].pltrelsz * ENTRY);
		relocate_rewrite(&record, &image, &map, LM_ID_BASE);
		copy = (const ElfW(Rela) *)entry_of(DT_RELA)->d_un.d_ptr;
		ok(copy != tables->rela && !rewritten(tables->rela) && !nprotections, "%s: a copy",
		   cases[i].name);
		is_int((long long)entry_of(DT_RELASZ)->d_un.d_val,
		       (long long)(cases[i].copied * ENTRY), "... of which");
		is_int(rewritten(copy), WANTED, "... the driver's");
		ok(!memcmp(copy, tables->rela, (RELATIVES + 1) * ENTRY) &&
			   !memcmp(copy + RELATIVES + 3, tables->rela + RELATIVES + 3, ENTRY),
		   "... the others");
		is_int(escapes[CUAUDIT_ESCAPE_RELOCATIONS], 0, "... nothing is left");
	}

	/* Read-only, and not to be changed where it is. */
	begin_copy();
	((ElfW(Phdr) *)(uintptr_t)image.phdr)[HEADERS].p_flags = PF_R;
	protect_answer = -1;
	relocate_rewrite(&record, &image, &map, LM_ID_BASE);
	ok(rewritten(detail.relocations) == WANTED && nprotections == 1,
	   "a table that stays read-only: a copy, which can be written");

	/* One of the PLT's would have to be changed. */
	for (size_t from = 0; from <= RELATIVES + 4; from++) {
		begin_copy();
		set_entry(DT_JMPREL, (uintptr_t)(tables->rela + from));
		set_entry(DT_PLTRELSZ, (ALL - from) * ENTRY);
		relocate_rewrite(&record, &image, &map, LM_ID_BASE);
		is_int(escapes[CUAUDIT_ESCAPE_RELOCATIONS], COUNT,
		       "a PLT's from %zu on: they are reported", from);
	}
	for (int turn = 0; turn < 6; turn++) {
		struct object_detail kept = detail;
		static ElfW(Phdr) *headers;
		unsigned int before;

		begin_copy();
		headers = (ElfW(Phdr) *)(uintptr_t)image.phdr;
		if (turn == 0 || turn == 1)
			drop_entry(turn ? DT_RELASZ : DT_RELA);
		if (turn == 2)
			headers[3].p_flags = PF_R;
		if (turn == 3) {
			detail.room = COUNT;
			detail.pending = calloc(COUNT, sizeof(*detail.pending));
		}
		if (turn == 5)
			detail = kept;
		before = allocations;
		no_memory = turn == 3;
		relocate_rewrite(&record, &image, &map, LM_ID_BASE);
		no_memory = false;
		is_int(escapes[CUAUDIT_ESCAPE_RELOCATIONS], turn < 4 ? COUNT : 0, "a copy, %s",
		       (const char *const[]){ "without an entry", "without a size",
					      "the entries read-only", "without memory", "as it is",
					      "again" }[turn]);
		if (turn == 5)
			is_int(allocations - before, 0, "... its memory is used again");
	}
}

/* A program that cannot move and takes a function's address has one of its own for all. */
static void test_left(void)
{
	struct elf_image *program;
	unsigned int before;

	for (int turn = 0; turn < 6; turn++) {
		begin(PF_R | PF_W);
		program = make_program(turn == 4 ? 0 : 0x400500);
		program->base = turn == 3 ? (uintptr_t)pages : 0;
		relocate_note_main(program, LM_ID_BASE);
		if (turn == 5)
			main_ndefined = 0;
		((uintptr_t *)(void *)tables->gnu)[1] = 0x7010;
		((uintptr_t *)(void *)tables->gnu)[4] = turn == 1 ? 0x400500 : 0x7020;
		before = allocations;
		relocate_rewrite(&record, &image, &map, turn == 2 ? LM_ID_BASE + 1 : LM_ID_BASE);
		is_int(rewritten(tables->rela), turn < 2 ? 1 << 2 : WANTED, "the program has %s",
		       (const char *const[]){ "an address of its own", "one, which is taken",
					      "one, in another namespace", "none: it moves",
					      "none", "one behind its symbols" }[turn]);
		is_int(escapes[CUAUDIT_ESCAPE_RELOCATIONS], 0, "... which is no escape yet");
		is_int(detail.nleft, turn < 2 ? 2 : 0, "... those left are kept");
		relocate_close(&record);
		is_int(escapes[CUAUDIT_ESCAPE_RELOCATIONS], turn == 0 ? 2 : turn == 1,
		       "... which came to the driver");
		if (turn < 2) {
			detail.nleft = 0;
			before = allocations;
			keep_all_left(&record, &image);
			ok(allocations == before && detail.nleft == 2, "... kept in the same room");
			detail.nleft = 0;
			relocate_rewrite(&record, program, &map, LM_ID_BASE);
			is_int(detail.nleft, 0, "... not the program's own");
		}
	}
	begin(PF_R);
	relocate_note_main(make_program(0x400500), LM_ID_BASE);
	relocate_rewrite(&record, &image, &map, LM_ID_BASE);
	is_int(detail.nleft, 0, "no word that is read-only");
	begin(PF_R | PF_W);
	relocate_note_main(make_program(0x400500), LM_ID_BASE);
	no_memory = true;
	relocate_rewrite(&record, &image, &map, LM_ID_BASE);
	no_memory = false;
	is_int(detail.nleft, 0, "none without memory");
	record.detail = NULL;
	relocate_close(&record);
	ok(true, "an object without any is closed");
}

int main(void)
{
	map_object();
	test_repoint();
	test_needed();
	test_in_place();
	test_again();
	test_copy();
	test_left();
	is_int(mistaken, 0, "what was read is the object, what escaped is something");
	return done_testing();
}
