/* SPDX-License-Identifier: Apache-2.0 */
/* Calls all of a library's functions, by all ways to come by them, and prints what they answer. */
#include "t/providers/provided.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int (*one_fn)(int);
typedef int (*two_fn)(int, int);

/* Filled by relocations. */
static const two_fn pointers[] = { add, add_again };
static one_fn indirect = chosen;

static void bits(const char *name, const void *from, size_t size)
{
	const unsigned char *bytes = from;

	printf("%s ", name);
	while (size--)
		printf("%02x", bytes[size]);
	printf("\n");
}

#define BITS(value) do { __auto_type v = (value); bits(#value, &v, sizeof(v)); } while (0)

static void numbers(void)
{
	struct large large = { { 0 } };
	struct aligned aligned = { 5, "ab" };
	long double ld = take_long_double(1.25L, 3, 1e30L);
	long double complex lz = take_long_complex(1.5L + 2.5L * I);

	for (int i = 0; i < 70; i++)
		large.words[i] = i * i;
	large = take_large(large, 3);
	for (int i = 1; i < 70; i++)
		large.words[0] += large.words[i];
	printf("%d %ld\n", add(1, 2), large.words[0]);
	BITS(mixed(1, 2.5, 3.5f, 4, 5.5L, 6.5, 7, 8, 9, 10, 1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8));
	BITS(thirty(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
		    25, 26, 27, 28, 29, 30, 31, 32, 33, 34));
	BITS(take_small((struct small){ 1.5, 7 }, (struct pair){ 2.5, 3.5 }));
	BITS(take_pair((struct pair){ 1.5, 2.5 }, 3.5));
	BITS(take_aligned(1, aligned, 'x'));
	BITS(take_floats((struct floats){ 1.5f, 2.5f, 3.5f }));
	bits("long double", &ld, 10);
	BITS(take_float_complex(1 + 2 * I));
	BITS(take_complex(1.5 + 2.5 * I, 3.5 - 4.5 * I));
	printf("long complex %La %La\n", creall(lz), cimagl(lz));
	BITS(total(12, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5));
}

static int again(int a)
{
	return add(a, 1);
}

static void others(void)
{
	char line[128];
	jmp_buf where;
	int times = 0;

	printf("%s\n", text(line, "%d %g %s %Lg %c", 1, 2.5, "three", 4.5L, '5'));
	printf("%d %d %d %d\n", with_callback(again, 3), indirect(1), chosen(2), shared_more(20));
	printf("%d %d\n", data, own);
	for (volatile int i = 0; i < 3; i++)
		if (!setjmp(where))
			jump(&where, 1);
		else
			times++;
	printf("%d jumps\n", times);
	if (!__builtin_expect(savectx(where), 0))
		longjmp(where, 2);
	printf("twice\n");
}

static void names(void)
{
	void *same = dlsym(RTLD_DEFAULT, "add");
	one_fn old = (one_fn)dlvsym(RTLD_DEFAULT, "versioned", "PROVIDED_1");
	one_fn now = (one_fn)dlsym(RTLD_DEFAULT, "versioned");

	printf("%d %d %d\n", same == (void *)add, add == add_again, pointers[0] == pointers[1]);
	printf("%d %d %d\n", old(1), now(1), versioned(1));
	printf("%d %d\n", pointers[0](3, 4), ((two_fn)same)(5, 6));
	printf("%d\n", *(int *)dlsym(RTLD_DEFAULT, "data"));
	printf("%d\n", *(int *)dlsym(RTLD_DEFAULT, "own"));
	printf("%d\n", dlsym(RTLD_DEFAULT, "nothing of the kind") == NULL);
}

int main(void)
{
	numbers();
	others();
	names();
	return 0;
}
