/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for processes of which viewers know no more than the pid. */
#include "export/pids.h"

#include <stdlib.h>
#include <string.h>

#include "util/bytes.h"
#include "util/sort.h"

uint32_t pids_take(struct pids *pids, uint32_t pid)
{
	uint32_t *taken = pids->taken;
	size_t at = FIRST(pids->count, i, taken[i] < pid);

	if ((at < pids->count && taken[at] == pid) || !pid || pid > INT32_MAX) {
		uint32_t last = pids->count ? taken[pids->count - 1] : 0;

		pid = last < PIDS_OTHERS ? PIDS_OTHERS : last + 1;
		at = pids->count;
	}
	taken = bytes_grown(taken, &pids->room, pids->count, sizeof(*taken));
	if (!taken)
		return 0;
	pids->taken = taken;
	memmove(taken + at + 1, taken + at, (pids->count++ - at) * sizeof(*taken));
	taken[at] = pid;
	return pid;
}

void pids_free(struct pids *pids)
{
	free(pids->taken);
	*pids = (struct pids){ 0 };
}
