/* SPDX-License-Identifier: Apache-2.0 */
/* What a child of fork counts as its own: nothing that its parent's threads did before. */
#include <cuaudit/hook.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/fake/driver.h"
#include "t/tap.h"

static pthread_barrier_t barrier;

/* Its own call is one that no hook sees. */
static int calls(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	cuStreamQuery(NULL);
	return CUAUDIT_CONTINUE;
}

static void *other(void *data)
{
	cuInit(0);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return data;
}

int main(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "calls", .functions = "cuInit", .enter = calls,
	};
	int (*add)(const struct cuaudit_hook *);
	void *core, *context;
	pthread_t thread;
	int end = -1;
	pid_t child;

	cuStreamQuery(NULL);
	core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	add = core ? (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add") : NULL;
	is_int(add ? add(&hook) : -1, 0, "a hook that calls the driver");
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	pthread_barrier_wait(&barrier);
	cuInit(0);
	child = fork();
	if (!child) {
		cuCtxGetCurrent(&context);
		exit(0);
	}
	is_int(waitpid(child, &end, 0), child, "a child");
	is_int(end, 0, "ended well");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	return done_testing();
}
