/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for processes of which viewers know no more than the pid. */
#include "export/pids.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where it is, or belongs. */
static size_t place(const struct pids *pids, uint32_t pid, bool *there)
{
	size_t low = 0, high = pids->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pids->taken[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	*there = low < pids->count && pids->taken[low] == pid;
	return low;
}

uint32_t pids_take(struct pids *pids, uint32_t pid)
{
	uint32_t *taken = pids->taken;
	bool there;
	size_t at = place(pids, pid, &there);

	if (there || !pid || pid > INT32_MAX) {
		uint32_t last = pids->count ? taken[pids->count - 1] : 0;

		pid = last < PIDS_OTHERS ? PIDS_OTHERS : last + 1;
		at = pids->count;
	}
	if (pids->count == pids->room) {
		taken = reallocarray(taken, 2 * pids->room + 16, sizeof(*taken));
		if (!taken)
			return 0;
		pids->taken = taken;
		pids->room = 2 * pids->room + 16;
	}
	memmove(taken + at + 1, taken + at, (pids->count++ - at) * sizeof(*taken));
	taken[at] = pid;
	return pid;
}

void pids_free(struct pids *pids)
{
	free(pids->taken);
	*pids = (struct pids){ 0 };
}
