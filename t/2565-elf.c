/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the auditor reads of an object, its headers and tables wherever they may be: all that is
 * there, and nothing behind it.
 */
#include "audit/elf.c"

#include "t/elf_object.h"

enum { ROUNDS = 20000 };

/* Wherever in their page the program headers are. */
static void test_headers(void)
{
	enum { SIZE = HEADERS * sizeof(ElfW(Phdr)) };
	const ElfW(Ehdr) right = { .e_ident = ELFMAG,
				   .e_phentsize = sizeof(ElfW(Phdr)),
				   .e_phnum = HEADERS };
	unsigned int wrong = 0;
	size_t large;

	for (size_t at = sizeof(ElfW(Ehdr)); at <= PAGE - SIZE; at += 8) {
		make_object();
		put_headers(at);
		wrong += !reads() || image.phnum != HEADERS ||
			 (uintptr_t)image.phdr != (uintptr_t)pages + at;
	}
	is_int(wrong, 0, "program headers anywhere in the first page");
	for (size_t at = PAGE - SIZE + 8; at < 3 * PAGE; at += 8) {
		make_object();
		header()->e_phoff = at;
		wrong += reads();
	}
	make_object();
	header()->e_phoff = UINTPTR_MAX - 7;
	wrong += reads();
	is_int(wrong, 0, "none that are not all there");
	for (large = PAGE / sizeof(ElfW(Phdr)) - 2; large < 1000; large++) {
		make_object();
		header()->e_phnum = (uint16_t)large;
		wrong += reads() != (large <= (PAGE - sizeof(ElfW(Ehdr))) / sizeof(ElfW(Phdr)));
	}
	is_int(wrong, 0, "as many as there is room for");
	for (size_t i = 0; i < SELFMAG; i++) {
		make_object();
		header()->e_ident[i] ^= 1;
		wrong += reads();
	}
	make_object();
	header()->e_phentsize++;
	ok(!wrong && !reads(), "only behind an ELF header of this kind");
	make_object();
	memmove(pages + 8, pages, sizeof(right) + SIZE);
	for (int i = 0; i < HEADERS; i++)
		((ElfW(Phdr) *)(pages + 8 + sizeof(right)))[i].p_vaddr -= 8;
	map.l_addr += 8;
	ok(!reads(), "an object begins with a page");
	make_object();
	map.l_addr = 0;
	ok(!reads(), "where nothing is nothing is read");
	map.l_addr = (uintptr_t)pages + PAGE;
	ok(!reads(), "nor where nothing can be");

	/* As the kernel tells of the executable's. */
	make_object();
	header()->e_ident[0] = 0;
	ok(elf_read(&image, &map, (ElfW(Phdr) *)(pages + sizeof(right)), HEADERS),
	   "headers known from elsewhere are taken");
	ok(!elf_read(&image, &map, (ElfW(Phdr) *)(pages + sizeof(right)), HEADERS - 2),
	   "all that are known");
}

/* Segments that wrap, lie over each other, or are another object's; dynamic sections off a word. */
static void test_measure(void)
{
	ElfW(Phdr) *headers = make_object();

	ok(reads(), "the object itself");
	memmove((char *)tables->dynamic + 4, tables->dynamic,
		sizeof(tables->dynamic) - sizeof(ElfW(Dyn)));
	map.l_ld = (ElfW(Dyn) *)((char *)tables->dynamic + 4);
	headers[2].p_vaddr += 4;
	ok(!reads(), "its dynamic section is off a word");
	map.l_ld = NULL;
	ok(!reads(), "it has none");
	headers = make_object();
	headers[2].p_vaddr += sizeof(ElfW(Dyn));
	ok(!reads(), "headers of another object");
	headers = make_object();
	headers[2].p_type = PT_NOTE;
	ok(!reads(), "headers without a dynamic section");
	headers = make_object();
	headers[0].p_memsz = headers[3].p_vaddr;
	ok(reads(), "segments that touch");
	headers[0].p_memsz++;
	ok(!reads(), "segments over each other");
	headers = make_object();
	headers[3].p_memsz = UINTPTR_MAX - (uintptr_t)tables;
	elf_read(&image, &map, NULL, 0);
	ok(image.hi == UINTPTR_MAX, "a segment up to the end of all");
	headers[3].p_memsz++;
	elf_read(&image, &map, NULL, 0);
	ok(!image.symbols, "a segment beyond the end of all");
	headers = make_object();
	headers[3].p_flags = PF_W;
	ok(!elf_read(&image, &map, NULL, 0), "what cannot be read is not");
	headers = make_object();
	headers[0].p_type = headers[3].p_type = PT_NOTE;
	ok(!elf_read(&image, &map, NULL, 0), "no segment at all");
	make_object();
	put_headers(sizeof(ElfW(Ehdr)) + 4);
	ok(!elf_read(&image, &map, NULL, 0) && !image.symbols, "headers off a word");
	headers = make_object();
	headers[0].p_vaddr = headers[3].p_vaddr + headers[3].p_memsz;
	ok(!elf_read(&image, &map, NULL, 0), "segments from the last to the first");
}

