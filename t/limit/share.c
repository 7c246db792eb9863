/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share FILE NUMBER PROCESSES TOTAL EVERY [ACTION]: launches kernels as fast as it may, waits for the
 * device after each EVERY of them, until all PROCESSES, who tell each other by FILE, have launched TOTAL.
 * Prints how many were its own. ACTION, after a tenth of TOTAL and while the device works for it: idle, it launches
 * nothing more; kill, stop, exec, or fork, where the child lives on. Or device1: it works with that one; graphs: that is
 * what it launches; copies: each round copies and sets memory, and a sum of the first rounds is printed as well.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sim/api.h"

static const char image[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n ret;\n}\n";

enum { MOST = 8, SUMMED = 50 };

static struct {
	atomic_int ready;
	atomic_long counts[MOST];
} *all;

static long sum(void)
{
	long launched = 0;

	for (int i = 0; i < MOST; i++)
		launched += all->counts[i];
	return launched;
}

static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* With work on its way. */
static void act(const char *action)
{
	if (!strcmp(action, "kill"))
		raise(SIGKILL);
	else if (!strcmp(action, "stop"))
		raise(SIGSTOP);
	else if (!strcmp(action, "exec"))
		execl("/bin/sh", "sh", "-c", "sleep 2", (char *)NULL);
	else if (!strcmp(action, "fork") && fork())
		raise(SIGKILL);
}

/* What the device makes of memory in a round, where `copies` is asked for. */
static uint64_t copy(long round)
{
	static uint32_t host[1024], back[1024];
	static CUdeviceptr at;
	uint64_t sum = 0;

	for (int i = 0; i < 1024; i++)
		host[i] = (uint32_t)(i * 2654435761u + round);
	if ((!at && cuMemAlloc_v2(&at, 2 * sizeof(host))) ||
	    cuMemcpyHtoDAsync_v2(at, host, sizeof(host), NULL) ||
	    cuMemcpyDtoDAsync_v2(at + sizeof(host), at, sizeof(host), NULL) ||
	    cuMemsetD32Async(at + sizeof(host) + 4 * (CUdeviceptr)(round % 512), (unsigned int)round, 16, NULL) ||
	    cuMemcpyDtoHAsync_v2(back, at + sizeof(host), sizeof(host), NULL) || cuStreamSynchronize(NULL))
		exit(5);
	for (int i = 0; i < 1024; i++)
		sum = sum * 1000003 + back[i];
	return sum;
}

static CUfunction begin(const char *path, CUdevice device)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	CUfunction function;
	CUcontext context;
	CUmodule module;

	if (fd < 0 || ftruncate(fd, sizeof(*all)))
		exit(3);
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (all == MAP_FAILED || cuInit(0) || cuCtxCreate_v2(&context, 0, device) ||
	    cuModuleLoadData(&module, image) || cuModuleGetFunction(&function, module, "one"))
		exit(3);
	return function;
}

int main(int argc, char **argv)
{
	const char *action = argc > 6 ? argv[6] : "";
	CUfunction function = argc > 5 ? begin(argv[1], !strcmp(action, "device1")) : NULL;
	int number = argc > 5 ? atoi(argv[2]) : 0;
	bool acted = false, copies = !strcmp(action, "copies"), graphs = !strcmp(action, "graphs");
	long total, every, rounds = 0;
	uint64_t summed = 0;

	if (!function || number < 0 || number >= MOST)
		return 2;
	total = atol(argv[4]);
	every = atol(argv[5]);
	for (all->ready++; all->ready < atoi(argv[3]); )
		rest();
	while (sum() < total || (copies && rounds < SUMMED)) {
		if (copies && rounds++ < SUMMED)
			summed = summed * 31 + copy(rounds);
		if (acted || (sum() > total / 10 && !strcmp(action, "idle"))) {
			rest();
			continue;
		}
		for (long i = 0; i < every; i++)
			/* Which the simulated driver refuses. */
			if (graphs ? !cuGraphLaunch(NULL, NULL) : cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL))
				return 4;
		acted = sum() > total / 10 && *action && !copies && !graphs && strcmp(action, "device1") != 0;
		if (acted)
			act(action);
		if (!acted && cuCtxSynchronize())
			return 4;
		all->counts[number] += every;
	}
	printf("%ld\n", (long)all->counts[number]);
	if (copies)
		printf("%llx\n", (unsigned long long)summed);
	return 0;
}
