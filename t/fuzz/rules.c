/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives the rules hook made-up files of rules: SEED FIRST COUNT. Files whose lines are all right are
 * understood as they say; of others it is said where they are wrong. Prints how many there were of each.
 */
#include <cuaudit/hook.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hooks/core_link.h"
#include "hooks/layout.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/modules/rules/rules_driver.h"
#include "t/fuzz/fuzz.h"
#include "util/selector.h"

enum { LONGEST = 32 * 1024, LINES = 24, PATH = 64 };

struct link_table *cuaudit_core_link;

static struct link_table table = { .environment.providers = "" };
static struct check_file file;
static struct { unsigned int cases, taken, refused, rules, marks, allows, right; } seen;
static char text[LONGEST], path[PATH];
static size_t used;
static unsigned int said_line, said_column;
static bool is_damaged;		/* the file may be no rules */
static struct { uint64_t least, most; unsigned int rules, marks, allows; } want;

int rules_current_device(void)
{
	return -1;
}

bool rules_is_device(uint64_t address)
{
	return address & 1;
}

/* Where it is, too; but of a file as a whole. */
void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	char line[8192];
	va_list arguments;

	fuzz_check(level == CUAUDIT_ERROR || level == CUAUDIT_WARN);
	va_start(arguments, format);
	fuzz_check(vsnprintf(line, sizeof(line), format, arguments) > 10);
	va_end(arguments);
	fuzz_check(!strncmp(line, "rules: ", 7));
	said_line = said_column = 0;
	if (!strncmp(line + 7, path, strlen(path)))
		sscanf(line + 7 + strlen(path), ":%u:%u: ", &said_line, &said_column);
	fuzz_lines++;
}

uint32_t cuaudit_functions(void)
{
	return 0;
}

#define ANY(list) list[chance(sizeof(list) / sizeof(*list))]

static const char *const selectors[] = {
	"cuMemAlloc", "cuMemAlloc,cuMemFree", "cuInit", "/^cuMemAlloc(_v2)?$/", "%memory", "*",
	"%memory,!cuMemAlloc", "cuMemcpy*Async", "%blocking", "\"cuInit\"",
};
static const char *const globs[] = {
	"libx*", "\"a b\"", "*", "\"# no comment\"", "\"\\\"quoted\\\"\"", "[a-z]*", "\"in\"", "step?",
	"k\303\244rnel", "/opt/*/libx.so",
};
static const char *const frames[] = { "train.py:step", "libx*:f", "\"a b.py:3\"", "*:*" };
static const char *const bad_words[] = {
	"never", "in", "range", "per", "at-most", "=", "#", "\"", "\\", "cuNone", "%none", "[", ":", "1",
	"99999999999999999999", "mark", "m0", "except", "optional", "\"\"", "after", "main", "on", "legacy",
	"stream", "device", "copied", "growth", "memory", "allow", "12.4", "\r", "\033[2J", "between",
	"cuInit:1", "cuInit:", ":*", "signal", "USR1", "1st", "\377", "from", "train.py", "no-leak",
};
static const char *const blanks[] = { " ", "  ", "\t", " \t ", "\r " };

__attribute__((format(printf, 1, 2)))
static void add(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, format, arguments);
	va_end(arguments);
	fuzz_check(used < sizeof(text));
}

/* A word that is there, now and then a blank more. */
static void word(const char *value)
{
	add("%s%s", chance(8) ? " " : ANY(blanks), value);
}

static void wrong(void)
{
	is_damaged = true;
	word(ANY(bad_words));
}

/* Of calls: what may be said once, each. */
static void conditions(bool per, bool stacks)
{
	if (!chance(4)) {
		word("in");
		word(ANY(globs));
	}
	if (!chance(6)) {
		word("in range");
		word(ANY(globs));
	}
	if (!chance(6)) {
		word("by");
		word(ANY(globs));
	}
	if (stacks && !chance(6)) {
		word("from");
		word(ANY(frames));
	}
	if (want.marks && !chance(4)) {
		word(chance(2) ? "after" : "before");
		add(" m%u", (unsigned int)chance(want.marks));
	} else if (want.marks && !chance(6)) {
		word("between");
		add(" m%u m%u", (unsigned int)chance(want.marks), (unsigned int)chance(want.marks));
	}
	if (!chance(8))
		word("before main");
	if (!chance(8)) {
		word("on device");
		add(" %u", (unsigned int)chance(1024));
	}
	if (per && !chance(3)) {
		word("per range");
		word(ANY(globs));
	}
}

