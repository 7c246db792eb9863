/* SPDX-License-Identifier: Apache-2.0 */
/*
 * card CASE, under the limit hook and t/limit/nvml.c: when NVML is opened, in which thread, and whom it is taken to
 * tell of. Prints what was seen.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/limit/nvml.h"

#define MIB ((size_t)1 << 20)

enum { OUTSIDE = 4000001, NEIGHBOR };

/* Of whom none were there when NVML was asked first. */
struct nvml_processes nvml_processes, nvml_second;
unsigned int nvml_begun;
int (*nvml_beginning)(void);

static bool mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	bool any = false;

	while (maps && fgets(line, sizeof(line), maps))
		any |= strstr(line, "libnvidia-ml") != NULL;
	if (maps)
		fclose(maps);
	return any;
}

static void opened(const char *when)
{
	printf("%s: %s, begun %u times\n", when, mapped() ? "loaded" : "not loaded", nvml_begun);
	fflush(stdout);
}

static void left(const char *after)
{
	size_t free = 0, total = 0;

	cuMemGetInfo_v2(&free, &total);
	printf("%s: %zu of %zu left\n", after, free / MIB, total / MIB);
	fflush(stdout);
}

static void appear(struct nvml_processes *on, unsigned int pid, size_t mib)
{
	on->list[on->count++] = (struct nvml_process){ .pid = pid, .used = mib * MIB };
}

static int context(int device)
{
	CUcontext unused;

	return cuCtxCreate_v2(&unused, 0, device);
}

static int retain(int device)
{
	CUcontext unused;

	return cuDevicePrimaryCtxRetain(&unused, device);
}

/* All that comes before a context, then one. */
static int when(void)
{
	CUdeviceptr at;
	size_t bytes;

	opened("cuInit");
	cuDeviceTotalMem_v2(&bytes, 0);
	cuMemGetInfo_v2(&bytes, &bytes);
	cuMemAlloc_v2(&at, 1);
	opened("calls without a context");
	appear(&nvml_processes, (unsigned int)getpid(), 300);
	if (context(0))
		return 3;
	opened("a context");
	if (dlerror())
		puts("an error of the loader's is left");
	left("a context");
	return 0;
}

static int blocked(void)
{
	sigset_t signals;

	pthread_sigmask(SIG_SETMASK, NULL, &signals);
	printf("SIGALRM is %s\n", sigismember(&signals, SIGALRM) ? "blocked" : "taken");
	return 0;
}

/* Which signals come while it is begun, and after. */
static int signals(void)
{
	nvml_beginning = blocked;
	appear(&nvml_processes, (unsigned int)getpid(), 300);
	if (context(0))
		return 3;
	return blocked();
}

/* In a container: another of its processes began on the second device meanwhile. */
static int neighbor(void)
{
	appear(&nvml_second, NEIGHBOR, 500);
	appear(&nvml_processes, OUTSIDE, 300);
	if (context(0))
		return 3;
	left("a context");
	if (retain(1))
		return 3;
	left("one that NVML does not know yet");
	appear(&nvml_second, OUTSIDE, 100);
	if (retain(1))
		return 3;
	left("and one beside the neighbor's");
	return 0;
}

/* The runtime's way: code is loaded, then a device retained by its number, with no context current. */
static int runtime(void)
{
	static const char image[] =
		".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n ret;\n}\n";
	CUlibrary library;
	CUcontext primary;

	appear(&nvml_processes, NEIGHBOR, 500);
	if (cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0))
		return 3;
	appear(&nvml_second, OUTSIDE, 100);
	if (cuDevicePrimaryCtxRetain(&primary, 1) || cuCtxSetCurrent(primary))
		return 3;
	left("retained");
	return 0;
}

/* A second context on another device than the thread's. */
static int retained(void)
{
	appear(&nvml_processes, (unsigned int)getpid(), 300);
	if (context(0))
		return 3;
	left("a context");
	appear(&nvml_second, (unsigned int)getpid(), 200);
	if (retain(1))
		return 3;
	left("one on the second device");
	nvml_second.count = 0;
	cuDevicePrimaryCtxRelease_v2(1);
	left("released");
	return 0;
}

static _Atomic int tid, came;

static void *come(void *unused)
{
	tid = (int)syscall(SYS_gettid);
	if (context(0))
		puts("no context");
	came = 1;
	return unused;
}

