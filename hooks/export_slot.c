/* SPDX-License-Identifier: Apache-2.0 */
/* Slots for the functions of the driver's export tables, and what they are called. */
#include "hooks/export_slot.h"

#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/domain.h"
#include "hooks/page_write.h"
#include "hooks/registry.h"

enum {
	SPARE = 1024,	/* words of tables that are not described, or of further copies of the driver */
	BLOCKS = 64,
	BASE = 16	/* "6bd5fb6c[511]" */
};

/* All words have a slot, a size too: it is never called. */
static const struct export_row rows[] = {
#define RUNTIME EXPORT_RUNTIME
#define UNSIZED EXPORT_UNSIZED
#define INTEGRITY EXPORT_INTEGRITY
#define EXPORT_TABLE(name, of, count, ...) { .uuid = { __VA_ARGS__ }, .words = count, .kind = of },
#include "tables/export_tables.def"
#undef RUNTIME
#undef UNSIZED
#undef INTEGRITY
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* The rows' numbers. */
enum {
#define EXPORT_TABLE(name, of, count, ...) ROW_##name,
#include "tables/export_tables.def"
};

/* Without addresses: the loader has nothing to write where the domain is off. */
static const struct {
	uint16_t row, word;
	char name[44];
} names[] = {
#define EXPORT_SLOT(table, slot, name) { ROW_##table, slot, #table "." #name },
#include "tables/export_tables.def"
};

/* Mapped where the domain is on. */
static struct slots {
	uint32_t first, count, nblocks;
	uint32_t used;	/* of count, by blocks */
	struct export_block blocks[BLOCKS];
	char bases[][BASE];
} *slots;

const struct export_row *export_slot_row(const uint8_t *uuid)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!memcmp(rows[i].uuid, uuid, EXPORT_UUID))
			return &rows[i];
	return NULL;
}

bool export_slot_is(uint32_t slot)
{
	return slots && slot - slots->first < slots->count;
}

const char *export_slot_base(uint32_t slot)
{
	return slots->bases[slot - slots->first];
}

static void write_base(char *to, const uint8_t *uuid, uint32_t word)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < 4; i++) {
		*to++ = digits[uuid[i] >> 4];
		*to++ = digits[uuid[i] & 15];
	}
	*to++ = '[';
	if (word >= 100)
		*to++ = digits[word / 100];
	if (word >= 10)
		*to++ = digits[word / 10 % 10];
	*to++ = digits[word % 10];
	*to++ = ']';
	*to = '\0';
}

const char *export_slot_refused(void)
{
	static char digits[BASE];

	for (size_t i = 0; i < ROWS && !*digits; i++)
		if (rows[i].kind == EXPORT_INTEGRITY)
			write_base(digits, rows[i].uuid, 0);
	digits[EXPORT_DIGITS] = '\0';
	return digits;
}

/* A public name, or what the slot is called by UUID and word. */
static const char *name_of(const uint8_t *uuid, uint32_t word, const char *base)
{
	const struct export_row *row = export_slot_row(uuid);

	for (size_t i = 0; row && i < sizeof(names) / sizeof(names[0]); i++)
		if (&rows[names[i].row] == row && names[i].word == word)
			return names[i].name;
	return base;
}

/* A block for words of the table, NULL if there is no room. */
static struct export_block *new_block(const uint8_t *uuid, uint32_t words)
{
	struct export_block *block;
	uint32_t slot = slots->first + slots->used;

	if (slots->nblocks == BLOCKS || words > slots->count - slots->used)
		return NULL;
	block = &slots->blocks[slots->nblocks];
	*block = (struct export_block){ .first = slot, .words = words };
	memcpy(block->uuid, uuid, EXPORT_UUID);
	for (uint32_t i = 0; i < words; i++) {
		char *base = slots->bases[slots->used + i];

		write_base(base, uuid, i);
		cuaudit_core_link->slots[slot + i].name = name_of(uuid, i, base);
	}
	slots->used += words;
	slots->nblocks++;
	return block;
}

void export_slot_setup(void)
{
	struct link_table *link = cuaudit_core_link;
	uint32_t slot = atomic_load_explicit(&link->nslots, memory_order_acquire), count = SPARE;

	if (!domain_is_on(DOMAIN_TABLES))
		return;
	for (size_t i = 0; i < ROWS; i++)
		count += rows[i].words;
	if (slot + count <= LINK_SLOTS)
		slots = cuaudit_pages(sizeof(*slots) + count * BASE);
	if (!slots) {
		cuaudit_log(CUAUDIT_WARN, "calls through the driver's export tables are not seen: no more "
			    "functions fit");
		return;
	}
	slots->first = slot;
	slots->count = count;
	for (uint32_t i = 0; i < count; i++) {
		link->slots[slot + i].name = "";
		link->slots[slot + i].driver = 0;
	}
	/* Selectors and lists know these before they are asked for. */
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].kind != EXPORT_INTEGRITY)
			new_block(rows[i].uuid, rows[i].words);
	/* Pairs with registry_attach. */
	atomic_store_explicit(&link->nslots, slot + count, memory_order_release);
}

struct export_block *export_slot_block(uint32_t index)
{
	return slots && index < slots->nblocks ? &slots->blocks[index] : NULL;
}

/* Whether a block serves no table that is still there. */
static bool is_free(const struct export_block *block)
{
	uint64_t word;

	return !block->at || !page_read(block->at, &word, sizeof(word));
}

static struct export_block *find(const uint8_t *uuid, const uint64_t *at, uint32_t words)
{
	struct export_block *block, *found = NULL;

	for (uint32_t i = 0; (block = export_slot_block(i)); i++) {
		if (block->words < words || memcmp(block->uuid, uuid, EXPORT_UUID) != 0)
			continue;
		if (block->at == at)
			return block;
		if (!found && is_free(block))
			found = block;
	}
	return found;
}

struct export_block *export_slot_take(const uint8_t *uuid, uint64_t *at, uint32_t words,
				      uint32_t driver)
{
	struct export_block *block;

	if (!slots)
		return NULL;
	block = find(uuid, at, words);
	if (!block)
		block = new_block(uuid, words);
	if (!block || (block->at == at && block->driver == driver && block->live == words))
		return block;
	block->at = at;
	block->live = words;
	block->driver = driver;
	for (uint32_t i = 0; i < block->words; i++)
		cuaudit_core_link->slots[block->first + i].driver = driver;
	return block;
}
