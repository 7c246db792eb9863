/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts by a function of another library, and a program that uses it in threads. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tally(int by);
int allocated(int by);

#ifdef TALLY
static int all;

int tally(int by)
{
	return __atomic_add_fetch(&all, by, __ATOMIC_RELAXED);
}
#elif defined(ALLOCATOR)
enum { ROOM = 1 << 26, ALIGNMENT = 16 };

static _Alignas(ALIGNMENT) char heap[ROOM];
static size_t used;
static int counts;

int allocated(int by)
{
	counts = by;
	return by;
}

void *malloc(size_t size)
{
	size_t room = (size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	size_t at = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);

	if (counts)
		tally(1);
	if (at > ROOM - room)
		return NULL;
	memcpy(heap + at, &size, sizeof(size));
	return heap + at + ALIGNMENT;
}

void free(void *memory)
{
	(void)memory;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

void *realloc(void *memory, size_t size)
{
	void *other = malloc(size);
	size_t before;

	if (!memory || !other)
		return other;
	memcpy(&before, (char *)memory - ALIGNMENT, sizeof(before));
	return memcpy(other, memory, before < size ? before : size);
}
#else
static void *allocate(void *given)
{
	for (int i = 0; i < 100; i++)
		free(strcpy(malloc(10), "some text"));
	return given;
}

int main(void)
{
	pthread_t threads[4];
	char *text = realloc(strcpy(malloc(10), "some text"), 20);
	int before = allocated(1);

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, allocate, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%s, %d, %s\n", text, before, tally(0) < 400 ? "few" : "counted");
	return 0;
}
#endif
