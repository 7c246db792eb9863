/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With DRIVER, a driver that goes on step by step when it answers; else a
 * program that calls it, and after each instruction looks at the trace as who
 * kills the process there would leave it: its file, and the number of calls
 * that it has to have then. Arguments: the file, and "same" or "other":
 * whether each call has the arguments of the one before.
 */
#include <cuaudit/trace.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int cuMemFree_v2(uint64_t address);
extern int stepped_on;

#ifdef DRIVER

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int stepped_on;

PUBLIC __attribute__((naked)) int cuMemFree_v2(uint64_t address)
{
	(void)address;
#ifdef __x86_64__
	__asm__("movq stepped_on@GOTPCREL(%rip), %rax\n\t"
		"pushfq\n\t"
		"popq %rcx\n\t"
		"orl (%rax), %ecx\n\t"
		"pushq %rcx\n\t"
		"xorl %eax, %eax\n\t"
		"popfq\n\t"
		"ret");
#endif
}

#else

enum { CALLS = 40, ROOM = 64 << 20 };

static const char *file;
static int descriptor;
static volatile unsigned int steps, records, damaged, shrunk, jumped;
static unsigned int before;	/* records, when the steps begin ... */
static const uint64_t *last;	/* ... and the last of them that is not of one word */
static bool others;
static unsigned int brief;	/* records of one word */

static uint64_t address_of(unsigned int number)
{
	return others ? 0x1000 + number % 2 : 0x1000;
}

/* Of the function and with the arguments that it has to have. */
static bool is_right(const uint64_t *at, unsigned int number)
{
	const uint64_t *said = at - ((*at & 255) == 1 ? *at >> 8 & 0xffff : 0);

	if ((uint16_t)said[0] != (uint16_t)last[0] || said[1] >> 32 != last[1] >> 32)
		return false;
	if (said == at ? !(uint32_t)at[1] : !(at[0] >> 24 & 0x3ffff))
		return false;
	return !(said[0] >> 8 & CUAUDIT_TRACE_WITH_ARGUMENTS) ||
	       said[2] == address_of(number);
}

/* Records up to the word that ends each chunk; -1: one is none, or is not like the last. */
static int count(void)
{
	struct stat status;
	int found = 0;
	unsigned int ones = 0;

	if (fstat(descriptor, &status))
		return -1;

	for (uint64_t i = 1; (i + 1) * CUAUDIT_TRACE_CHUNK <= (uint64_t)status.st_size; i++) {
		const struct cuaudit_trace_chunk *chunk =
			(const void *)(file + i * CUAUDIT_TRACE_CHUNK);
		const uint64_t *at = (const uint64_t *)(chunk + 1);
		const uint64_t *end = (const uint64_t *)((const char *)chunk + CUAUDIT_TRACE_CHUNK);

		if (chunk->kind != CUAUDIT_TRACE_CALLS)
			continue;
		for (; at < end && *at; at += *at & 255, found++) {
			if (!(*at & 255) || (*at & 255) > (uint64_t)(end - at))
				return -1;
			if (!before && (*at & 255) > 1)
				last = at;
			if (before && (unsigned int)found >= before &&
			    !is_right(at, (unsigned int)found - before))
				return -1;
			ones += (*at & 255) == 1;
		}
	}
	brief = ones;
	return found;
}

static void stepped(int number)
{
	int now = count();

	(void)number;
	steps++;
	if (now < 0) {
		damaged++;
		return;
	}
	shrunk += (unsigned int)now < records;
	jumped += (unsigned int)now > records + 1;
	records = (unsigned int)now;
}

static void walk_on(void)
{
#ifdef __x86_64__
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~0x100ul);
#endif
}

/* From one place, known after the first: with signals blocked there are no steps. */
static __attribute__((noinline)) int call(unsigned int number)
{
	int failed = cuMemFree_v2(address_of(number));

	walk_on();
	return failed;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = stepped };
	unsigned int ones;
	void *mapped;

	if (argc < 3)
		return 2;
	others = !strcmp(argv[2], "other");
	for (unsigned int i = 0; i < 4; i++)
		if (call(i))
			return 2;
	descriptor = open(argv[1], O_RDONLY);
	mapped = mmap(NULL, ROOM, PROT_READ, MAP_SHARED, descriptor, 0);
	if (descriptor < 0 || mapped == MAP_FAILED)
		return 3;
	file = mapped;
	before = records = (unsigned int)count();
	ones = brief;
	sigaction(SIGTRAP, &action, NULL);
	for (unsigned int i = 0; i < CALLS; i++) {
		/* One at full speed before each: steps take long, and one word has no room for that. */
		stepped_on = i % 2 ? 0x100 : 0;	/* the trap flag */
		if (call(i))
			return 2;
		if (!stepped_on)
			records = (unsigned int)count();
	}
	printf("%s, %u records, %u times damaged, %u less, %u more than one, %s of one word\n",
	       steps > 100 ? "many steps" : "few steps", records - before, damaged, shrunk, jumped,
	       brief > ones ? "some" : "none");
	return 0;
}

#endif