/* The headers as the file's mappings have them, by a second count. */
static const ElfW(Phdr) *expected(uintptr_t dynamic, size_t offset, size_t size)
{
	int first = -1, own = -1;

	for (int i = 0; i < (int)nmappings && own < 0; i++) {
		first = mappings[i].offset ? first : i;
		own = dynamic >= mappings[i].from && dynamic < mappings[i].to ? i : -1;
	}
	if (own < 0 || first < 0 || !mappings[own].file ||
	    mappings[first].file != mappings[own].file || !mappings[first].readable)
		return NULL;
	for (int i = first; i < (int)nmappings; i++) {
		size_t begin = mappings[i].offset,
		       end = begin + (mappings[i].to - mappings[i].from);

		if (mappings[i].file == mappings[own].file && mappings[i].readable &&
		    offset >= begin && offset + size <= end)
			return (const ElfW(Phdr) *)(mappings[i].from + (offset - begin));
	}
	return NULL;
}

/* Where an object's first page is not at its base, the mappings of its file are looked through. */
static void test_search(void)
{
	enum { OURS = 7, SIZE = HEADERS * sizeof(ElfW(Phdr)), SPACE = 2 * MAPPINGS + 1 };
	static const size_t within[] = { 0, sizeof(ElfW(Ehdr)), PAGE - SIZE, PAGE - SIZE + 8,
					 PAGE - 8 };
	static char space[SPACE * PAGE] __attribute__((aligned(PAGE)));
	unsigned int wrong = 0, found = 0, moved = 0;

	chance_begin(5, 0);
	for (int round = 0; round < ROUNDS; round++) {
		size_t offset = chance(4) * PAGE + within[chance(5)];
		uintptr_t at = (uintptr_t)space,
			  dynamic = at + (chance(2) ? chance(SPACE) * PAGE : chance(sizeof(space)));
		const ElfW(Phdr) *want;
		bool is_found;

		nmappings = 1 + (unsigned int)chance(MAPPINGS);
		for (unsigned int i = 0; i < nmappings; i++) {
			at += chance(8) ? 0 : PAGE;
			mappings[i] = (struct sys_mapping){
				.from = at,
				.to = at + PAGE * (1 + (chance(3) == 0)),
				.offset = chance(2) * chance(4) * PAGE,
				.file = chance(8) ? OURS : chance(2) * (OURS + 1),
				.readable = chance(8),
			};
			at = mappings[i].to < (uintptr_t)space + sizeof(space) - PAGE
				     ? mappings[i].to
				     : at;
		}
		for (size_t i = 0; i < SPACE; i++)
			*(ElfW(Ehdr) *)(space + i * PAGE) = (ElfW(Ehdr)){
				.e_ident = ELFMAG,
				.e_phentsize = sizeof(ElfW(Phdr)),
				.e_phnum = HEADERS,
				.e_phoff = offset,
			};
		image = (struct elf_image){ .phdr = NULL };
		want = expected(dynamic, offset, SIZE);
		is_found = search_phdrs(&image, (const ElfW(Dyn) *)dynamic);
		wrong += is_found != (want != NULL) || image.phdr != want ||
			 image.phnum != (want ? HEADERS : 0);
		found += is_found;
		moved += is_found && offset >= PAGE;
	}
	is_int(wrong, 0, "headers in the mappings of a file, %d times", ROUNDS);
	ok(found > ROUNDS / 50 && moved > ROUNDS / 500, "%u were found, %u not in the first page",
	   found, moved);
	for (size_t i = 0; i < SPACE; i++)
		*(ElfW(Ehdr) *)(space + i * PAGE) = (ElfW(Ehdr)){
			.e_ident = "\177ELX",
			.e_phentsize = sizeof(ElfW(Phdr)),
			.e_phnum = 1,
			.e_phoff = sizeof(ElfW(Ehdr)),
		};
	mappings[0] = (struct sys_mapping){ (uintptr_t)space, (uintptr_t)space + PAGE, 0, OURS,
					    true };
	nmappings = 1;
	ok(!search_phdrs(&image, (const ElfW(Dyn) *)space), "a file that is no ELF file");

	/* A whole object, which is not at its base. */
	for (int turn = 0; turn < 2; turn++) {
		ElfW(Phdr) *headers = make_object();

		for (int i = 0; i < HEADERS; i++)
			headers[i].p_vaddr += PAGE;
		map.l_addr -= PAGE;
		nmappings = 0;
		mappings[nmappings++] = (struct sys_mapping){ (uintptr_t)pages,
							      (uintptr_t)pages + PAGE, 0, OURS,
							      true };
		mappings[nmappings++] = (struct sys_mapping){ (uintptr_t)pages + 2 * PAGE,
							      (uintptr_t)pages + 4 * PAGE, 2 * PAGE,
							      turn ? OURS : OURS + 1, true };
		is_int(reads(), turn, "an object made for another address%s",
		       turn ? "" : ", of another file");
	}
}

