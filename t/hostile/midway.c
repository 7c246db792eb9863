/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child of fork that another thread made while one was within the core's
 * constructor: the child has half a core, whose thread is gone. Prints how the
 * child ended.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/fake/driver.h"

typedef int (*create_fn)(pthread_key_t *key, void (*end)(void *value));

static atomic_int came;
static int status;

static void *fork_and_call(void *unused)
{
	pid_t child = fork();

	if (!child)
		_exit(cuStreamQuery(NULL) || cuStreamQuery(NULL));
	waitpid(child, &status, 0);
	return unused;
}

/* The core's constructor makes its keys; it finds this one first. */
__attribute__((weak)) int pthread_key_create(pthread_key_t *key, void (*end)(void *value))
{
	create_fn create = (create_fn)dlsym(RTLD_NEXT, "pthread_key_create");
	pthread_t thread;

	if (!came++ && !pthread_create(&thread, NULL, fork_and_call, NULL))
		pthread_join(thread, NULL);
	return create(key, end);
}

int main(void)
{
	int wrong = cuStreamQuery(NULL);

	printf("%d %d\n", (int)came > 0, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return wrong;
}
