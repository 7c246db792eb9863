/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters no row of the table has yet, gathered and scattered by AAPCS64. */
#include "hooks/layout.h"
#include "t/tap.h"

static void fill(struct frame *frame)
{
	memset(frame, 0, sizeof(*frame));
	for (uint64_t i = 0; i < FRAME_NREGS; i++)
		frame->regs[i] = 100 + i;
	for (uint64_t i = 0; i < FRAME_NSTACK_ARGS; i++)
		frame->stack_args[i] = 200 + i;
	for (uint64_t i = 0; i < FRAME_NVECTORS; i++)
		frame->vectors[i][0] = 300 + i;
}

static int differences(const struct frame *frame, const uint64_t *want, uint32_t words)
{
	int count = 0;

	for (uint32_t i = 0; i < words; i++) {
		if (frame->ordered[i] != want[i])
			diag("word %u: got %llu, want %llu", i,
			     (unsigned long long)frame->ordered[i], (unsigned long long)want[i]);
		count += frame->ordered[i] != want[i];
	}
	return count;
}

static void check(const char *name, const uint8_t *params, uint32_t nparams,
		  const uint64_t *want, uint32_t words, uint32_t stack)
{
	const struct layout row = { name, name, params, 0, 0, nparams };
	struct frame frame;

	fill(&frame);
	layout_gather(&frame, &row);
	is_int(differences(&frame, want, words), 0, "%s: gathered", name);
	is_int(layout_words(&row), words, "%s: words", name);
	is_int(layout_stack_words(&row), stack, "%s: words on the stack", name);
	for (uint32_t i = 0; i < words; i++)
		frame.ordered[i] += 1000;
	layout_scatter(&frame, &row);
	memset(frame.ordered, 0, sizeof(frame.ordered));
	layout_gather(&frame, &row);
	for (uint32_t i = 0; i < words; i++)
		frame.ordered[i] -= 1000;
	is_int(differences(&frame, want, words), 0, "%s: scattered", name);
}

int main(void)
{
	/* A pair that finds one register left goes on the stack whole, and what follows too. */
	static const uint8_t spilled[] = { 1, 1, 1, 1, 1, 1, 1, 2, 1 };
	static const uint64_t spilled_words[] = {
		100, 101, 102, 103, 104, 105, 106, 200, 201, 202,
	};
	/* Nine floats: the ninth on the stack, while integers go on in registers. */
	static const uint8_t floats[] = {
		LAYOUT_FLOAT | 1, LAYOUT_FLOAT | 1, LAYOUT_FLOAT | 1, 1, LAYOUT_FLOAT | 1,
		LAYOUT_FLOAT | 1, LAYOUT_FLOAT | 1, LAYOUT_FLOAT | 1, LAYOUT_FLOAT | 1,
		LAYOUT_FLOAT | 1, 1,
	};
	static const uint64_t floats_words[] = {
		300, 301, 302, 100, 303, 304, 305, 306, 307, 200, 101,
	};
	static const uint8_t references[] = { 1, LAYOUT_MEMORY | 3, LAYOUT_MEMORY | 8, 1 };
	static const uint64_t three[] = { 1, 2, 3 }, eight[] = { 4, 5, 6, 7, 8, 9, 10, 11 };
	const struct layout row = { "", "", references, 0, 0, 4 };
	struct frame frame;

	check("a pair spilled", spilled, 9, spilled_words, 10, 3);
	check("nine floats", floats, 11, floats_words, 11, 1);

	fill(&frame);
	frame.regs[1] = (uintptr_t)three;
	frame.regs[2] = (uintptr_t)eight;
	layout_gather(&frame, &row);
	is_int(layout_words(&row), 13, "two structures: words");
	is_int(layout_stack_words(&row), 0, "two structures: words on the stack");
	ok(frame.ordered[0] == 100 && frame.ordered[1] == 1 && frame.ordered[11] == 11 &&
	   frame.ordered[12] == 103, "two structures: gathered through their pointers");
	frame.ordered[1] = 77;
	layout_scatter(&frame, &row);
	ok(three[0] == 1 && *(uint64_t *)frame.regs[1] == 77 &&
	   !memcmp((void *)frame.regs[2], eight, sizeof(eight)) &&
	   (uint64_t *)frame.regs[2] != eight, "two structures: scattered to copies of their own");
	return done_testing();
}
