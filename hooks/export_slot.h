/* SPDX-License-Identifier: Apache-2.0 */
/* Slots for the functions of the driver's export tables, and what they are called. */
#ifndef HOOKS_EXPORT_SLOT_H
#define HOOKS_EXPORT_SLOT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	EXPORT_UUID = 16,
	EXPORT_WORDS = 512,	/* a table that begins with its size has fewer */
};

enum export_kind { EXPORT_RUNTIME, EXPORT_UNSIZED, EXPORT_INTEGRITY };

/* A line of export_tables.def. */
struct export_row {
	uint8_t uuid[EXPORT_UUID];
	uint32_t words;
	enum export_kind kind;
};

/* Of that UUID; NULL: nobody has described it. Context: call. */
const struct export_row *export_slot_row(const uint8_t *uuid);

/* Slots for the words of one table. */
struct export_block {
	uint8_t uuid[EXPORT_UUID];
	uint32_t first, words;	/* the slot of the table's first word; how many words */
	uint32_t driver;
	uint64_t *at;		/* the table; NULL: none yet */
	uint32_t live;		/* how many words the table has */
};

/* Context: setup, once, under the loader's lock. Where the domain is on, tables have slots from then on. */
void export_slot_setup(void);

/*
 * Context: call, under LOCK_TABLES. Slots for the table, those it had before or of one that is no
 * more; NULL: there are none left. The next one below count, or NULL.
 */
struct export_block *export_slot_take(const uint8_t *uuid, uint64_t *at, uint32_t words,
				      uint32_t driver);
struct export_block *export_slot_block(uint32_t index);

/* Context: call. Whether a slot is for tables; what it is called by UUID and word, "" for one that serves none. */
bool export_slot_is(uint32_t slot);
const char *export_slot_base(uint32_t slot);

/* Context: setup. How words of the table begin that is never hooked, "d4082055": EXPORT_DIGITS. */
enum { EXPORT_DIGITS = 8 };
const char *export_slot_refused(void);

#endif
