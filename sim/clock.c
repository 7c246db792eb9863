/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that processes share: one does the work of all, in the order in which it is submitted. */
#include "sim/sim.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* "simclock", so that no other file is written to. */
static const uint64_t mark = 0x6b636f6c636d6973;

struct shared {
	_Atomic uint64_t mark;
	_Atomic uint64_t clock[SIM_DEVICES];
};

/* Whether fd is such a file, or empty: then it is made one. */
static bool is_clock(int fd)
{
	struct stat file;

	if (fstat(fd, &file) || !S_ISREG(file.st_mode))
		return false;
	if (!file.st_size)
		return !ftruncate(fd, sizeof(struct shared));
	return file.st_size == sizeof(struct shared);
}

bool sim_clock_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
	struct shared *map = MAP_FAILED;
	uint64_t found = 0;

	if (fd >= 0 && is_clock(fd))
		map = mmap(NULL, sizeof(*map), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return false;
	/* Another process may have made the file a moment ago. */
	if (!atomic_compare_exchange_strong(&map->mark, &found, mark) && found != mark) {
		munmap(map, sizeof(*map));
		return false;
	}
	sim_config.clock = map->clock;
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
