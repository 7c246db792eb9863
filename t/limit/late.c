/* SPDX-License-Identifier: Apache-2.0 */
/*
 * late MODE: uses a device for the first time, in the library beside it, where a thread beside the
 * program's is hard to come by: constructor, in a thread for which the constructor of a library
 * waits; limited, where no more threads may be; refused, killed, where a filter of its own refuses
 * clone(2), or ends the process for it; small, on a stack of 16 KiB; forks, while another thread
 * forks; child, in which another thread stays until exit; handler, in the handler of a signal, from
 * when there is a context. Prints "launched".
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"

enum { STACK = 16384, FORKS = 100, NOBODY = 65534 };

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

#define IS(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)

static volatile sig_atomic_t handling, allocated;
static void (*launch_late)(void);

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

/* In place of libc's, which holds a lock at that moment. */
void *malloc(size_t size)
{
	allocated += handling;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	allocated += handling;
	return __libc_calloc(count, size);
}

static void *find(const char *name)
{
	void *library = dlopen("liblate.so", RTLD_NOW), *address = library ? dlsym(library, name) : NULL;

	if (!address) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	return address;
}

static void *use(void *unused)
{
	((void (*)(void))find("late_launch"))();
	return unused;
}

static void handle(int number)
{
	(void)number;
	handling = 1;
	launch_late();
	handling = 0;
}

static int use_in_handler(void)
{
	launch_late = (void (*)(void))find("late_begun");
	((void (*)(void))find("late_begin"))();
	if (signal(SIGUSR1, handle) == SIG_ERR || raise(SIGUSR1))
		return 3;
	if (allocated)
		printf("%d allocations in the handler\n", (int)allocated);
	puts("launched");
	return 0;
}

static int filter(unsigned int answer)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		IS(SYS_clone), ANSWER(answer),
		IS(SYS_clone3), ANSWER(answer),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Of a user who may not have as many as there are. */
static int limit(void)
{
	const struct rlimit none = { 0, 0 };

	return (!getuid() && setuid(NOBODY)) || setrlimit(RLIMIT_NPROC, &none);
}

static int small(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	return pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, STACK) ||
	       pthread_create(&thread, &attributes, use, NULL) || pthread_join(thread, NULL);
}

static void *fork_often(void *failed)
{
	int status;

	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			*(int *)failed = 1;
	}
	return failed;
}

static int forks(void)
{
	pthread_t thread;
	int failed = 0;

	if (pthread_create(&thread, NULL, fork_often, &failed))
		return 1;
	use(NULL);
	return pthread_join(thread, NULL) || failed;
}

static void *stay(void *unused)
{
	while (pause())
		;
	return unused;
}

/*
 * The child's thread has the stack, and so the pthread_t, of one that only the parent has. What
 * LATE_AFTER says is run when it has ended.
 */
static int child(void)
{
	const char *after = getenv("LATE_AFTER");
	pthread_t thread;
	int status = -1;
	pid_t its;

	use(NULL);
	fflush(stdout);
	its = fork();
	if (!its)
		exit(pthread_create(&thread, NULL, stay, NULL));
	if (waitpid(its, &status, 0) != its || status)
		return 1;
	unsetenv("LD_AUDIT");
	return after && system(after);
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";

	if (cuInit(0))
		return 3;
	if (!strcmp(mode, "small"))
		return small();
	if (!strcmp(mode, "forks"))
		return forks();
	if (!strcmp(mode, "child"))
		return child();
	if (!strcmp(mode, "handler"))
		return use_in_handler();
	if ((!strcmp(mode, "constructor") && setenv("LATE_CONSTRUCTOR", "1", 1)) ||
	    (!strcmp(mode, "limited") && limit()) ||
	    (!strcmp(mode, "refused") && filter(SECCOMP_RET_ERRNO | EPERM)) ||
	    (!strcmp(mode, "killed") && filter(SECCOMP_RET_KILL_PROCESS)))
		return 77;
	use(NULL);
	return 0;
}
