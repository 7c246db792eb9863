/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of random prototypes, where the compiler passes them, in order and back again:
 * cases.h has them, CASE(number, LIST(type), LIST(value), LIST(LAYOUT_*), LIST(word)).
 */
#include "hooks/layout.h"
#include "t/fake/driver.h"
#include "t/tap.h"

#define WORDS(n) struct words##n { long w[n]; };
WORDS(2) WORDS(3) WORDS(4) WORDS(5) WORDS(6) WORDS(7) WORDS(8)
#define LIST(...) __VA_ARGS__
#define REAL(x) ((union { double real; uint64_t word; }){ .real = (x) }.word)

static void *const record = (void *)cuNewRegisters;
static int wrong;

/* What the last call had. */
static void fill(struct frame *frame)
{
	memset(frame, 0, sizeof(*frame));
	memcpy(frame->regs, fake_record.regs, sizeof(frame->regs));
	memcpy(frame->stack_args, fake_record.stack, sizeof(frame->stack_args));
	memcpy(frame->vectors, fake_record.vectors, sizeof(frame->vectors));
}

static void compare(int number, const char *what, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	diag("case %d: %s: got %llu, want %llu", number, what, (unsigned long long)got,
	     (unsigned long long)want);
	wrong++;
}

/* A word of the frame that was scattered to, if it was: there it was gathered from. */
static uint32_t compare_place(int number, uint64_t after, uint64_t before)
{
	if (after)
		compare(number, "scattered", after, before);
	return after != 0;
}

static void scatter(int number, const struct layout *row, const struct frame *from, uint32_t words)
{
	struct frame to;
	uint32_t count = 0;

	memset(&to, 0, sizeof(to));
	memcpy(to.ordered, from->ordered, sizeof(to.ordered));
	layout_scatter(&to, row);
	for (int i = 0; i < FRAME_NREGS; i++)
		count += compare_place(number, to.regs[i], from->regs[i]);
	for (int i = 0; i < FRAME_NVECTORS; i++)
		count += compare_place(number, to.vectors[i][0], from->vectors[i][0]);
	for (int i = 0; i < FRAME_NSTACK_ARGS; i++)
		count += compare_place(number, to.stack_args[i], from->stack_args[i]);
	compare(number, "words scattered", count, words);
}

static void check(int number, const struct layout *row, const uint64_t *want, uint32_t words)
{
	struct frame frame;
	uint32_t stack = 0;

	fill(&frame);
	layout_gather(&frame, row);
	compare(number, "words", layout_words(row), words);
	for (uint32_t i = 0; i < words; i++) {
		compare(number, "gathered", frame.ordered[i], want[i]);
		/* On the stack they are in order too. */
		stack += stack < FRAME_NSTACK_ARGS && frame.stack_args[stack] == want[i];
	}
	compare(number, "words on the stack", layout_stack_words(row), stack);
	scatter(number, row, &frame, words);
}

#define CASE(number, types, values, codes, words) \
	static void call_##number(void) \
	{ \
		static const uint8_t params[] = { codes }; \
		const uint64_t want[] = { words }; \
		const struct layout row = { "", "", params, 0, 0, sizeof(params) }; \
 \
		((int (*)(types))record)(values); \
		check(number, &row, want, sizeof(want) / sizeof(*want)); \
	}
#include "cases.h"
#undef CASE

static void (*const cases[])(void) = {
#define CASE(number, types, values, codes, words) call_##number,
#include "cases.h"
#undef CASE
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cases[i]();
	is_int(wrong, 0, "%zu prototypes", sizeof(cases) / sizeof(*cases));
	return done_testing();
}