/* Behind another object's headers, which are at its base, its own are found. */
static void test_both(void)
{
	ElfW(Phdr) *headers = make_object();

	memcpy(pages + 2 * PAGE, pages, sizeof(ElfW(Ehdr)) + HEADERS * sizeof(ElfW(Phdr)));
	mappings[nmappings++] = (struct sys_mapping){ (uintptr_t)pages + 2 * PAGE,
						      (uintptr_t)pages + 4 * PAGE, 0, 1, true };
	headers[2].p_vaddr += sizeof(ElfW(Dyn));
	ok(reads() && (uintptr_t)image.phdr == (uintptr_t)pages + 2 * PAGE + sizeof(ElfW(Ehdr)),
	   "another object's headers at its base");
}

/* Entries in any order tell the same. */
static void test_shuffled(void)
{
	struct elf_image first;
	unsigned int count = 0, wrong = 0;

	make_object();
	set_entry(DT_GNU_HASH, (uintptr_t)tables->gnu);
	set_entry(DT_VERSYM, (uintptr_t)tables->versym);
	set_entry(DT_VERDEF, (uintptr_t)tables->versions);
	set_entry(DT_VERDEFNUM, VERSIONS);
	ok(reads() && image.gnu_hash && image.versym && image.verdef && image.nverdef == VERSIONS &&
		   image.soname && image.rela == tables->rela + RELATIVES && image.nrela == RELAS &&
		   image.nrelative == RELATIVES,
	   "all entries");
	first = image;
	while (tables->dynamic[count].d_tag != DT_NULL)
		count++;
	chance_begin(7, 0);
	for (int round = 0; round < 1000; round++) {
		for (unsigned int i = count - 1; i; i--) {
			unsigned int other = (unsigned int)chance(i + 1);
			ElfW(Dyn) moved = tables->dynamic[i];

			tables->dynamic[i] = tables->dynamic[other];
			tables->dynamic[other] = moved;
		}
		wrong += !reads() || memcmp(&first, &image, sizeof(first));
	}
	is_int(wrong, 0, "entries in any order");
	set_entry(DT_RELACOUNT, RELATIVES + RELAS);
	ok(reads() && !image.nrela && image.nrelative == RELATIVES + RELAS,
	   "all relocations are relative");
	set_entry(DT_RELACOUNT, RELATIVES + RELAS + 1);
	ok(reads() && !image.rela && !image.nrela, "more than all are");
	set_entry(DT_RELACOUNT, 0);
	set_entry(DT_RELASZ, (uintptr_t)(tables + 1) - (uintptr_t)tables->rela);
	ok(reads() && image.rela == tables->rela, "up to the segment's end");
	set_entry(DT_RELASZ, (uintptr_t)(tables + 1) - (uintptr_t)tables->rela + 1);
	ok(reads() && !image.rela, "beyond it");
	set_entry(DT_RELASZ, sizeof(tables->rela));
	entry_of(DT_RELA)->d_un.d_ptr += 4;
	ok(reads() && !image.rela, "off a word");
	/* The section ends with its segment, without a last entry. */
	make_object();
	map.l_ld = (ElfW(Dyn) *)(tables + 1) - 1;
	*map.l_ld = (ElfW(Dyn)){ .d_tag = DT_STRSZ };
	((ElfW(Phdr) *)(pages + header()->e_phoff))[2].p_vaddr = (uintptr_t)map.l_ld -
								 (uintptr_t)pages;
	ok(!reads() && image.lo, "a section without an end");
}

