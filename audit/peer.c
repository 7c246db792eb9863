/* SPDX-License-Identifier: Apache-2.0 */
/* Further instances of this auditor in the process. */
#include "audit/peer.h"

#include <internal/link.h>
#include "audit/object.h"
#include "audit/sys.h"

uint32_t peer_count;

/* Exported under LINK_AUDITOR_SYMBOL. */
__attribute__((visibility("default"))) const struct link_table *cuaudit_auditor_link;

void peer_open(struct elf_image *image)
{
	const ElfW(Sym) *symbol;

	if (!image->soname || !sys_equal(image->soname, "libcuaudit.so") || !elf_count(image))
		return;
	symbol = elf_find(image, LINK_AUDITOR_SYMBOL);
	if (!symbol || symbol->st_size != sizeof(void *) ||
	    !elf_writable(image, image->base + symbol->st_value))
		return;
	/* Mapped, not relocated yet; nothing relocates this word. */
	*(const struct link_table **)(image->base + symbol->st_value) = &object_table;
	peer_count++;
}

bool peer_is_first(void)
{
	/* volatile: the compiler sees nobody write it. */
	return *(const struct link_table *volatile *)&cuaudit_auditor_link;
}
