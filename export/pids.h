/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for processes of which viewers know no more than the pid. */
/*
 * Hosts and containers of a job give the same pids, and a process that calls
 * exec keeps its own; in one picture they would become one process.
 */
#ifndef EXPORT_PIDS_H
#define EXPORT_PIDS_H

#include <stddef.h>
#include <stdint.h>

enum { PIDS_OTHERS = 1 << 23 };	/* above what Linux gives */

struct pids {
	uint32_t *taken;	/* sorted */
	size_t count, room;
};

/* The pid itself if nobody had it so far, else one of PIDS_OTHERS on; 0 when memory is out. */
uint32_t pids_take(struct pids *pids, uint32_t pid);
void pids_free(struct pids *pids);

#endif
