/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share FILE NUMBER PROCESSES TOTAL EVERY [ACTION]: launches kernels as fast as it may, waits for the
 * device after each EVERY of them, until all PROCESSES, who tell each other by FILE, have launched TOTAL.
 * Prints how many were its own. ACTION, after a tenth of TOTAL and while the device works for it: idle, it launches
 * nothing more; kill, stop, exec, or fork or clone, where the child lives on; pause, it stops and goes on. Or device1: it works with that one;
 * graphs: that is what it launches; copies: each round copies and sets memory, and a sum of the first rounds is printed
 * as well; streams: that by two streams and the default one, each with launches whose grids number them; marks: each round ends with an event and three milliseconds in which nobody asks for it.
 * Each tenth round, with work on its way: destroy, reset, release, its context, which it makes anew; thread, a thread
 * launches and exits; forks, a child exits; spawns, a child execs; jumps, a signal's handler leaves a wait for the device,
 * or a launch that waits for its turn, by siglongjmp. clock: the wall clock goes forth and back by years.
 * What the driver logs goes to standard error.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
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

static const char *action;
static CUfunction function;
static CUstream streams[2];	/* NULL: all is in the default one */
static CUcontext context;
static CUdevice device;
static atomic_bool stepping;

/* In place of libc's, for whoever binds it here. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	static atomic_int calls;
	int error = (int)syscall(SYS_clock_gettime, clock, time);

	if (stepping && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		time->tv_sec += calls++ % 2 ? 100000000 : -100000000;
	return error;
}

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

static bool is(const char *name)
{
	return !strcmp(action, name);
}

/* With work on its way. */
static void act(void)
{
	if (is("kill"))
		raise(SIGKILL);
	else if (is("stop"))
		raise(SIGSTOP);
	else if (is("exec"))
		execl("/bin/sh", "sh", "-c", "sleep 2", (char *)NULL);
	else if (is("fork") ? fork() : is("clone") ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : 0)
		raise(SIGKILL);
}

/* A launch of the next number, where there are several streams. */
static int number_one(CUstream stream)
{
	static unsigned int number;

	if (!streams[0])
		return 0;
	return (int)cuLaunchKernel(function, ++number, 1, 1, 2, 1, 1, 0, stream, NULL, NULL);
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
	    cuMemcpyHtoDAsync_v2(at, host, sizeof(host), streams[0]) || number_one(streams[0]) ||
	    cuMemcpyDtoDAsync_v2(at + sizeof(host), at, sizeof(host), NULL) || number_one(NULL) ||
	    cuMemsetD32Async(at + sizeof(host) + 4 * (CUdeviceptr)(round % 512), (unsigned int)round, 16, streams[1]) ||
	    number_one(streams[1]) || cuMemcpyDtoHAsync_v2(back, at + sizeof(host), sizeof(host), NULL) || cuStreamSynchronize(NULL))
		exit(5);
	for (int i = 0; i < 1024; i++)
		sum = sum * 1000003 + back[i];
	return sum;
}

static void log_line(void *unused, CUlogLevel level, char *message, size_t size)
{
	(void)unused;
	fprintf(stderr, "driver: %d %.*s\n", (int)level, (int)size, message);
}

static void make_context(void)
{
	bool primary = is("reset") || is("release");
	CUmodule module;

	if (primary ? cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) :
		      cuCtxCreate_v2(&context, 0, device))
		exit(3);
	if (cuModuleLoadData(&module, image) || cuModuleGetFunction(&function, module, "one"))
		exit(3);
}

static void begin(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*all)))
		exit(3);
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (all == MAP_FAILED || cuInit(0) || cuLogsRegisterCallback(log_line, NULL, NULL))
		exit(3);
	make_context();
	stepping = is("clock");
}

static int end_round(void)
{
	static CUevent event;

	if (!is("marks"))
		return (int)cuCtxSynchronize();
	if ((!event && cuEventCreate(&event, 0)) || cuEventRecord(event, NULL))
		return 7;
	for (int i = 0; i < 3; i++)
		rest();
	return 0;
}

static int launch(void)
{
	return (int)cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void *launch_there(void *unused)
{
	if (cuCtxSetCurrent(context) || launch() || launch())
		exit(6);
	return unused;
}

static sigjmp_buf before_jump;

static void jump(int unused)
{
	(void)unused;
	siglongjmp(before_jump, 1);
}

/* Leaves what takes longer than 0.3 ms. */
static void leave(void)
{
	static volatile int turn;
	struct sigaction action = { .sa_handler = jump };
	struct itimerval soon = { .it_value = { .tv_usec = 300 } }, never = { .it_value = { 0 } };

	turn++;
	sigaction(SIGALRM, &action, NULL);
	if (!sigsetjmp(before_jump, 1)) {
		setitimer(ITIMER_REAL, &soon, NULL);
		for (int i = 0; i < 100; i++)
			if (turn % 2 ? cuCtxSynchronize() : (CUresult)launch())
				exit(6);
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

/* What each tenth round does with work on its way. */
static void act_again(void)
{
	static char *arguments[] = { (char *)"true", NULL };
	pthread_t thread;
	pid_t child;

	if (is("destroy") ? cuCtxDestroy_v2(context) : is("reset") ? cuDevicePrimaryCtxReset_v2(device) :
	    is("release") ? cuDevicePrimaryCtxRelease_v2(device) : 0)
		exit(6);
	if (is("jumps")) {
		leave();
	} else if (is("destroy") || is("reset") || is("release")) {
		make_context();
	} else if (is("thread")) {
		if (pthread_create(&thread, NULL, launch_there, NULL) || pthread_join(thread, NULL))
			exit(6);
	} else if (is("forks") || is("spawns")) {
		if (is("spawns") ? posix_spawn(&child, "/bin/true", NULL, NULL, arguments, NULL) : (child = fork()) < 0)
			exit(6);
		if (!child)
			exit(0);
		waitpid(child, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	int number = argc > 5 ? atoi(argv[2]) : -1;
	long total, every, rounds = 0;
	bool acted = false, paused = false, copies, graphs, once;
	uint64_t summed = 0;

	if (number < 0 || number >= MOST)
		return 2;
	action = argc > 6 ? argv[6] : "";
	copies = is("copies") || is("streams");
	graphs = is("graphs");
	once = is("clone") || is("exec") || is("fork") || is("idle") || is("kill") || is("stop");
	device = is("device1");
	begin(argv[1]);
	total = atol(argv[4]);
	every = atol(argv[5]);
	for (int i = 0; i < 2 && is("streams"); i++)
		if (cuStreamCreate(&streams[i], 0))
			return 3;
	for (all->ready++; all->ready < atoi(argv[3]); )
		rest();
	while (sum() < total || (copies && rounds < SUMMED)) {
		if (copies && rounds < SUMMED)
			summed = summed * 31 + copy(rounds + 1);
		if (acted || (sum() > total / 10 && is("idle"))) {
			rest();
			continue;
		}
		for (long i = 0; i < every; i++)
			/* Which the simulated driver refuses. */
			if (graphs ? !cuGraphLaunch(NULL, NULL) : launch())
				return 4;
		if (++rounds % 10 == 0)
			act_again();
		acted = once && sum() > total / 10;
		if (is("pause") && !paused && sum() > total / 10) {
			paused = true;
			raise(SIGSTOP);
		}
		if (acted)
			act();
		if (!acted && end_round())
			return 4;
		all->counts[number] += every;
	}
	printf("%ld\n", (long)all->counts[number]);
	if (copies)
		printf("%llx\n", (unsigned long long)summed);
	return 0;
}