/* Its names, their table, and which symbols there are. */
static void test_symbols(void)
{
	make_object();
	ok(reads() && !strcmp(image.soname, "libobject.so") && elf_count(&image) &&
		   image.nsymbols == SYMBOLS,
	   "its name, and as many symbols as the hash table has");
	is_int(image.room,
	       (long long)(((uintptr_t)(tables + 1) - (uintptr_t)tables->symbols) /
			   sizeof(ElfW(Sym))),
	       "room for symbols to the segment's end");
	is_str(elf_name(&image, &tables->symbols[3]), "puts", "a name");
	tables->symbols[3].st_name = STRINGS - 1;
	is_str(elf_name(&image, &tables->symbols[3]), "", "the last one");
	tables->symbols[3].st_name = STRINGS;
	ok(elf_name(&image, &tables->symbols[3]) != tables->strings + STRINGS &&
		   !*elf_name(&image, &tables->symbols[3]),
	   "none behind it");
	is_ptr(elf_find(&image, "cuInit"), &tables->symbols[5], "the one that is defined");
	ok(!elf_find(&image, "cuMemFree_v2"), "not one that is asked for");
	ok(elf_find(&image, "cuD") == &tables->symbols[SYMBOLS - 1], "the last");
	image.nsymbols--;
	ok(!elf_find(&image, "cuD"), "none behind it");

	make_object();
	set_entry(DT_SONAME, STRINGS);
	ok(reads() && !image.soname, "an object's name behind the last");
	set_entry(DT_SONAME, STRINGS - 1);
	ok(reads() && image.soname && !*image.soname, "the last");
	drop_entry(DT_SONAME);
	ok(reads() && !image.soname, "an object without a name");
	tables->strings[STRINGS - 1] = 'x';
	ok(!reads() && !image.strings && !image.soname, "names without an end");
	tables->strings[STRINGS - 1] = '\0';
	set_entry(DT_STRSZ, 0);
	ok(!reads() && !image.strings, "no names");
	set_entry(DT_STRSZ, (uintptr_t)(tables + 1) - (uintptr_t)tables->strings + 1);
	ok(!reads() && !image.strings, "names beyond their segment");
	make_object();
	entry_of(DT_STRTAB)->d_un.d_ptr -= (uintptr_t)pages;
	entry_of(DT_SYMTAB)->d_un.d_ptr -= (uintptr_t)pages;
	entry_of(DT_HASH)->d_un.d_ptr -= (uintptr_t)pages;
	entry_of(DT_RELA)->d_un.d_ptr -= (uintptr_t)pages;
	ok(reads() && elf_count(&image) && image.rela == tables->rela + RELATIVES,
	   "addresses from the object's base");
	make_object();
	entry_of(DT_SYMTAB)->d_un.d_ptr += 4;
	ok(!reads() && !image.symbols, "symbols off a word");
	make_object();
	drop_entry(DT_SYMTAB);
	ok(!reads(), "no symbols");

	make_object();
	drop_entry(DT_HASH);
	ok(reads() && !elf_count(&image), "no hash table: their number is not known");
	make_object();
	tables->hash[1] = (uint32_t)(((uintptr_t)(tables + 1) - (uintptr_t)tables->symbols) /
				     sizeof(ElfW(Sym)));
	ok(reads() && elf_count(&image) && image.nsymbols == image.room, "as many as fit");
	tables->hash[1]++;
	ok(reads() && !elf_count(&image) && !image.nsymbols, "more than fit are none");
	make_object();
	set_entry(DT_HASH, (uintptr_t)(tables + 1) - 8);
	tables->gnu[WORDS - 1] = 3;
	ok(reads() && elf_count(&image) && image.nsymbols == 3,
	   "a hash table at the segment's end");
	set_entry(DT_HASH, (uintptr_t)(tables + 1) - 4);
	ok(reads() && !elf_count(&image), "half of one");
	set_entry(DT_HASH, (uintptr_t)tables->hash + 2);
	ok(reads() && !elf_count(&image), "one off a word");
}