static void bound(void)
{
	static const char *const hows[] = { "at-most", "at-least", "exactly" };
	static const char *const directions[] = { "HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "any" };
	const char *how = ANY(hows);
	uint64_t number = chance(2) ? chance(9) : chance(UINT32_MAX);

	switch (chance(7)) {
	case 0:
		add("at-most %lluKiB memory", (unsigned long long)number);
		conditions(false, false);
		return;
	case 1:
		add("at-most %llu distinct-kernels", (unsigned long long)number);
		conditions(false, false);
		return;
	case 2:
		add("at-most %lluMiB growth per range x", (unsigned long long)number);
		return;
	case 3:
		add("%s %lluKiB copied %s", how, (unsigned long long)number, ANY(directions));
		break;
	case 4:
		add("%s %lluus host-time %s", hows[chance(2)], (unsigned long long)number, ANY(selectors));
		break;
	case 5:
		add("%s %llu kernels", how, (unsigned long long)number);
		break;
	default:
		add("%s 0x%llx %s", how, (unsigned long long)number, ANY(selectors));
	}
	conditions(true, false);
}

static void results(const char *name)
{
	static const char *const exceptions[] = {
		"cuMemFree:INVALID_VALUE", "cuMemFree:1", "*:CUDA_ERROR_OUT_OF_MEMORY", "%memory:*",
		"cuMemAlloc,cuInit:OUT_OF_MEMORY",
	};

	add("%s", name);
	conditions(false, true);
	if (!chance(2)) {
		word("except");
		for (uint64_t count = 1 + chance(4); count; count--)
			word(ANY(exceptions));
	}
}

static void rule(void)
{
	static const char *const of_results[] = {
		"no-errors", "no-sticky-error", "no-capture-breaker", "no-unchecked-error",
	};

	if (!chance(6))
		add("optional%s", ANY(blanks));
	switch (chance(8)) {
	case 0:
	case 1:
		add("never %s", ANY(selectors));
		conditions(false, true);
		break;
	case 2:
	case 3:
		bound();
		break;
	case 4:
		results(ANY(of_results));
		break;
	case 5:
		add("same-thread %s", ANY(selectors));
		conditions(false, true);
		break;
	case 6:
		add("%s", chance(2) ? "no-leak" : "no-unrouted");
		break;
	default:
		if (chance(2)) {
			add("min-driver %u.%u", (unsigned int)chance(99), (unsigned int)chance(10));
			break;
		}
		add("no-use-after-fork");
		conditions(false, true);
	}
	want.rules++;
}

/* 1st, 2nd, 3rd, 4th, 11th, 21st: not by the last digit alone. */
static const char *end_of_ordinal(unsigned int number)
{
	static const char *const ends[] = { "th", "st", "nd", "rd" };

	return number / 10 % 10 == 1 || number % 10 > 3 ? "th" : ends[number % 10];
}

static void mark(void)
{
	unsigned int number = 1 + (unsigned int)chance(1000);

	add("mark m%u =", want.marks);
	switch (chance(4)) {
	case 0:
		word("range");
		word(ANY(globs));
		break;
	case 1:
		word("signal");
		word(chance(2) ? "USR1" : "SIGUSR2");
		break;
	default:
		add(" %u%s %s", number, end_of_ordinal(number), ANY(selectors));
		conditions(false, false);
	}
	want.marks++;
}

static void line(void)
{
	if (!chance(8))
		add("%s", ANY(blanks));
	switch (chance(12)) {
	case 0:
		add("# %s", ANY(globs));
		return;
	case 1:
		break;
	case 2:
		add("%sallow %s # why", chance(2) ? "" : "optional ", ANY(frames));
		want.allows++;
		return;
	case 3:
	case 4:
		mark();
		break;
	default:
		rule();
	}
	if (!chance(40))
		wrong();
	if (!chance(6))
		add("  # %s", ANY(globs));
}

/* A byte of the whole file, or some of them. */
static void damage(void)
{
	size_t at = chance(used), length = 1 + chance(40);

	is_damaged = true;
	switch (chance(5)) {
	case 0:
		text[at] = (char)chance(256);
		break;
	case 1:
		used = at;
		break;
	case 2:
		text[at] = ' ';
		break;
	case 3:
		if (at + length < used)
			memmove(text + at, text + at + length, (used -= length) - at);
		break;
	default:
		if (used + length < sizeof(text) && at + length < used) {
			memmove(text + at + length, text + at, used - at);
			used += length;
		}
	}
}

static void make(void)
{
	used = 0;
	is_damaged = false;
	memset(&want, 0, sizeof(want));
	for (uint64_t count = 1 + chance(LINES); count; count--) {
		line();
		add("%s\n", chance(12) ? "" : "\r");
	}
	if (used && !chance(4))
		damage();
}

/* Each rule stands for a line that is there, and every number is one of a thing that is there. */
static void check_rule(uint32_t number, unsigned int lines)
{
	const struct rule *its = &rules.rules[number];
	const struct check_rule *entry = &file.rules[number];

	fuzz_check(its->index == number && its->what < RULE_WHATS);
	fuzz_check(entry->line >= 1 && entry->line <= lines && entry->least <= entry->most);
	fuzz_check(entry->kind <= CHECK_AT_END && entry->unit <= CHECK_KERNELS);
	fuzz_check(its->after >= NO_MARK && its->after < (int)rules.nmarks);
	fuzz_check(its->before >= NO_MARK && its->before < (int)rules.nmarks);
	fuzz_check(!its->functions == (entry->kind == CHECK_AT_END) && !its->functions == !its->selector);
	fuzz_check(its->nexceptions <= RULE_EXCEPTIONS && its->slot < RULE_PER);
	fuzz_check(its->device >= -1 && its->device < 1024);
	fuzz_check((its->range >= 0) == (its->in_range != NULL));
	fuzz_check((its->per >= 0) == (its->per_range != NULL));
	fuzz_check(!(entry->wants & CHECK_REACH_LIBRARY) == !its->library);
	fuzz_check(memchr(entry->text, '\0', sizeof(entry->text)) && *entry->text);
	fuzz_check(!number || entry->line > file.rules[number - 1].line);
}

static void check_taken(unsigned int lines)
{
	fuzz_check(rules.nrules >= 1 && rules.nrules <= CHECK_RULES && rules.nmarks <= CHECK_MARKS);
	fuzz_check(rules.nallows <= CHECK_ALLOWS && rules.nper <= RULE_PER);
	fuzz_check(file.header.nrules == rules.nrules && file.header.nmarks == rules.nmarks &&
		   file.header.nallows == rules.nallows);
	for (uint32_t i = 0; i < rules.nrules; i++)
		check_rule(i, lines);
	for (uint32_t i = 0; i < rules.nmarks; i++)
		fuzz_check(rules.marks[i].name && *rules.marks[i].name &&
			   !!rules.marks[i].call.functions + !!rules.marks[i].in_range +
			   !!rules.marks[i].signal == 1);
	for (uint32_t i = 0; i < rules.nallows; i++)
		fuzz_check(strchr(rules.allows[i].frame, ':') && file.allows[i].line <= lines);
	seen.taken++;
	seen.rules += rules.nrules;
	seen.marks += rules.nmarks;
	seen.allows += rules.nallows;
}

static unsigned int count_lines(void)
{
	unsigned int lines = 1;

	for (size_t i = 0; i < used; i++)
		lines += text[i] == '\n';
	return lines;
}

/* The columns of that line, and one behind it. */
static void check_place(unsigned int lines)
{
	const char *at = text, *end;

	if (!said_line)
		return;
	fuzz_check(said_line <= lines);
	for (unsigned int i = 1; i < said_line; i++)
		at = (const char *)memchr(at, '\n', used - (size_t)(at - text)) + 1;
	end = memchr(at, '\n', used - (size_t)(at - text));
	fuzz_check(said_column >= 1 && said_column <= (end ? end : text + used) - at + 1);
}

static void close_one(struct rule *its)
{
	if (its->selector)
		selector_close(its->selector);
	for (uint32_t i = 0; i < RULE_EXCEPTIONS; i++)
		if (its->exceptions[i].selector)
			selector_close(its->exceptions[i].selector);
}

/* A file is read once in a process; here they would be too many. */
static void close_all(void)
{
	for (uint32_t i = 0; i < CHECK_RULES; i++)
		close_one(&rules.rules[i]);
	for (uint32_t i = 0; i < CHECK_MARKS; i++)
		close_one(&rules.marks[i].call);
}

static void one(int fd)
{
	unsigned int lines;
	int error;

	make();
	lines = count_lines();
	fuzz_check(!ftruncate(fd, 0) && pwrite(fd, text, used, 0) == (ssize_t)used);
	memset(&file.header, 0, sizeof(file.header));
	error = rules_read(path, true, &file);
	fuzz_check(!error == !fuzz_lines && fuzz_lines <= 1);
	if (error) {
		seen.refused++;
		/* What is right is refused for nothing but how much it is. */
		fuzz_check(is_damaged || !want.rules || rules.nper == RULE_PER);
		check_place(lines);
	} else {
		check_taken(lines);
		if (!is_damaged) {
			fuzz_check(rules.nrules == want.rules && rules.nmarks == want.marks &&
				   rules.nallows == want.allows);
			seen.right++;
		}
	}
	close_all();
}

int main(int argc, char **argv)
{
	uint64_t seed, first, count;
	int fd = memfd_create("rules", 0);

	fuzz_start(argc, argv, &seed, &first, &count);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	cuaudit_core_link = &table;
	layout_setup();
	for (fuzz_number = first; fuzz_number < first + count; fuzz_number++) {
		chance_begin(seed, fuzz_number);
		fuzz_lines = 0;
		one(fd);
		seen.cases++;
	}
	printf("cases %u taken %u refused %u rules %u marks %u allows %u right %u\n", seen.cases, seen.taken,
	       seen.refused, seen.rules, seen.marks, seen.allows, seen.right);
	return 0;
}
