/* SPDX-License-Identifier: Apache-2.0 */
/* A library or program of the lock file that has another name in a run. */
#ifndef ANALYSIS_BASELINE_RENAME_H
#define ANALYSIS_BASELINE_RENAME_H

#include "analysis/baseline.h"

/* All zero at first. */
struct baseline_rename {
	char *was, *is;		/* fields, with the tab behind each; NULL: none has another name */
	uint32_t line;		/* of the first fact of it */
	struct baseline_run run;	/* the run, by the lock's name */
};

/*
 * The one library that is in the lock alone and the one that is in the run alone, if most facts of
 * the one are of the other, whatever their counts. 0 or -ENOMEM; baseline_rename_free in both cases.
 */
int baseline_rename_find(const struct baseline_lock *lock, const struct baseline_run *run,
			 struct baseline_rename *rename);
void baseline_rename_free(struct baseline_rename *rename);

#endif