/* By GNU's hash table the same is found as without it. */
static void test_look_up(void)
{
	enum { FIRST = 5, HEAD = 4 };
	uint32_t *at = tables->gnu + WORDS - HEAD - 1 - (SYMBOLS - FIRST);
	static const char *const others[] = { "", "cuMemFree_v2", "cuInitialize", "cuIni" };
	unsigned int wrong = 0;

	make_object();
	set_entry(DT_GNU_HASH, (uintptr_t)at);
	memcpy(at, (const uint32_t[]){ 1, FIRST, 0, 0, FIRST }, 5 * sizeof(*at));
	for (uint32_t i = FIRST; i < SYMBOLS; i++)
		at[HEAD + 1 + i - FIRST] = (gnu_hash_of(names[i]) & ~1u) | (i == SYMBOLS - 1);
	ok(reads() && elf_count(&image) && image.nsymbols == SYMBOLS, "a chain of all that are defined");
	for (uint32_t i = FIRST; i < SYMBOLS; i++)
		wrong += elf_look_up(&image, names[i]) != &tables->symbols[i];
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		wrong += elf_look_up(&image, others[i]) != NULL;
	is_int(wrong, 0, "each is found, and no other");
	tables->symbols[FIRST + 1].st_shndx = SHN_UNDEF;
	ok(!elf_look_up(&image, names[FIRST + 1]), "not one that is asked for");
	at[HEAD + 1] |= 1;
	ok(elf_look_up(&image, names[FIRST]) && !elf_look_up(&image, names[FIRST + 2]), "up to the chain's end");
	at[HEAD] = 0;
	ok(!elf_look_up(&image, names[FIRST]), "nor in a bucket that is empty");
	at[0] = 0;
	ok(!elf_look_up(&image, names[FIRST]), "nor without buckets");
	make_object();
	ok(reads() && elf_count(&image) && elf_look_up(&image, names[FIRST]) == &tables->symbols[FIRST],
	   "without GNU's table too");
}

