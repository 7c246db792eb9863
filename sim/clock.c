/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that processes share: one does the work of all, in the order in which it is submitted. */
#include "sim/sim.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

bool sim_clock_open(const char *path)
{
	size_t size = SIM_DEVICES * sizeof(*sim_config.clock);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *map = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)size))
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return false;
	sim_config.clock = map;
	return true;
}

uint64_t sim_clock_add(CUdevice device, uint64_t after, uint64_t ns)
{
	_Atomic uint64_t *clock = &sim_config.clock[device];
	uint64_t until = atomic_load(clock), start;

	do {
		start = until > after ? until : after;
	} while (!atomic_compare_exchange_weak(clock, &until, start + ns));
	return start;
}
