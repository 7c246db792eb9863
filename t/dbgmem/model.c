/* SPDX-License-Identifier: Apache-2.0 */
/* Random right calls of all memory functions, compared with a model; its argument is how many. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 3 * 4096, FUNCTIONS = 16 };

/* What the compiler would call by itself where it knows the room. */
void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
void *__memset_chk(void *to, int value, size_t size, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t size, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);

static unsigned char real[ROOM], model[ROOM], before[ROOM];
static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % below;
}

static void bytes(unsigned char *to, const unsigned char *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

/* A string of that length in both. */
static void string(uint32_t at, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		real[at + i] = model[at + i] = (unsigned char)(1 + draw(255));
	real[at + length] = model[at + length] = 0;
}

/* Returns what the function is to answer, as an offset; the call's answer goes to *got. */
static size_t step(int function, void **got)
{
	uint32_t size = draw(8) ? draw(200) : draw(ROOM / 4), length = draw(90), more = draw(90);
	uint32_t to = draw(ROOM / 4), from = ROOM / 2 + draw(ROOM / 4);
	int value = (int)draw(100000);
	unsigned char *a = real + to, *b = real + from;

	if (function == 2 || function == 3)
		from = to + draw(50), b = real + from;
	if (function >= 8)
		string(from, length);
	if (function >= 14)
		string(to, more);
	bytes(before, model, ROOM);
	switch (function) {
	case 0: *got = memcpy(a, b, size); break;
	case 1: *got = __memcpy_chk(a, b, size, ROOM); break;
	case 2: *got = memmove(a, b, size); break;
	case 3: *got = __memmove_chk(a, b, size, ROOM); break;
	case 4: *got = mempcpy(a, b, size); break;
	case 5: *got = __mempcpy_chk(a, b, size, ROOM); break;
	case 6: *got = memset(a, value, size); break;
	case 7: *got = __memset_chk(a, value, size, ROOM); break;
	case 8: *got = strcpy((char *)a, (char *)b); break;
	case 9: *got = __strcpy_chk((char *)a, (char *)b, ROOM); break;
	case 10: *got = stpcpy((char *)a, (char *)b); break;
	case 11: *got = __stpcpy_chk((char *)a, (char *)b, ROOM); break;
	case 12: *got = strncpy((char *)a, (char *)b, size); break;
	case 13: *got = __strncpy_chk((char *)a, (char *)b, size, ROOM); break;
	case 14: *got = strcat((char *)a, (char *)b); break;
	case 15: *got = __strcat_chk((char *)a, (char *)b, ROOM); break;
	}
	if (function < 6) {
		bytes(model + to, before + from, size);
		return function < 4 ? to : to + size;
	}
	if (function < 8) {
		for (uint32_t i = 0; i < size; i++)
			model[to + i] = (unsigned char)value;
	} else if (function < 12) {
		bytes(model + to, before + from, length + 1);
		return function < 10 ? to : to + length;
	} else if (function < 14) {
		for (uint32_t i = 0; i < size; i++)
			model[to + i] = i < length ? before[from + i] : 0;
	} else {
		bytes(model + to + more, before + from, length + 1);
	}
	return to;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;

	for (long i = 0; i < count; i++) {
		int function = (int)draw(FUNCTIONS);
		size_t expected;
		void *got = NULL;
		int same = 1;

		errno = (int)(i % 100);
		expected = step(function, &got);
		for (size_t at = 0; at < ROOM; at++)
			same &= real[at] == model[at];
		if (!same || got != real + expected || errno != (int)(i % 100)) {
			printf("call %ld, function %d: differs\n", i, function);
			return 1;
		}
	}
	puts("all as the model says");
	return 0;
}
