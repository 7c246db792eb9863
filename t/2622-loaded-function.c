/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by address from an object's memory: as dladdr has them, and of objects that lie. */
#include <dlfcn.h>
#include <errno.h>
#include <elf.h>
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "hooks/loaded_image.h"
#include "hooks/safe_read.h"
#include "t/tap.h"

enum { SAMPLES = 20000, ROUNDS = 4000, NAME = 4096, PAGE = 4096 };

static uint64_t state = 20261125;
static uint32_t nobjects, nfound, nwrong;

static uint32_t chance(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* Of code in libraries: of data the loader tells as well. */
static void compare(const struct loaded_image *image, uintptr_t address)
{
	char name[NAME] = "";
	uint64_t distance = 0;
	Dl_info info;
	bool found = loaded_image_function(image, address, name, sizeof(name), &distance);
	bool want = dladdr((void *)address, &info) && info.dli_sname;

	nfound += found;
	if (found == want && (!found || address - distance == (uintptr_t)info.dli_saddr))
		return;
	/* An object, not a function, may be there by name. */
	if (!nwrong++)
		diag("%#lx: '%s'+%lu, not '%s'+%lu", (unsigned long)address, name,
		     (unsigned long)distance, want ? info.dli_sname : "",
		     want ? address - (uintptr_t)info.dli_saddr : 0);
}

static int each(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t lo = UINTPTR_MAX, hi = 0;
	struct loaded_image image;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		lo = at < lo ? at : lo;
		hi = at + segment->p_memsz > hi ? at + segment->p_memsz : hi;
	}
	lo &= ~(uintptr_t)(PAGE - 1);
	/* Of the vDSO the loader knows no symbols by address in each release. */
	if (!loaded_image_open(&image, lo, hi) || strstr(info->dlpi_name, "vdso"))
		return 0;
	nobjects++;
	if (image.bias != info->dlpi_addr)
		nwrong++;
	if (strstr(info->dlpi_name, "/libc.so"))
		*(struct loaded_image *)data = image;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		for (int j = 0; j < SAMPLES; j++)
			compare(&image, info->dlpi_addr + segment->p_vaddr + chance() % segment->p_memsz);
	}
	return 0;
}

/* A copy of an object, with the addresses of its file, to be damaged. */
static struct loaded_image copy;
static char *pristine;
static size_t copy_size;
static uintptr_t dynamic, dynamic_size;	/* in the copy, from its beginning */

