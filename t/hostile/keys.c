/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a value for each thread under each of the first keys its libc has. */
#include <pthread.h>

enum { KEYS = 20 };

__attribute__((visibility("default"))) void *swap_values(void *value);

/* Returns what was given the last time, or (void *)1 if a key has another value. */
void *swap_values(void *value)
{
	static pthread_key_t keys[KEYS];
	static int made;
	static void *last;
	void *before = last;

	for (; made < KEYS; made++)
		if (pthread_key_create(&keys[made], NULL))
			return (void *)1;
	for (int i = 0; i < KEYS; i++) {
		if (pthread_getspecific(keys[i]) != before)
			before = (void *)1;
		pthread_setspecific(keys[i], value);
	}
	last = value;
	return before;
}
