/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that a report of the runtime's calls must not change, nor misread. */
#include "t/runtime/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/fake/driver.h"
#include "t/fake/tools.h"

static void *pointer;
static int device;

/* Another tool asks for some functions, and changes its mind. */
static int tool(void)
{
	static const unsigned char uuid[16] = { 1 };
	struct fake_tools *tools = &fake_tools;
	const void *table;

	cuGetExportTable(&table, uuid);
	tools->flags[20] = 1;
	cudaMalloc(&pointer, 1);
	cudaFree(pointer);
	printf("malloc %u free %u\n", tools->reports[20], tools->reports[22]);
	tools->flags[22] = 1;
	tools->flags[20] = 0;
	for (int i = 0; i < 2000; i++)
		cudaGetDevice(&device);
	cudaMalloc(&pointer, 1);
	cudaFree(pointer);
	printf("malloc %u free %u device %u\n", tools->reports[20], tools->reports[22],
	       tools->reports[17]);
	return 0;
}

/* One that looks at tables that no runtime asks for may set its flags at any time. */
static int late_tool(void)
{
	const void *table;
	static const unsigned char uuid[16] = { 1 };

	cudaGetDevice(&device);
	cuGetExportTable(&table, uuid);
	fake_tools.flags[22] = 1;
	cudaFree(pointer);
	printf("free %u\n", fake_tools.reports[22]);
	return 0;
}

static void *work(void *unused)
{
	void *own;
	int which;

	for (int i = 0; i < 200; i++) {
		cudaMalloc(&own, 16);
		cudaGetDevice(&which);
		linked_malloc(&own, 16);
	}
	return unused;
}

static int threads(void)
{
	pthread_t thread[8];

	cudaGetDevice(&device);
	linked_malloc(&pointer, 1);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void fork_here(void *unused)
{
	(void)unused;
	fflush(stdout);
	if (!fork()) {
		cudaMalloc(&pointer, 5);
		exit(0);
	}
	wait(NULL);
}

static int forks(void)
{
	cudaGetDevice(&device);
	fork_here(NULL);
	/* In the middle of a call. */
	cudaStreamAddCallback(NULL, fork_here, NULL, 1);
	cudaMalloc(&pointer, 6);
	return 0;
}

static void handler(int number)
{
	(void)number;
	cudaMalloc(&pointer, 3);
	cuInit(0);
}

static void raise_here(void *unused)
{
	(void)unused;
	raise(SIGUSR1);
}

static int signals(void)
{
	signal(SIGUSR1, handler);
	cudaStreamAddCallback(NULL, raise_here, NULL, 1);
	cudaStreamAddCallback(NULL, raise_here, NULL, 0);
	cudaGetDevice(&device);
	return 0;
}

static sigjmp_buf back;

static void jump(void *unused)
{
	(void)unused;
	siglongjmp(back, 1);
}

static void jump_deep(void *unused)
{
	cudaStreamAddCallback(NULL, jump, unused, 0);
}

/* Calls in calls, more than are kept. */
static void deeper(void *left)
{
	if (left)
		cudaStreamAddCallback(NULL, deeper, (char *)left - 1, 1);
}

static int deep(void)
{
	cudaStreamAddCallback(NULL, deeper, (void *)20, 1);
	cudaGetDevice(&device);
	return 0;
}

static int jumps(void)
{
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(back, 1))
			cudaStreamAddCallback(NULL, i % 2 ? jump : jump_deep, NULL, 1);
	}
	cuInit(0);
	cudaGetDevice(&device);
	cudaMalloc(&pointer, 4);
	return 0;
}

static sigjmp_buf inner;

static void jump_inside(void *unused)
{
	(void)unused;
	siglongjmp(inner, 1);
}

/* A call is left, and the one that it was inside of returns. */
static void leave_inner(void *unused)
{
	if (!sigsetjmp(inner, 1))
		cuLaunchHostFunc(NULL, jump_inside, unused);
}

static int jumps_inside(void)
{
	for (int i = 0; i < 100; i++) {
		cudaStreamAddCallback(NULL, leave_inner, NULL, 1);
		cuInit(0);
	}
	return 0;
}

