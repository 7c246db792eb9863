/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong uses of objects, equal ones counted together. */
#ifndef HOOKS_MODULES_LEAK_LEAK_FAULT_H
#define HOOKS_MODULES_LEAK_LEAK_FAULT_H

#include "hooks/modules/leak/leak_object.h"

enum leak_fault_type {
	LEAK_DOUBLE_FREE,
	LEAK_INVALID_FREE,
	LEAK_USE_AFTER_FREE,
	LEAK_WRONG_CONTEXT,
	LEAK_FAULT_TYPES
};

enum { LEAK_NO_RESULT = -1 };

struct leak_fault {
	uint64_t count;
	uint64_t handle;		/* of the first one */
	uint64_t size;
	uint64_t contexts[2];		/* LEAK_WRONG_CONTEXT: the object's, the other's */
	enum leak_fault_type type;
	int32_t result;			/* the driver's last answer, or LEAK_NO_RESULT */
	uint8_t space;			/* what the handle was taken for */
	uint8_t kind;			/* LEAK_KINDS: nothing is known of it */
	uint8_t died_with;
	uint8_t suppressed;
	struct leak_site site, allocated, freed;	/* function NULL: none */
};

/*
 * Context: call, locked. object: NULL or what the handle was or is in. What
 * is new is reported at once, for the driver may crash. Returns it, for its
 * result; NULL, and counted, when there are too many.
 */
struct leak_fault *leak_fault_add(enum leak_fault_type type, const struct leak_site *site,
				  enum leak_space space, uint64_t handle,
				  const struct leak_object *object);

/* Context: setup. The index-th one, or NULL past the last. */
const struct leak_fault *leak_fault_get(uint32_t index);

/* Those there was no room for. */
uint64_t leak_fault_lost(void);

/* Context: call, in the child of fork. */
void leak_fault_forked(void);

#endif
