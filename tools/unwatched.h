/* SPDX-License-Identifier: Apache-2.0 */
/* Processes below this one that have the driver and are not held to what its command is. */
#ifndef TOOLS_UNWATCHED_H
#define TOOLS_UNWATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwatched {
	uint32_t pid;
	char name[32];	/* as the kernel has it */
};

/*
 * Texts that the environment of a process has which is audited, and which has these hooks; they
 * have to stay. Processes of another run are forgotten.
 */
void unwatched_begin(const char *auditor, const char *hooks);

/*
 * Looks at the children of this process, and theirs: which have mapped the driver, and are not
 * audited, or have other hooks. What runs between two looks is not seen, nor what has another
 * parent since its own ended.
 */
void unwatched_look(void);

/* Those that were seen, the first of them; NULL past the last. */
const struct unwatched *unwatched_get(size_t index);

/* Whether each look had all; false: memory was out. */
bool unwatched_is_whole(void);

#endif
