/* SPDX-License-Identifier: Apache-2.0 */
/* What stat_fast_path_x86_64.S has to know of C. */
#include <internal/offsets.h>

#include "hooks/modules/stat/stat_cell.h"

static __attribute__((used)) void offsets(void)
{
	OFFSET(STAT_THREAD_LAST, struct stat_thread, last);
	OFFSET(STAT_CELL_CALLER, struct cuaudit_stat_cell, own_caller);
	OFFSET(STAT_CELL_GENERATION, struct cuaudit_stat_cell, own_generation);
	OFFSET(STAT_CELL_CALLS, struct cuaudit_stat_cell, calls);
	OFFSET(STAT_CELL_TOTAL, struct cuaudit_stat_cell, total);
	OFFSET(STAT_CELL_SQUARES, struct cuaudit_stat_cell, squares);
	OFFSET(STAT_CELL_MIN, struct cuaudit_stat_cell, min);
	OFFSET(STAT_CELL_MAX, struct cuaudit_stat_cell, max);
	OFFSET(STAT_CELL_BUCKETS, struct cuaudit_stat_cell, buckets);
	VALUE(STAT_BUCKETS, CUAUDIT_STAT_BUCKETS);
}