static void *(*comes)(void *) = come;

/* Until the other thread waits for a futex, or has been through. */
static int let_come(void)
{
	static pthread_t thread;
	char path[64], text[64];

	if (pthread_create(&thread, NULL, comes, NULL))
		return 3;
	pthread_detach(thread);
	for (bool waits = false; !waits && !came;) {
		FILE *file;

		sched_yield();
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
		file = tid ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		snprintf(text, sizeof(text), "%d ", SYS_futex);
		waits = fgets(path, sizeof(path), file) && !strncmp(path, text, strlen(text));
		fclose(file);
	}
	puts(came ? "a context before NVML was asked" : "it waits");
	return 0;
}

static int within(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info;
	(void)size;
	come(unused);
	return 1;
}

static void *come_within(void *unused)
{
	dl_iterate_phdr(within, NULL);
	return unused;
}

/* What NVML opens waits for the other thread, which has a lock of the loader's. */
static int let_come_within(void)
{
	let_come();
	if (!dlopen("libresolv.so.2", RTLD_NOW))
		puts("no library");
	return 0;
}

/* As in a library's constructor. */
static int loader(void)
{
	comes = come_within;
	nvml_beginning = let_come_within;
	appear(&nvml_processes, (unsigned int)getpid(), 300);
	if (context(0))
		return 3;
	left("both");
	return 0;
}

static int threads(void)
{
	nvml_beginning = let_come;
	appear(&nvml_processes, (unsigned int)getpid(), 300);
	if (context(0))
		return 3;
	while (!came)
		sched_yield();
	left("both");
	return 0;
}

static int deep(void)
{
	volatile char much[300 << 10];

	for (size_t i = 0; i < sizeof(much); i += 512)
		much[i] = 1;
	return 0;
}

static void *on_little(void *unused)
{
	nvml_processes.inside = (void (*)(void))deep;
	if (context(0))
		puts("no context");
	left("a context");
	return unused;
}

/* On a stack that has room for the driver, and not for NVML. */
static int small(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	nvml_beginning = deep;
	appear(&nvml_processes, (unsigned int)getpid(), 300);
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, 64 << 10) || pthread_create(&thread, &attributes, on_little, NULL) ||
	    pthread_join(thread, NULL))
		return 3;
	return 0;
}

static void ask_table(void)
{
	const void *table;

	cuGetExportTable(&table, (const CUuuid *)"no such table ..");
}

static void *have_asked(void *unused)
{
	nvml_processes.inside = ask_table;
	if (context(0))
		puts("no context");
	return unused;
}

/* NVML calls the driver, by a thread whose stack is below and one whose stack is above that on which it runs. */
static int nested(void)
{
	pthread_t thread;

	appear(&nvml_processes, (unsigned int)getpid(), 300);
	if (context(0))
		return 3;
	have_asked(NULL);
	if (pthread_create(&thread, NULL, have_asked, NULL) || pthread_join(thread, NULL))
		return 3;
	printf("asked %u times\n", nvml_processes.asks);
	return 0;
}

/* The program, or a library of its, ends NVML once more than it began it. */
static int ended(void)
{
	appear(&nvml_processes, (unsigned int)getpid(), 300);
	if (context(0))
		return 3;
	nvml_processes.ended = true;
	nvml_processes.list[0].used += 100 * MIB;
	if (context(0))
		return 3;
	left("two contexts");
	opened("ended");
	nvml_processes.stale = true;
	nvml_processes.list[0].used += 100 * MIB;
	if (context(0))
		return 3;
	left("three contexts");
	opened("ended and begun by the program");
	return 0;
}

/* A child of fork cannot use the driver. */
static int forks(void)
{
	int status = 0;

	appear(&nvml_processes, (unsigned int)getpid(), 300);
	if (context(0))
		return 3;
	opened("the parent");
	if (fork()) {
		wait(&status);
		return WEXITSTATUS(status);
	}
	if (!context(0))
		puts("a context in the child");
	opened("the child");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
		{ "ended", ended }, { "forks", forks }, { "loader", loader }, { "neighbor", neighbor }, { "nested", nested }, { "retained", retained },
		{ "runtime", runtime }, { "signals", signals }, { "small", small }, { "threads", threads }, { "when", when },
	};

	if (argc < 2 || cuInit(0))
		return 3;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name))
			return cases[i].run();
	return 3;
}
