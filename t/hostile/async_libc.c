/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that may be cancelled at any moment, and are, soon after they began to copy by the C library. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* A call, which the compiler does not make its own. */
static void *(*volatile copy)(void *to, const void *from, size_t size) = memcpy;

static void *copies(void *data)
{
	char from[64] = "", to[64];
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	for (;;)
		copy(to, from, sizeof(to));
	return data;
}

int main(void)
{
	int turns = 200;

	alarm(120);
	for (int i = 0; i < turns; i++) {
		pthread_t thread;
		void *result;

		if (pthread_create(&thread, NULL, copies, NULL))
			return 2;
		usleep(200);
		pthread_cancel(thread);
		if (pthread_join(thread, &result) || result != PTHREAD_CANCELED)
			return 3;
	}
	return 0;
}
