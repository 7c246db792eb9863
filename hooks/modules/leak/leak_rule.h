/* SPDX-License-Identifier: Apache-2.0 */
/* What a function does to objects: facts.def, by the table's rows. */
#ifndef HOOKS_MODULES_LEAK_LEAK_RULE_H
#define HOOKS_MODULES_LEAK_LEAK_RULE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cuaudit/call.h>

enum leak_space {
#define SPACE(name, type) LEAK_##name,
#include "tables/facts.def"
	LEAK_SPACES
};

enum leak_kind {
#define KIND(name, text, space, memory) LEAK_KIND_##name,
#include "tables/facts.def"
	LEAK_KINDS
};

enum leak_parent {
#define SPACE(name, type) LEAK_PARENT_##name = LEAK_##name,
#include "tables/facts.def"
	LEAK_PARENT_NONE,
	LEAK_PARENT_CURRENT
};

enum leak_action {
	LEAK_NOTHING,
	LEAK_ALLOCATES,
	LEAK_CLAIMS,
	LEAK_FREES_ONE,
	LEAK_FREES_ALL,
	LEAK_FREES_MAPPINGS,
	LEAK_FREES_PRIMARY,
	LEAK_FREES_RESET
};

enum leak_size {
	LEAK_SIZE_NONE,
	LEAK_SIZE_ARRAY,	/* its descriptor */
	LEAK_SIZE_ARRAY3D,
	LEAK_SIZE_BUFFER,	/* the size of its descriptor */
	LEAK_SIZE_BYTES,	/* a parameter of that name */
	LEAK_SIZE_MULTICAST,	/* the size of its properties */
	LEAK_SIZE_PITCH,	/* the pitch given back, times the rows */
	LEAK_SIZE_REGION	/* the number of bytes given back */
};

/* What says where memory is. */
enum leak_place { LEAK_PLACE_NONE, LEAK_PLACE_LOCATION, LEAK_PLACE_POOL, LEAK_PLACE_POOL_PROPERTIES, LEAK_PLACE_PROPERTIES };

enum leak_again { LEAK_NEW, LEAK_COUNT, LEAK_SAME, LEAK_OWNED };

enum { LEAK_USES = 6, LEAK_NO_WORD = 0xff };

/* How a word of a call holds a handle. */
struct leak_word {
	uint8_t space;
	uint8_t word;	/* LEAK_NO_WORD: there is none */
	uint8_t bytes;	/* of the handle */
	uint8_t pointer;	/* not 0: the word leads to it */
};

/* What one row does. The size's words: see leak_rule_size. */
struct leak_rule {
	_Atomic uint8_t ready;
	uint8_t any;		/* not 0: it does something */
	uint8_t at_exit;	/* not 0: after the call, too */
	uint8_t action;
	uint8_t kind;
	uint8_t again;
	uint8_t parent;
	uint8_t size;
	uint8_t narrow;		/* sizes are of 32 bits */
	uint8_t size_words[2];
	uint8_t levels_word;	/* how many levels an array has, LEAK_NO_WORD: one */
	uint8_t count_word;	/* how many claims, LEAK_NO_WORD: one */
	uint8_t device_word;
	uint8_t parent_word;
	uint8_t place;		/* enum leak_place, and ... */
	uint8_t place_word;	/* ... where that is */
	uint8_t shows_all;	/* 1 + the space that any number of objects are shown of */
	uint8_t nuses;
	struct leak_word object;	/* allocated or freed */
	struct leak_word shows;
	struct leak_word shares;	/* of whose memory the allocated object is, too */
	struct leak_word pair[2];	/* of one context */
	struct leak_word uses[LEAK_USES];
};

static inline bool leak_frees(const struct leak_rule *rule)
{
	return rule->action == LEAK_FREES_ONE || rule->action == LEAK_FREES_ALL;
}

/* The slow part of leak_rule. */
const struct leak_rule *leak_rule_make(const struct cuaudit_function *function);

/* Context: call, in the child of fork. */
void leak_rule_forked(void);

/* Rules by id, made when they are first wanted. */
extern struct leak_rule leak_rules[];

/* Context: call. The rule of a function, NULL for one newer than the table. */
static inline const struct leak_rule *leak_rule(const struct cuaudit_function *function)
{
	const struct leak_rule *rule;

	if (function->id < 0)
		return NULL;
	rule = &leak_rules[function->id];
	/* Pairs with leak_rule_make. */
	if (__builtin_expect(!atomic_load_explicit(&rule->ready, memory_order_acquire), 0))
		return leak_rule_make(function);
	return rule;
}

/* Context: call. The handle that a call holds in a word, 0 if there is none, or none to be read. */
uint64_t leak_word_ask(const struct cuaudit_call *call, struct leak_word word);

/* The same, after the call succeeded: what its pointers lead to is there. */
uint64_t leak_word_get(const struct cuaudit_call *call, struct leak_word word);

#define LEAK_UNSIZED UINT64_MAX

/* Context: call, after it succeeded. Bytes of the object it gave, LEAK_UNSIZED if unknown. */
uint64_t leak_rule_size(const struct cuaudit_call *call, const struct leak_rule *rule);

/* What a kind is called, and what distinguishes its handles. */
const char *leak_kind_text(uint8_t kind);
enum leak_space leak_kind_space(uint8_t kind);

#endif
