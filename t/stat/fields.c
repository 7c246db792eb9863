/* SPDX-License-Identifier: Apache-2.0 */
/* Where fields of a file of statistics are. */
#include <cuaudit/stat.h>
#include <stddef.h>
#include <stdio.h>

int main(void)
{
	printf("host=%zu start=%zu began=%zu\n", offsetof(struct cuaudit_stat_header, host),
	       offsetof(struct cuaudit_stat_header, process_start),
	       offsetof(struct cuaudit_stat_header, start_ns));
	return 0;
}
