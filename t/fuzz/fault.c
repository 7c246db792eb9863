/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives the fault hook made-up rules, most of them nearly right, and calls to
 * those it takes: SEED FIRST COUNT. Prints how many there were of each outcome.
 */
#include <cuaudit/hook.h>
#include <stdarg.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/layout.h"
#include "hooks/modules/fault/fault_number.h"
#include "hooks/modules/fault/fault_rule.h"
#include "t/fuzz/fuzz.h"

enum { LONGEST = 4096, CALLS = 40, WORDS = 24 };

struct link_table *cuaudit_core_link;

static struct link_table table;
static struct { unsigned int cases, taken, refused, conditions, held, due; } seen;

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	fuzz_check(level == CUAUDIT_ERROR);
	va_start(arguments, format);
	fuzz_check(vsnprintf(line, sizeof(line), format, arguments) > 10);
	va_end(arguments);
	fuzz_check(!strncmp(line, "fault: ", 7));
	fuzz_lines++;
}

uint32_t cuaudit_functions(void)
{
	return 0;
}

/* Those that are right, then those that are not. */
static const char *const selectors[] = {
	"cuMemAlloc_v2", "cuMemAlloc,cuMemAlloc_v2", "cuMemAllocManaged,cuMemAlloc",
	"/^cuMemAlloc(_v2)?$/", "cu[[:alpha:]]emAlloc_v2", "%memory", "*",
};
static const char *const bad_selectors[] = {
	"cuNone", "cuMem[", "%none", "", "/(/", ":", "=", "!cuInit",
};
static const char *const answers[] = {
	"error=2", "error=CUDA_ERROR_UNKNOWN", "result=0", "delay_enter=5ms", "delay_exit=1",
};
static const char *const fields[] = {
	"when=1+", "when=2..9+2", "when=3", "p=0.5", "p=1", "seed=7", "lib=(main)",
	"lib=libtorch*:libc10*", "if=bytesize>1M", "if=bytesize<0x10", "if=bytesize&1",
	"if=bytesize!=-1",
};
static const char *const bad_fields[] = {
	"error=CUDA_ERROR_UNKNWON", "error=", "error=4294967296", "error=1",
	"delay_exit=18446744073709551615s", "delay_enter=1h", "delay=1", "when=", "when=3..",
	"when=0", "when=9..2", "when=1+2+3", "p=1.0000000000000000000001", "p=.", "p=2", "seed=-7",
	"lib=", "if=ordinal==-1", "if=bytesize", "if=bytesize>99999999999G", "if==1",
	"if=bytesize&", "iff=1", "==", "=1", "x",
};

#define ANY(list) list[chance(sizeof(list) / sizeof(*list))]

static void damage(char *text)
{
	size_t length = strlen(text), at = chance(length + 1);

	switch (chance(4)) {
	case 0:
		text[at] = (char)chance(256);
		break;
	case 1:
		memmove(text + at, text + at + (at < length), length - at + (at == length));
		break;
	case 2:
		text[at] = '\0';
		break;
	default:
		if (length < LONGEST / 2)
			memmove(text + length, text + at, length - at + 1);
	}
}

static void make(char *text)
{
	strcpy(text, chance(12) ? ANY(selectors) : ANY(bad_selectors));
	strcat(strcat(text, ":"), ANY(answers));
	for (uint64_t count = chance(4); count; count--)
		strcat(strcat(text, ":"), chance(6) ? ANY(fields) : ANY(bad_fields));
	if (!chance(4))
		damage(text);
}

/* Whatever is taken makes sense. */
static void check_fields(const struct fault_rule *rule, const char *text, const char *copy)
{
	fuzz_check(rule->text == text && rule->functions == copy && *copy);
	fuzz_check(rule->answer || rule->delay_enter || rule->delay_exit);
	fuzz_check(rule->result >= 0 && rule->first >= 1 && rule->first <= rule->last);
	fuzz_check(rule->step >= 1 && rule->chance && rule->chance <= FAULT_CERTAIN);
	fuzz_check(rule->nconditions <= FAULT_CONDITIONS && !rule->matched && !rule->injected);
	fuzz_check(!rule->libraries || *rule->libraries);
}

/* Words as many as the function has, so that a step out of them is seen. */
static struct cuaudit_call make_call(struct cuaudit_function *function)
{
	struct cuaudit_call call = { .function = function };
	const struct layout *row;