static int closes(void)
{
	for (int i = 0; i < 20; i++) {
		void *library = dlopen(getenv("CLOSED"), RTLD_NOW | RTLD_LOCAL);
		int (*function)(void **, size_t) = library ?
			(int (*)(void **, size_t))dlsym(library, "linked_malloc") : NULL;

		if (!function)
			return 1;
		function(&pointer, 9);
		dlclose(library);
	}
	cudaGetDevice(&device);
	return 0;
}

/* No page may become writable that was not. */
static int refused(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_WRITE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	cuInit(0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	cudaMalloc(&pointer, 1);
	cudaFree(pointer);
	return 0;
}

static void at_end(void)
{
	cudaMalloc(&pointer, 1);
}

static void __attribute__((destructor)) at_the_very_end(void)
{
	if (pointer)
		cudaFree(pointer);
}

static int ends(void)
{
	atexit(at_end);
	cudaGetDevice(&device);
	return 0;
}

static int newer(void)
{
	runtime_newer();
	runtime_newer();
	cudaGetDevice(&device);
	return 0;
}

static int renumbered(void)
{
	cudaGetDevice(&device);
	runtime_renumbered();
	cudaGetDevice(&device);
	return 0;
}

static int larger(void)
{
	cudaGetDevice(&device);
	runtime_larger();
	cudaGetDevice(&device);
	return 0;
}

/* The end of a function that was not seen to begin, by the structure in which another one's call is reported. */
static int mix(int rounds)
{
	static const struct {
		uint32_t callback, site;
		const char *name;
		int32_t status;
	} steps[] = { { 20, TOOLS_ENTER, "cudaMalloc", 0 }, { 22, TOOLS_EXIT, "cudaFree", 2 },
		      { 20, TOOLS_EXIT, "cudaMalloc", 0 } };
	const struct tools_table *table;
	uint64_t correlation, params[2] = { 0 };
	int32_t status;
	struct tools_report report = {
		.size = sizeof(report), .correlation = &correlation, .status = &status, .params = params
	};

	cudaGetDevice(&device);
	cuGetExportTable((const void **)&table, tools_uuid);
	for (int i = 0; i < 3 * rounds; i++) {
		report.callback = steps[i % 3].callback;
		report.site = steps[i % 3].site;
		report.name = steps[i % 3].name;
		status = steps[i % 3].status;
		table->report(report.callback, &report);
		if (rounds > 1)
			cuInit(0);
	}
	return 0;
}

static int mixed(void)
{
	return mix(1);
}

static int mixed_again(void)
{
	return mix(3);
}

/* By a function that is hooked, too, and leaves no address of its own. */
static int by_jump(void)
{
	linked_malloc(&pointer, 1);
	for (int i = 0; i < 3; i++)
		linked_jump(&pointer, 1);
	return 0;
}

/* Two slots are changed, and the page cannot be written to, as before. */
static int restored(void)
{
	const struct tools_table *table;
	unsigned long low, high;
	char line[512];
	FILE *maps;

	cudaGetDevice(&device);
	cuGetExportTable((const void **)&table, tools_uuid);
	printf("size %zx, %s\n", table->size, table->begin == table->unknown &&
	       table->begin == table->unknown_too ? "others as they were" : "others changed");
	maps = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &low, &high) == 2 && (unsigned long)table >= low &&
		    (unsigned long)table < high)
			printf("%.4s\n", strchr(line, ' ') + 1);
	fclose(maps);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
		{ "tool", tool }, { "late-tool", late_tool }, { "threads", threads }, { "forks", forks },
		{ "signals", signals }, { "jumps", jumps }, { "deep", deep }, { "closes", closes },
		{ "refused", refused },
		{ "ends", ends }, { "newer", newer }, { "renumbered", renumbered }, { "larger", larger },
		{ "restored", restored }, { "jumps-inside", jumps_inside }, { "mixed", mixed },
		{ "mixed-again", mixed_again }, { "by-jump", by_jump },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			return modes[i].run();
	return 2;
}
