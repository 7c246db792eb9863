/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets the loader bind at once what old C libraries bind lazily for auditors.
 *
 * plt.c says what they do; these objects' slots are read-only after
 * relocation, where RELRO is full, so that no resolver could fill them. Their
 * DT_JMPREL relocations follow those of DT_RELA, which are never lazy, and are
 * counted among them; DT_JMPREL is left one, which changes a word of ours.
 * Once it has, the entries are put back, for those who patch PLTs by them.
 */
#include "audit/bind_now.h"

#include <linux/mman.h>

#include "arch.h"
#include "audit/bind.h"
#include "audit/stub.h"
#include "audit/sys.h"

enum { ENTRIES = 3 };

struct bind_now_change {
	struct link_object *object;
	uintptr_t base;
	ElfW(Rela) rest;		/* what DT_JMPREL names */
	uintptr_t word;			/* what that relocates: l_addr when it is done */
	const ElfW(Rela) *rela;		/* what it named */
	size_t count;
	uintptr_t relro, relro_end;	/* pages that are read-only by then */
	struct {
		ElfW(Dyn) *at;
		ElfW(Xword) was;
	} entries[ENTRIES];
	struct bind_now_change *next;	/* of those not taken up */
};

static struct bind_now_change *changed;

/* As the loader's _dl_protect_relro has it. */
static void find_relro(struct bind_now_change *change, const struct elf_image *image)
{
	for (unsigned int i = 0; i < image->phnum; i++) {
		uintptr_t from = image->base + image->phdr[i].p_vaddr;

		if (image->phdr[i].p_type != PT_GNU_RELRO)
			continue;
		change->relro = from & ~(sys_page - 1);
		change->relro_end = (from + image->phdr[i].p_memsz) & ~(sys_page - 1);
	}
}

static void set_entry(struct bind_now_change *change, int i, ElfW(Dyn) *entry, ElfW(Xword) value)
{
	change->entries[i].at = entry;
	change->entries[i].was = entry->d_un.d_val;
	entry->d_un.d_val = value;
}

void bind_now_open(struct link_object *object, const struct elf_image *image,
	      const struct plt_entries *entries)
{
	struct object_detail *detail = object_detail(object);
	ElfW(Xword) size = entries->relasz->d_un.d_val, more = entries->pltrelsz->d_un.d_val;
	struct bind_now_change *change;

	if (!detail || entries->rela->d_un.d_ptr + size != entries->jmprel->d_un.d_ptr ||
	    !elf_readable(image, (const void *)entries->jmprel->d_un.d_ptr, more) ||
	    !elf_writable(image, (uintptr_t)&entries->relasz->d_un) ||
	    !elf_writable(image, (uintptr_t)&entries->jmprel->d_un) ||
	    !elf_writable(image, (uintptr_t)&entries->pltrelsz->d_un))
		return;
	if (!detail->now)
		detail->now = sys_alloc(sizeof(*detail->now));
	change = detail->now;
	if (!change)
		return;
	*change = (struct bind_now_change){
		.object = object,
		.base = image->base,
		.rest.r_offset = (uintptr_t)&change->word - image->base,
		.rest.r_info = ELF64_R_INFO(0, ARCH_R_JUMP_SLOT),
		.rela = (const ElfW(Rela) *)entries->jmprel->d_un.d_ptr,
		.count = more / sizeof(ElfW(Rela)),
		.next = changed,
	};
	changed = change;
	find_relro(change, image);
	set_entry(change, 0, entries->relasz, size + more);
	set_entry(change, 1, entries->jmprel, (uintptr_t)&change->rest);
	set_entry(change, 2, entries->pltrelsz, sizeof(change->rest));
}

/* Slots that hold a stub came by it through the driver's symbol table. */
static void take_bindings(const struct bind_now_change *change)
{
	uintptr_t first = (uintptr_t)stub_address(0), last = (uintptr_t)stub_address(LINK_SLOTS);

	for (size_t i = 0; i < change->count; i++) {
		uintptr_t *at = (uintptr_t *)(change->base + change->rela[i].r_offset);
		uint32_t slot;

		if (ELF64_R_TYPE(change->rela[i].r_info) != ARCH_R_JUMP_SLOT ||
		    *at < first || *at >= last)
			continue;
		slot = (uint32_t)((*at - first) / ARCH_STUB_SIZE);
		if (!bind_slot(change->object, slot, LINK_PLT))
			*at = (uintptr_t)atomic_load_explicit(&object_table.slots[slot].real,
							      memory_order_relaxed);
	}
}

static void finish_bind_now(const struct bind_now_change *change)
{
	size_t size = change->relro_end - change->relro;

	if (size && sys_protect(change->relro, change->relro_end, PROT_READ | PROT_WRITE))
		return;
	for (int i = 0; i < ENTRIES; i++)
		change->entries[i].at->d_un.d_val = change->entries[i].was;
	take_bindings(change);
	if (size)
		sys_protect(change->relro, change->relro_end, PROT_READ);
}

void bind_now_finish(bool consistent)
{
	struct bind_now_change **link = &changed, *change;

	while ((change = *link)) {
		/* At 0 there is no sign; it is the executable that is there. */
		if (change->word == change->base && (change->base || consistent)) {
			*link = change->next;
			finish_bind_now(change);
		} else {
			link = &change->next;
		}
	}
}

void bind_now_close(const struct bind_now_change *change)
{
	struct bind_now_change **link = &changed;

	while (*link && *link != change)
		link = &(*link)->next;
	if (*link)
		*link = change->next;
}
