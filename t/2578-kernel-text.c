/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by themselves: each text has one number, each handle its newest name, however many there
 * are. */
#include "hooks/kernel_text.c"

#include <stdlib.h>

#define on_exit on_kernel_exit
#include "hooks/kernel.c"
#undef on_exit

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
	size_t room = (size + PAGE - 1) / PAGE * PAGE;
	char *at;

	if (no_memory)
		return NULL;
	chunks_taken += size == CHUNK;
	at = mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at + room, PAGE, PROT_NONE))
		bail_out("no memory");
	return at + room - size;
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

/* What kernel.c takes from the rest of the core. */
void *cuaudit_real(int id)
{
	(void)id;
	return NULL;
}

int hook_add_core(const char *what, const char *functions, cuaudit_exit_fn run)
{
	(void)what, (void)functions, (void)run;
	return 1;
}

void cuaudit_args_mistaken(const struct cuaudit_call *call, const char *symbol)
{
	(void)call;
	bail_out("%s", symbol);
}

static unsigned int locks;

void lock_take(enum lock lock, sigset_t *saved)
{
	locks += lock == LOCK_KERNELS && saved;
}

void lock_release(enum lock lock, const sigset_t *saved)
{
	locks -= lock == LOCK_KERNELS && saved;
}

enum { HANDLES = 5000, ASKED = 60000 };

/* Handles are given names, others, or none; one that is asked for first is known from then on, too.
 */
static void test_handles(void)
{
	static struct {
		const char *name;
		enum kernel_kind kind;
		bool known;
	} model[HANDLES];
	unsigned int wrong = 0, before;

	prepared = false;
	is_int(kernel_of(64).settled, false, "nothing is prepared");
	prepared = true;
	for (uint64_t i = 0; i < ASKED; i++) {
		uint64_t number, handle;
		struct kernel kernel;
		bool changes;

		chance_begin(i, 4);
		number = 1 + chance(HANDLES - 1);
		handle = number * 64;
		if (chance(3)) {
			kernel = kernel_of(handle);
			wrong += model[number].known ? kernel.name != model[number].name ||
							       kernel.kind != model[number].kind
						     : kernel.name != NULL;
			wrong += !kernel.settled;
			model[number].known = true;
			continue;
		}
		before = kernel_epoch;
		kernel.name = chance(8) ? kernel_text(numbers[chance(6)]) : NULL;
		kernel.kind = (enum kernel_kind)(1 + chance(2));
		changes = model[number].known &&
			  (kernel.name != model[number].name || kernel.kind != model[number].kind);
		handed_out(handle, kernel.name, kernel.kind);
		wrong += kernel_epoch != before + changes;
		model[number].name = kernel.name;
		model[number].kind = kernel.kind;
		model[number].known = true;
	}
	is_int(wrong, 0, "each handle has its newest name, and what changes is told");
	is_int(locks, 0, "no lock is kept");
	before = kernel_epoch;
	handed_out(0, "none", KERNEL_KERNEL);
	ok(kernel_epoch == before && !kernel_of(0).name, "0 is no handle");
}

/* Without memory for a larger table the old one is filled, and what has no place is not settled. */
static void test_handles_full(void)
{
	uint32_t unsettled = 0, first = 0;

	table = NULL;
	no_memory = true;
	is_int(kernel_of(64).settled, false, "no memory: it is asked for again");
	no_memory = false;
	is_int(kernel_of(64).settled, true, "... and known later");
	no_memory = true;
	for (uint32_t i = 2; i < 2 * FIRST; i++) {
		bool settled = kernel_of(i * 64).settled;

		first = settled || first ? first : i;
		unsettled += !settled;
	}
	ok(first > FIRST / 2 && first < FIRST && unsettled == 2 * FIRST - first,
	   "a full table: from the %u-th on", first);
	no_memory = false;
	ok(kernel_of((2 * FIRST - 1) * 64).settled && kernel_of(64).settled &&
		   table->size == 2 * FIRST,
	   "it grows again");
}

int main(void)
{
	test_names();
	test_handles();
	test_handles_full();
	test_cut();
	test_full();
	return done_testing();
}
