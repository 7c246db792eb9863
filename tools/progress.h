/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on the terminal while something takes long. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;		/* stderr is a terminal */
	bool drawn;		/* there is a bar on it */
	const char *what;	/* kept: what is being done */
	uint64_t start, last;	/* ns of CLOCK_MONOTONIC: of all, of the bar that is there */
};

void progress_begin(struct progress *progress, const char *what);

/* How much is done; draws ten times a second at most, and nothing in the first half second. */
void progress_tell(struct progress *progress, uint64_t done, uint64_t all);

/* Takes the bar away, as has to be before anything else is written. */
void progress_clear(struct progress *progress);

#endif
