/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that pass a counter and its complement, until standard input ends. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "t/trace/driver.h"

static _Atomic int ends;

static void *call(void *unused)
{
	word address;

	for (word i = 1; !ends; i++) {
		cuMemsetD8_v2(i, (unsigned char)i, 4294967295 - i);
		cuMemAlloc_v2(&address, 1 + i % 2);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	char byte;

	cuInit(0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, call, NULL);
	while (read(0, &byte, 1) > 0)
		;
	ends = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
