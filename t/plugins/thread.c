/* SPDX-License-Identifier: Apache-2.0 */
/* Its only driver call is that of a thread which then ends. */
#include <pthread.h>
#include <stdio.h>

int cuInit(unsigned int flags);

static void *call(void *data)
{
	return cuInit(0) ? NULL : data;
}

int main(void)
{
	pthread_t thread;
	void *called = NULL;

	pthread_create(&thread, NULL, call, &called);
	pthread_join(thread, &called);
	puts(called ? "called" : "not called");
	return 0;
}