static void make_copy(const struct loaded_image *image)
{
	ElfW(Phdr) segment;

	copy_size = image->hi - image->lo;
	pristine = calloc(1, copy_size);
	copy.lo = (uintptr_t)mmap(NULL, copy_size + PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap((void *)((copy.lo + copy_size + PAGE - 1) & ~(uintptr_t)(PAGE - 1)), PAGE);
	for (size_t at = 0; at < copy_size; at += PAGE)
		safe_read(image->lo + at, pristine + at, copy_size - at < PAGE ? copy_size - at : PAGE);
	for (uint32_t i = 0; loaded_image_segment(image, i, &segment); i++)
		if (segment.p_type == PT_DYNAMIC) {
			dynamic = image->bias + segment.p_vaddr - image->lo;
			dynamic_size = segment.p_memsz;
		}
	for (size_t at = 0; at < dynamic_size; at += sizeof(ElfW(Dyn))) {
		ElfW(Dyn) *entry = (ElfW(Dyn) *)(void *)(pristine + dynamic + at);

		if (entry->d_un.d_ptr >= image->lo && entry->d_un.d_ptr < image->hi)
			entry->d_un.d_ptr -= image->bias;
	}
}

static ElfW(Dyn) *entry_of(ElfW(Sxword) tag)
{
	for (size_t at = 0; at < dynamic_size; at += sizeof(ElfW(Dyn))) {
		ElfW(Dyn) *entry = (ElfW(Dyn) *)(void *)(copy.lo + dynamic + at);

		if (entry->d_tag == tag)
			return entry;
	}
	return NULL;
}

static bool begin(void)
{
	memcpy((void *)copy.lo, pristine, copy_size);
	return loaded_image_open(&copy, copy.lo, copy.lo + copy_size);
}

/* What is there, in a buffer of a size behind which nothing is written. */
static const char *look(uintptr_t offset, size_t size)
{
	static char name[NAME];
	uint64_t distance = 0;

	memset(name, 'x', sizeof(name));
	if (!loaded_image_function(&copy, copy.lo + offset, name, size, &distance))
		strcpy(name, "none");
	else if (memchr(name, '\0', size) == NULL)
		strcpy(name, "no end");
	for (size_t i = size > 5 ? size : 5; i < sizeof(name); i++)
		if (name[i] != 'x')
			return "written behind";
	return name;
}

/* One word anywhere among what is read. */
static void damage(void)
{
	static const ElfW(Sxword) tags[] = { DT_SYMTAB, DT_STRTAB, DT_GNU_HASH, DT_HASH };
	static const uint64_t values[] = { 0, 1, UINT32_MAX, UINT64_MAX, INT64_MAX, 0x7fffffff, 1 << 20,
					   0x8000000000000000u };
	ElfW(Dyn) *entry = entry_of(tags[chance() % 4]);
	uintptr_t base = copy.bias, at = copy.lo + chance() % 4096;
	uint64_t value = values[chance() % 8];

	if (chance() % 4 == 0)
		at = copy.lo + dynamic + chance() % dynamic_size;
	else if (chance() % 3 && entry)
		at = base + entry->d_un.d_ptr + (chance() % 2 ? chance() % 64 : chance() % 65536);
	if (chance() % 2)
		value = (uint64_t)chance() << 32 | chance();
	/* An earlier one may have been to where that leads. */
	if (at >= copy.lo && at <= copy.lo + copy_size - 8)
		memcpy((void *)at, &value, chance() % 2 ? 4 : 8);
}

static void damaged(uintptr_t offset, const char *name)
{
	uint32_t same = 0, wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		const char *found;

		begin();
		for (uint32_t n = 1 + chance() % 3; n; n--)
			damage();
		if (!loaded_image_open(&copy, copy.lo, copy.lo + copy_size))
			continue;
		found = look(offset, NAME);
		same += !strcmp(found, name);
		wrong += !strcmp(found, "no end") || !strcmp(found, "written behind");
	}
	is_int(wrong, 0, "of %d damaged copies none leads astray", ROUNDS);
	ok(same > 0 && same < ROUNDS, "some tell the same all the same: %u", same);
}

static void set(ElfW(Sxword) tag, uint64_t value)
{
	ElfW(Dyn) *entry = entry_of(tag);

	if (entry)
		entry->d_un.d_val = value;
}

/* The first four words of a table. */
static uint32_t *table(ElfW(Sxword) tag)
{
	return (uint32_t *)(copy.bias + entry_of(tag)->d_un.d_ptr);
}

