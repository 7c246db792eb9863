/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the system's clocks. */
#include "hooks/clock_read.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/core_link.h"

bool clock_read_by_kernel;

#undef clock_gettime
int clock_gettime(clockid_t id, struct timespec *time);

static int (*of_libc)(clockid_t id, struct timespec *time) = clock_gettime;

void clock_read_setup(void)
{
	if (cuaudit_core_link->read_clock)
		*(void **)&of_libc = cuaudit_core_link->read_clock;
}

int clock_read(clockid_t id, struct timespec *time)
{
	/* libc's reads the processor's counter itself, for what the kernel maps for it. */
	return clock_read_by_kernel ? (int)syscall(SYS_clock_gettime, id, time) : of_libc(id, time);
}