/* GNU's hash table, its last chain up to the segment's end or beyond it. */
static void test_gnu(void)
{
	enum { HEAD = 4, SHORT = 3 };
	unsigned int wrong = 0, counted = 0;
	const ElfW(Sym) *found;

	chance_begin(6, 0);
	make_object();
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t bloom = (uint32_t)chance(3), buckets = (uint32_t)chance(6),
			 first = 1 + (uint32_t)chance(SYMBOLS);
		uint32_t chains = (uint32_t)chance(8), size = HEAD + 2 * bloom + buckets + chains,
			 last = 0, want;
		uint32_t *at = tables->gnu + WORDS - size;
		bool is_short = buckets && chance(8) == 0, endless = chains && chance(4) == 0;

		if (is_short)
			at += chains + 1;
		set_entry(DT_GNU_HASH, (uintptr_t)at);
		memset(tables->gnu, 0, sizeof(tables->gnu));
		at[0] = buckets;
		at[1] = first;
		at[2] = bloom;
		for (uint32_t i = 0; i < buckets && !is_short; i++) {
			at[HEAD + 2 * bloom + i] = chains && chance(3)
							   ? first + (uint32_t)chance(chains)
							   : 0;
			last = at[HEAD + 2 * bloom + i] > last ? at[HEAD + 2 * bloom + i] : last;
		}
		for (uint32_t i = 0; i < chains && !is_short; i++)
			at[HEAD + 2 * bloom + buckets + i] = (uint32_t)chance(1000) << 1 |
							     (i == chains - 1 && !endless);
		want = is_short ? 0 : last < first || !last ? first : endless ? 0 : first + chains;
		/* A chain that ends before. */
		for (uint32_t i = chains;
		     want && !is_short && last >= first && last && i-- > last - first;)
			if (at[HEAD + 2 * bloom + buckets + i] & 1)
				want = first + i + 1;
		if (!reads())
			wrong++;
		elf_count(&image);
		wrong += image.nsymbols != want;
		found = elf_look_up(&image, "cuInit");
		wrong += found && strcmp(elf_name(&image, found), "cuInit") != 0;
		counted += want > first;
	}
	is_int(wrong, 0, "symbols by GNU's hash table, %d times", ROUNDS);
	ok(counted > ROUNDS / 10, "%u had chains", counted);
	make_object();
	set_entry(DT_GNU_HASH, (uintptr_t)(tables->gnu + WORDS - SHORT));
	ok(reads() && elf_count(&image) && image.nsymbols == SYMBOLS,
	   "less than its head: the other table");

	/* A chain that is there, of symbols that are not. */
	make_object();
	tables->gnu[0] = tables->gnu[2] = 1;
	for (uint32_t more = 0; more < 2; more++) {
		reads();
		tables->gnu[1] = tables->gnu[6] = image.room - 1 + more;
		tables->gnu[7] = 1;
		set_entry(DT_GNU_HASH, (uintptr_t)tables->gnu);
		reads();
		is_int(elf_count(&image), !more, "%s symbol of which there is room",
		       more ? "behind the last" : "the last");
	}
}

/* Versions: a name's default has none. */
static void test_versions(void)
{
	enum { HIDDEN = 0x8000, NUMBER = 5 };
	uint32_t one, two;

	make_object();
	one = add_string("V1");
	two = add_string("V2");
	set_entry(DT_VERSYM, (uintptr_t)tables->versym);
	set_entry(DT_VERDEF, (uintptr_t)tables->versions);
	set_entry(DT_VERDEFNUM, VERSIONS);
	for (uint32_t i = 0; i < VERSIONS; i++)
		tables->versions[i] = (struct version){
			{ .vd_ndx = (ElfW(Half))(i + 1),
			  .vd_aux = sizeof(ElfW(Verdef)),
			  .vd_next = sizeof(struct version) },
			{ .vda_name = i == 0   ? 1
				      : i == 1 ? one
					       : two },
		};
	reads();
	elf_count(&image);
	tables->versym[NUMBER] = 2;
	ok(!elf_version(&image, NUMBER) && elf_find(&image, "cuInit") == &tables->symbols[NUMBER],
	   "a default version");
	tables->versym[NUMBER] = HIDDEN | 2;
	is_str(elf_version(&image, NUMBER), "V1", "another one");
	ok(!elf_find(&image, "cuInit"), "which is not found by its name");
	tables->versym[NUMBER] = HIDDEN | 3;
	is_str(elf_version(&image, NUMBER), "V2", "the last");
	tables->versym[NUMBER] = HIDDEN | 4;
	is_str(elf_version(&image, NUMBER), "", "one that is not defined");
	image.nverdef = 2;
	tables->versym[NUMBER] = HIDDEN | 3;
	is_str(elf_version(&image, NUMBER), "", "nor one behind the last");
	image.nverdef = VERSIONS;
	tables->versions[2].name.vda_name = STRINGS - 1;
	is_str(elf_version(&image, NUMBER), "", "the last name");
	tables->versions[2].name.vda_name = STRINGS;
	ok(elf_version(&image, NUMBER) != tables->strings + STRINGS &&
		   !*elf_version(&image, NUMBER),
	   "no name behind it");
	tables->versions[2].name.vda_name = two;
	tables->versions[2].definition.vd_aux = (ElfW(Word))((uintptr_t)(tables + 1) -
							     (uintptr_t)&tables->versions[2]);
	is_str(elf_version(&image, NUMBER), "", "a name outside of the segment");
	tables->versions[2].definition.vd_aux = 2;
	is_str(elf_version(&image, NUMBER), "", "one off a word");
	tables->versions[1].definition.vd_next = (ElfW(Word))((uintptr_t)(tables + 1) -
							      (uintptr_t)&tables->versions[1]);
	is_str(elf_version(&image, NUMBER), "", "a definition outside of it");
	image.versym = (uintptr_t)(tables + 1) - 2 * NUMBER;
	ok(!elf_version(&image, NUMBER), "a number outside of it");
	image.versym = (uintptr_t)tables->versym + 1;
	ok(!elf_version(&image, NUMBER), "numbers off two bytes");
	image.versym = 0;
	ok(!elf_version(&image, NUMBER), "no numbers");
	set_entry(DT_VERDEFNUM, 0x10001);
	reads();
	is_int(image.nverdef, UINT16_MAX, "as many definitions as there can be");
}

