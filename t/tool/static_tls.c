/* SPDX-License-Identifier: Apache-2.0 */
/* A library with SIZE bytes of initial-exec TLS, or with MAIN a program that uses four. */
#ifdef MAIN
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

char *first(void), *second(void), *third(void), *fourth(void);

static int touch(void)
{
	return ++*first() + ++*second() + ++*third() + ++*fourth();
}

static void *thread(void *data)
{
	*(int *)data = touch();
	return NULL;
}

/* With the least stack a program may give a thread. */
static int in_thread(void)
{
	size_t size = (size_t)(PTHREAD_STACK_MIN);
	void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t id;
	int result = -1;

	if (stack == MAP_FAILED || pthread_attr_init(&attributes) ||
	    pthread_attr_setstack(&attributes, stack, size))
		return -1;
	if (!pthread_create(&id, &attributes, thread, &result))
		pthread_join(id, NULL);
	return result;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("ran %d %d\n", touch(), argc > 1 ? in_thread() : 4);
	return 0;
}
#else
static __thread char block[SIZE] __attribute__((tls_model("initial-exec"))) = { 0 };

char *NAME(void);

char *NAME(void)
{
	return block;
}
#endif
