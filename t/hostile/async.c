/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that may be cancelled at any moment, in their first driver call. */
#include <cuaudit/hook.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "t/fake/driver.h"
#include "t/tap.h"

static atomic_int begun;

static int enter(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	return CUAUDIT_CONTINUE;
}

static void *first_call(void *data)
{
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	begun = 1;
	cuInit(0);
	return data;
}

int main(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "async", .functions = "cuInit", .enter = enter,
	};
	int (*add)(const struct cuaudit_hook *);
	int cancelled = 0, turns = 1000;
	pthread_t thread;
	void *core, *result;

	cuStreamQuery(NULL);
	core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	add = core ? (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add") : NULL;
	is_int(add ? add(&hook) : -1, 0, "a hook");
	alarm(300);
	for (int i = 0; i < turns; i++) {
		begun = 0;
		pthread_create(&thread, NULL, first_call, NULL);
		while (!begun)
			;
		for (volatile int pause = i % 500 * 20; pause > 0; pause--)
			;
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	diag("%d of %d were cancelled", cancelled, turns);
	is_int(cuInit(0), 0, "the lock of threads is free");
	return done_testing();
}