	fuzz_check(!cuaudit_row_get((uint32_t)chance(layout_count), function));
	if (chance(2))
		fuzz_check(!cuaudit_row_get((uint32_t)layout_find("cuMemAlloc_v2"), function));
	row = layout_row((uint32_t)function->id);
	call.nwords = layout_words(row);
	call.words = malloc(call.nwords * sizeof(*call.words));
	for (uint32_t i = 0; i < call.nwords; i++)
		call.words[i] = chance_word() >> chance(64);
	if (!chance(8))
		function->id = -1;
	return call;
}

/* The numbers of due calls are those of the rule's own words, and the same again. */
static void run(struct fault_rule *rule)
{
	uint64_t first[CALLS];

	for (int again = 0; again < 2; again++) {
		uint64_t state = chance_state;

		rule->matched = 0;
		for (int i = 0; i < CALLS; i++) {
			struct cuaudit_function function;
			struct cuaudit_call call = make_call(&function);
			uint64_t before = rule->matched, number = fault_rule_due(rule, &call);
			int held = 1;

			for (uint32_t c = 0; c < rule->nconditions; c++)
				held &= fault_condition_holds(&rule->conditions[c], &call);
			fuzz_check(rule->matched == before + (uint64_t)held);
			fuzz_check(!number || (held && number == rule->matched));
			fuzz_check(!number || (number >= rule->first && number <= rule->last &&
					       (number - rule->first) % rule->step == 0));
			fuzz_check(number || !held || rule->chance < FAULT_CERTAIN ||
				   rule->matched < rule->first || rule->matched > rule->last ||
				   (rule->matched - rule->first) % rule->step);
			fuzz_check(!again || first[i] == number);
			first[i] = number;
			seen.held += rule->nconditions && held;
			seen.due += number != 0;
			free(call.words);
		}
		if (!again)
			chance_state = state;
	}
}

static void one(void)
{
	static struct fault_rule rule;
	char text[LONGEST * 2], *exact, *copy;

	make(text);
	exact = strdup(text);
	copy = malloc(strlen(exact) + 1);
	if (fault_rule_read(&rule, 1 + (uint32_t)chance(12), exact, copy)) {
		fuzz_check(fuzz_lines == 1);
		seen.refused++;
	} else {
		fuzz_check(!fuzz_lines);
		check_fields(&rule, exact, copy);
		seen.taken++;
		seen.conditions += rule.nconditions != 0;
		run(&rule);
	}
	fuzz_check(!strcmp(exact, text));
	free(exact);
	free(copy);
}

/* What a number of FIRST..LAST+STEP means is what it says. */
static void whens(void)
{
	uint64_t first = 1 + chance(chance(2) ? 30 : UINT32_MAX), last = first + chance(40);
	uint64_t step = 1 + chance(9), wants_last = first, wants_step = 1;
	struct fault_rule rule;
	char text[200], copy[200];
	int form = (int)chance(5);
	size_t length = (size_t)snprintf(text, sizeof(text), "cuInit:error=1:when=%llu",
					 (unsigned long long)first);

	if (form >= 3) {
		length += (size_t)snprintf(text + length, sizeof(text) - length, "..%llu",
					   (unsigned long long)last);
		wants_last = last;
	}
	if (form == 1) {
		strcat(text, "+");
		wants_last = UINT64_MAX;
	} else if (form % 2 == 0 && form) {
		snprintf(text + length, sizeof(text) - length, "+%llu", (unsigned long long)step);
		wants_last = form == 2 ? UINT64_MAX : last;
		wants_step = step;
	}
	fuzz_check(!fault_rule_read(&rule, 1, text, copy));
	fuzz_check(rule.first == first && rule.last == wants_last && rule.step == wants_step);
}

int main(int argc, char **argv)
{
	uint64_t seed, first, count;

	fuzz_start(argc, argv, &seed, &first, &count);
	cuaudit_core_link = &table;
	layout_setup();
	for (uint64_t i = first; i < first + count; i++) {
		chance_begin(seed, i);
		fuzz_number = i;
		fuzz_lines = 0;
		one();
		whens();
		seen.cases++;
	}
	printf("cases %u taken %u refused %u conditions %u held %u due %u\n", seen.cases, seen.taken,
	       seen.refused, seen.conditions, seen.held, seen.due);
	return 0;
}
