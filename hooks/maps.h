/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says of the process's memory. */
#ifndef HOOKS_MAPS_H
#define HOOKS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* A line of /proc/thread-self/maps: "LOW-HIGH perms offset device inode name". */
struct maps_line {
	uintptr_t bounds[2];
	uint32_t field;		/* of bounds; 2: the permissions; 3: past them */
	int protection;		/* PROT_* */
	uint64_t end;		/* the last seven characters */
};

/* Context: call, errno is not kept. Whether the list is there. */
bool maps_readable(void);

#define MAPS_MAIN_STACK 0x5b737461636b5dull	/* "[stack]" */

/* Context: call, errno is not kept. The line of an address; false: there is none, or it cannot be read. */
bool maps_find(uintptr_t address, struct maps_line *line);

#endif