static void hostile(uintptr_t offset, const char *name)
{
	struct loaded_image none;
	size_t middle;

	begin();
	is_str(look(offset, NAME), name, "the copy");
	is_str(look(offset, strlen(name) + 1), name, "in a buffer that it just fills");
	is_str(look(offset, 9), "getad...", "in a small one");
	is_str(look(offset, 3), "ge", "in one too small for that");
	is_str(look(offset, 1), "none", "in the smallest");
	table(DT_GNU_HASH)[0] = UINT32_MAX;
	is_str(look(offset, NAME), "none", "more buckets than there can be");
	begin();
	table(DT_GNU_HASH)[1] = UINT32_MAX;
	is_str(look(offset, NAME), "none", "a first symbol behind all");
	begin();
	table(DT_GNU_HASH)[2] = UINT32_MAX;
	is_str(look(offset, NAME), "none", "a filter beyond the end");
	begin();
	/* No chain ends. */
	for (uint32_t *word = table(DT_GNU_HASH) + 4 + table(DT_GNU_HASH)[2] * 2;
	     (uintptr_t)word < copy.lo + copy_size; word++)
		*word = 2;
	is_str(look(offset, NAME), "none", "chains without an end");
	begin();
	set(DT_STRSZ, 0);
	is_str(look(offset, NAME), "none", "no strings");
	begin();
	set(DT_STRSZ, UINT64_MAX);
	is_str(look(offset, NAME), name, "strings of any size");
	set(DT_STRSZ, (uintptr_t)memmem(table(DT_STRTAB), copy_size / 2, "\0getaddrinfo", 13) -
		      (uintptr_t)table(DT_STRTAB) + 4);
	is_str(look(offset, NAME), "none", "strings that end within the name");
	begin();
	/* Of some C libraries the name is near the end of the strings: what is behind is none of what is read. */
	memset(table(DT_STRTAB), 'a', entry_of(DT_STRSZ)->d_un.d_val + NAME);
	set(DT_STRSZ, UINT64_MAX);
	is_int((long long)strlen(look(offset, NAME)), NAME - 1, "a name without an end");
	begin();
	set(DT_SYMTAB, copy_size - 8 - copy.bias + copy.lo);
	is_str(look(offset, NAME), "none", "symbols behind the end");
	begin();
	for (uintptr_t at = 0; at < dynamic_size; at += sizeof(ElfW(Dyn)))
		((ElfW(Dyn) *)(void *)(copy.lo + dynamic + at))->d_tag = DT_DEBUG;
	is_str(look(offset, NAME), "none", "a dynamic section without an end or tables");
	begin();
	((ElfW(Ehdr) *)copy.lo)->e_phoff = UINT64_MAX - 8;
	ok(!loaded_image_open(&copy, copy.lo, copy.lo + copy_size), "segments nowhere");
	begin();
	((ElfW(Ehdr) *)copy.lo)->e_phnum = UINT16_MAX;
	ok(!loaded_image_open(&copy, copy.lo, copy.lo + copy_size), "more segments than there is room for");
	begin();
	middle = copy_size / 2 & ~(size_t)(PAGE - 1);
	mprotect((char *)copy.lo + middle, copy_size - middle, PROT_NONE);
	is_str(look(copy_size - 9, NAME), "none", "half of it is gone");
	mprotect((char *)copy.lo + middle, copy_size - middle, PROT_READ | PROT_WRITE);
	ok(!loaded_image_open(&none, 0, PAGE) && !loaded_image_open(&none, UINTPTR_MAX - 8, UINTPTR_MAX),
	   "no object at all");
}

int main(void)
{
	struct loaded_image libc = { .lo = 0 };
	uintptr_t offset;

	errno = 4711;
	dl_iterate_phdr(each, &libc);
	ok(nobjects > 1 && nfound > 100, "%u objects, %u addresses in functions", nobjects, nfound);
	is_int(nwrong, 0, "each as dladdr has it");
	if (!libc.lo)
		bail_out("no libc");
	offset = (uintptr_t)getaddrinfo + 3 - libc.lo;
	make_copy(&libc);
	begin();
	if (!entry_of(DT_GNU_HASH)) {
		skip(1, "a libc without DT_GNU_HASH");
		return done_testing();
	}
	hostile(offset, "getaddrinfo");
	begin();
	if (entry_of(DT_HASH)) {
		entry_of(DT_GNU_HASH)->d_tag = DT_DEBUG;
		is_str(look(offset, NAME), "getaddrinfo", "by the older table of hashes");
		table(DT_HASH)[1] = UINT32_MAX;
		is_str(look(offset, NAME), "getaddrinfo", "... that says anything of its size");
	} else {
		skip(2, "a libc without DT_HASH");
	}
	damaged(offset, "getaddrinfo");
	return done_testing();
}