/* What is written to an object is there. */
static void test_writable(void)
{
	ElfW(Phdr) *headers = make_object();
	ElfW(Dyn) *entry = entry_of(DT_SYMTAB);

	reads();
	ok(elf_writable(&image, (uintptr_t)(tables + 1) - 8) &&
		   !elf_writable(&image, (uintptr_t)(tables + 1) - 4) &&
		   !elf_writable(&image, (uintptr_t)(tables + 1)),
	   "words of a segment");
	ok(!elf_writable(&image, (uintptr_t)pages), "not of one that is read-only");
	ok(!elf_writable(&image, 0), "nor what is nowhere");
	ok(elf_readable(&image, pages, PAGE) && !elf_readable(&image, pages, PAGE + 1) &&
		   !elf_readable(&image, pages + 4, 8),
	   "tables within a segment can be read");
	headers[HEADERS] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = PF_R, .p_memsz = 4 * PAGE };
	ok(elf_protection(&image, (uintptr_t)pages + PAGE) == -1 &&
		   !elf_readable(&image, pages + PAGE, 8),
	   "no segment behind the last");
	headers[3].p_flags = PF_R | PF_X;
	is_int(elf_protection(&image, (uintptr_t)tables), PROT_READ | PROT_EXEC, "code");
	headers[3].p_flags = PF_W;
	is_int(elf_protection(&image, (uintptr_t)tables), PROT_WRITE, "what can be written alone");
	is_int(elf_protection(&image, (uintptr_t)(tables + 1)), -1, "behind the last");
	is_ptr(elf_entry(&image, &map, DT_SYMTAB), NULL, "an entry that cannot be read");
	headers[3].p_flags = PF_R | PF_W;
	is_ptr(elf_entry(&image, &map, DT_SYMTAB), entry, "one that can");
	is_ptr(elf_entry(&image, &map, DT_PLTGOT), NULL, "one that is not there");
	elf_repoint(&image, entry, tables->symbols, (void *)0x123450);
	is_int((long long)entry->d_un.d_ptr, 0x123450, "an address that the loader has relocated");
	entry->d_un.d_ptr = (uintptr_t)tables->symbols - (uintptr_t)pages;
	elf_repoint(&image, entry, tables->symbols, pages + 0x123450);
	is_int((long long)entry->d_un.d_ptr, 0x123450, "one that it has not");
}

int main(void)
{
	map_object();
	test_headers();
	test_measure();
	test_search();
	test_both();
	test_shuffled();
	test_symbols();
	test_look_up();
	test_gnu();
	test_versions();
	test_writable();
	is_int(mistaken, 0, "what was read is the object");
	return done_testing();
}
