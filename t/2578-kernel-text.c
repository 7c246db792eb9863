/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of kernels by themselves: each has one number, however many and long they are. */
#include "hooks/kernel_text.c"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { PAGE = 4096, NAMES = 6000, ROOM = KERNEL_TEXT_MOST + 20, TOTAL = 64 << 20 };

static bool no_memory;
static unsigned int chunks_taken;

/* What is behind its last byte cannot be touched. */
void *cuaudit_pages(size_t size)
{
	char *at = MAP_FAILED;

	if (no_memory)
		return NULL;
	chunks_taken++;
	at = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at + size, PAGE, PROT_NONE))
		bail_out("no memory");
	return at;
}

static char *names[NAMES];
static uint32_t numbers[NAMES];

/* A name of its own that begins as others do, as mangled ones; some are as long as one can be. */
static char *make(uint32_t number)
{
	static const size_t lengths[] = { 1, 40, 200, 3000, KERNEL_TEXT_MOST - 1 };
	size_t length = lengths[chance(chance(20) ? 3 : 5)];
	char *made = malloc(ROOM);
	size_t used_up;

	length += chance(4);
	memset(made, 'k', ROOM);
	used_up = (size_t)snprintf(made, ROOM, "%x", number);
	made[used_up] = '_';
	made[used_up > length ? used_up : length] = '\0';
	return made;
}

/* As it must be: whole, or cut. */
static bool is_text(uint32_t number, const char *want)
{
	const char *text = kernel_text(number);
	size_t length = strlen(want);

	if (length <= KERNEL_TEXT_MOST)
		return text && !strcmp(text, want);
	return text && strlen(text) == KERNEL_TEXT_MOST &&
	       !strncmp(text, want, KERNEL_TEXT_MOST - 3) &&
	       !strcmp(text + KERNEL_TEXT_MOST - 3, "...");
}

static void test_names(void)
{
	unsigned int wrong = 0, heads_taken = 0;

	no_memory = true;
	ok(!kernel_text_number("first") && !kernel_text(0), "no memory: no number");
	no_memory = false;
	for (uint32_t i = 0; i < NAMES; i++) {
		uint32_t other;

		chance_begin(i, 3);
		names[i] = make(i);
		numbers[i] = kernel_text_number(names[i]);
		wrong += !numbers[i] || !is_text(numbers[i], names[i]);
		other = (uint32_t)chance(i + 1);
		wrong += kernel_text_number(names[other]) != numbers[other];
	}
	is_int(wrong, 0, "each has a number, and keeps it");
	for (uint32_t i = 0; i < HEADS; i++)
		heads_taken += heads[i] != 0;
	ok(heads_taken > HEADS / 2, "... which is looked for among few: %u heads", heads_taken);
	for (uint32_t i = 0; i < NAMES; i++)
		wrong += !is_text(numbers[i], names[i]);
	is_int(wrong, 0, "... and its text, after all others");
}

/* Of two names that are cut to one text the second is the first; one that ends so by itself is
 * another. */
static void test_cut(void)
{
	char *a = malloc(ROOM), *b = malloc(ROOM);
	uint32_t number;

	memset(a, 'c', ROOM);
	a[KERNEL_TEXT_MOST + 1] = '\0';
	memcpy(b, a, ROOM);
	b[KERNEL_TEXT_MOST - 2] = 'd';
	number = kernel_text_number(a);
	is_int(kernel_text_number(b), number, "names that are cut to one text");
	strcpy(b + KERNEL_TEXT_MOST - 3, "...");
	ok(strlen(b) == KERNEL_TEXT_MOST && is_text(kernel_text_number(b), b),
	   "a name that ends with dots");
	b[KERNEL_TEXT_MOST - 3] = '\0';
	ok(kernel_text_number(b) != number && is_text(kernel_text_number(b), b),
	   "what it was cut to, as a name");
	free(a);
	free(b);
}

static void test_full(void)
{
	char *name = malloc(ROOM);
	size_t bytes = 0;
	uint32_t number, last = 0;

	memset(name, 'f', ROOM);
	name[8000] = '\0';
	for (uint32_t i = 0; i < TOTAL / 8000; i++) {
		name[snprintf(name, ROOM, "%x", i)] = 'f';
		number = kernel_text_number(name);
		if (!number)
			break;
		last = number;
		bytes += 8000;
	}
	ok(!kernel_text_number("one more, for which there is no room, as it is new") ||
		   bytes < TOTAL,
	   "it is full");
	ok(bytes > TOTAL / 2 && chunks_taken == TOTAL / (64 << 10), "%zu bytes in %u areas", bytes,
	   chunks_taken);
	ok(last && kernel_text(last) && !strcmp(kernel_text(last) + 8, name + 8),
	   "the last one is there");
	ok(is_text(numbers[0], names[0]) &&
		   kernel_text_number(names[NAMES - 1]) == numbers[NAMES - 1],
	   "those there are keep their numbers");
	free(name);
}

int main(void)
{
	test_names();
	test_cut();
	test_full();
	return done_testing();
}
