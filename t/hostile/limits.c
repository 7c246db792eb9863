/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls the driver while something is short. The first argument says what:
 * "files", "memory" or "open"; the second when it comes: before the first
 * call ("first") or after it ("later").
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "t/fake/driver.h"

static void limit(int what, rlim_t value)
{
	struct rlimit now;

	if (getrlimit(what, &now) || value > now.rlim_max)
		exit(3);
	now.rlim_cur = value;
	if (setrlimit(what, &now))
		exit(3);
}

/* Every descriptor in use, as far as the limit goes. */
static void use_files(void)
{
	limit(RLIMIT_NOFILE, 32);
	while (dup(STDIN_FILENO) >= 0)
		;
	if (errno != EMFILE)
		exit(3);
}

/* What is mapped, and so many KiB more. */
static void use_memory(const char *more)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file || fscanf(file, "%ld", &pages) != 1)
		exit(3);
	fclose(file);
	limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) +
	      strtoul(more, NULL, 10) * 1024);
}

/* No file may be opened any more. */
static void forbid_open(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_open
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(77);
}

static void *call(void *data)
{
	unsigned long long pointer;
	long failed = 0;

	for (int i = 0; i < 10; i++)
		failed |= cuInit(0) | cuMemAlloc_v2(&pointer, 42) | (pointer != 42);
	return failed ? NULL : data;
}

static void restrict_to(int argc, char **argv)
{
	if (!strcmp(argv[1], "files"))
		use_files();
	else if (!strcmp(argv[1], "memory"))
		use_memory(argc > 3 ? argv[3] : "0");
	else
		forbid_open();
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *good = NULL;
	int want = 10;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[2], "later")) {
		if (!call(argv))
			return 4;
		want += 10;
	}
	restrict_to(argc, argv);
	if (!call(argv))
		return 5;
	/* One that has not called yet; where memory is out there may be none. */
	if (!pthread_create(&thread, NULL, call, argv)) {
		pthread_join(thread, &good);
		if (!good)
			return 6;
		want += 10;
	}
	return cuaudit_fake_calls("cuInit") == want ? 0 : 7;
}
