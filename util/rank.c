/* SPDX-License-Identifier: Apache-2.0 */
/* Which variables tell a process its number in a job. */
#include "util/rank.h"

#include <stddef.h>

const char *const rank_variables[] = {
	"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "RANK", NULL
};
