/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a rules file: cuaudit-rules(5) is its grammar. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/params.h>
#include <cuaudit/range.h>

#include "hooks/modules/fault/fault_result.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/modules/rules/rules_copied.h"
#include "hooks/modules/rules/rules_number.h"
#include "hooks/modules/rules/rules_word.h"
#include "hooks/provided.h"
#include "util/io.h"
#include "util/selector.h"

enum { TEXT = 256 * 1024, LIST = 4096, PREFIX = 4200 };

struct rules rules;

static char text[TEXT + 2], raw[TEXT + 2];	/* words stay in it; a line as it was */
static struct check_file *file;
static bool by_check;

static const char launches[] =
#define LAUNCHES(base, kernel) #base ","
#include "tables/facts.def"
	"";
static const char allocations[] =
#define SIZED(base, kind, handle, parent, again, how, size) #base ","
#include "tables/facts.def"
	"";

/* A selector that is one, and what it takes now and later. */
static bool take_selector(const struct line *line, struct word *word, const char **functions,
			  struct selector **selector)
{
	char prefix[PREFIX];
	const char *unfit;
	size_t length;

	if (!word)
		return false;
	snprintf(prefix, sizeof(prefix), "rules: %s:%u:%u", line->path, line->number, word->column);
	if (cuaudit_selector_check(prefix, word->text))
		return false;
	unfit = selector_unfit(word->text, &length);
	if (unfit)
		return line_fault(line, word, "'%.*s' can have no hook, as all that return twice, that the loader "
				  "calls or that have vectors for arguments; name another function", (int)length, unfit);
	*functions = word->text;
	*selector = selector_open(word->text);
	return *selector || line_fault(line, word, "no memory");
}

static bool known_functions(struct rule *rule, const char *functions)
{
	rule->functions = functions;
	rule->selector = selector_open(functions);
	return rule->selector;
}

/* The glob that was just taken. */
static int16_t range_selector(const struct line *line)
{
	const struct word *word = &line->words[line->at - 1];
	int number = cuaudit_range_selector(word->text);

	if (number < 0)
		line_fault(line, word, "rules name more than %d ranges", CUAUDIT_RANGE_SELECTORS);
	rules.ranges = true;
	return (int16_t)number;
}

static int16_t find_mark(const struct line *line, struct word *word)
{
	const char *names[CHECK_MARKS + 1];

	if (!word)
		return NO_MARK;
	for (uint32_t i = 0; i < rules.nmarks; i++) {
		if (!strcmp(rules.marks[i].name, word->text))
			return (int16_t)i;
		names[i] = rules.marks[i].name;
	}
	names[rules.nmarks] = NULL;
	if (rules.nmarks)
		line_unknown(line, word, "mark in the lines above", names);
	else
		line_fault(line, word, "there is no mark '%.64s' in the lines above", word->text);
	return NO_MARK;
}

static bool take_mark(struct line *line, int16_t *mark)
{
	struct word *word = line_want(line, "the name of a mark");

	if (word && *mark != NO_MARK)
		return line_fault(line, word, "a second mark");
	*mark = find_mark(line, word);
	return *mark != NO_MARK;
}

static bool take_glob(struct line *line, const char *what, const char **glob)
{
	struct word *word = line_want(line, what);

	if (!word)
		return false;
	if (*glob)
		return line_fault(line, word, "a second %s", what + 2);
	if (!glob_is_one(word->text))
		return line_fault(line, word, "'%.64s' is no glob: its [ has no ]", word->text);
	*glob = word->text;
	return true;
}

static bool take_device(struct line *line, struct rule *rule)
{
	struct word *word;
	uint64_t number = 0;

	if (line_takes(line, "legacy")) {
		rule->legacy = true;
		if (!rule->blocking)
			return line_fault(line, NULL, "'on legacy stream' wants %%blocking");
		return line_takes(line, "stream") || line_fault(line, NULL, "'stream' is missing");
	}
	if (!line_takes(line, "device"))
		return line_fault(line, line_next(line),
				  "on what? 'on device N' or 'on legacy stream'");
	word = line_want(line, "the number of a device");
	if (word && rule->device >= 0)
		return line_fault(line, word, "a second device");
	if (word && (!rules_count(word->text, &number) || number > 1023))
		return line_fault(line, word, "a device is a number such as 0, not '%.64s'", word->text);
	rule->device = (int32_t)number;
	return word;
}

static bool take_before(struct line *line, struct rule *rule)
{
	if (!line_takes(line, "main"))
		return take_mark(line, &rule->before);
	rule->before_main = true;
	return true;
}

static bool take_in(struct line *line, struct rule *rule)
{
	if (!line_takes(line, "range"))
		return take_glob(line, "a library", &rule->library);
	if (!take_glob(line, "a range", &rule->in_range))
		return false;
	rule->range = range_selector(line);
	return rule->range >= 0;
}

static bool take_per(struct line *line, struct rule *rule)
{
	struct word *word = &line->words[line->at - 1];

	if (!line_takes(line, "range"))
		return line_fault(line, line_next(line), "per what? 'per range GLOB'");
	if (rule->form != FORM_BOUND)
		return line_fault(line, word, "nothing is counted per range here; 'in range GLOB' is "
				  "what such a line takes");
	if (rule->what > RULE_COPIED && rule->what != RULE_GROWTH)
		return line_fault(line, word, "calls, bytes and host time are counted per range, this is not");
	if (!take_glob(line, "a range", &rule->per_range))
		return false;
	if (rules.nper == RULE_PER)
		return line_fault(line, word, "at most %d rules can count per range", RULE_PER);
	rule->slot = rules.nper++;
	rule->per = range_selector(line);
	return rule->per >= 0;
}

static bool take_kernel(struct line *line, struct rule *rule)
{
	return take_glob(line, "a kernel", &rule->kernel);
}

/* Stacks have lines of Python alone: what is compiled is known by what its library exports. */
static bool is_frame(const struct line *line, const struct word *word)
{
	static const char *const compiled[] = { ".c",   ".cc", ".cpp", ".cu", ".cuh", ".cxx",
						".f90", ".h",  ".hh",  ".hpp", ".rs", NULL };
	const char *colon = strchr(word->text, ':'), *dot;

	dot = colon ? memrchr(word->text, '.', (size_t)(colon - word->text)) : NULL;
	for (uint32_t i = 0; dot && compiled[i]; i++)
		if (strlen(compiled[i]) == (size_t)(colon - dot) &&
		    !strncmp(dot, compiled[i], (size_t)(colon - dot)))
			return line_fault(line, word, "the frame of a compiled function is "
					  "LIBRARY:FUNCTION, if it is exported, not '%.64s'; 'in LIBRARY' "
					  "and 'in range GLOB' know the others", word->text);
	return (colon && colon != word->text && word->text[strlen(word->text) - 1] != ':') ||
	       line_fault(line, word, "a frame is FILE:FUNCTION or FILE:LINE of Python, or LIBRARY:FUNCTION, not '%.64s'",
			  word->text);
}

/* Of LIBRARY.so:FUNCTION, LIBRARY.so.1:FUNCTION and globs of these; false: no memory. */
static bool take_frame_library(struct rule *rule)
{
	size_t length = strcspn(rule->frame, ":");
	const char *at = memmem(rule->frame, length, ".so", 3);

	if (!at || !strchr(":.*?[", at[3]))
		return true;
	rule->frame_library = strndup(rule->frame, length);
	return rule->frame_library;
}

/* Stacks are read of calls that break a rule, which are few. */
static bool take_frame(struct line *line, struct rule *rule)
{
	const struct word *word = &line->words[line->at - 1];

	if (rule->form != FORM_CALL)
		return line_fault(line, word, "%s of all call stacks: it takes no 'from'",
				  rule->form == FORM_BOUND ? "a bound counts calls" :
							     "a mark is reached by calls");
	return take_glob(line, "a frame", &rule->frame) &&
	       is_frame(line, &line->words[line->at - 1]) &&
	       (take_frame_library(rule) || line_fault(line, word, "no memory"));
}

static bool take_after(struct line *line, struct rule *rule)
{
	return take_mark(line, &rule->after);
}

static bool take_between(struct line *line, struct rule *rule)
{
	return take_mark(line, &rule->after) && take_mark(line, &rule->before);
}

static bool take_condition(struct line *line, struct rule *rule)
{
	static const struct {
		const char *word;
		bool (*take)(struct line *line, struct rule *rule);
	} conditions[] = {
#define CONDITION(word, take) { word, take },
#include "hooks/modules/rules/rules.def"
	};
	enum { CONDITIONS = sizeof(conditions) / sizeof(conditions[0]) };
	const char *words[CONDITIONS + 1] = { NULL };

	for (uint32_t i = 0; i < CONDITIONS; i++) {
		words[i] = conditions[i].word;
		if (!line_takes(line, words[i]))
			continue;
		if (rule->what == RULE_GROWTH && conditions[i].take != take_per)
			return line_fault(line, &line->words[line->at - 1],
					  "growth takes no condition but 'per range GLOB'");
		return conditions[i].take(line, rule);
	}
	return line_unknown(line, line_next(line), "condition", words);
}

static bool take_conditions(struct line *line, struct rule *rule)
{
	while (line->at < line->count)
		if (!take_condition(line, rule))
			return false;
	return true;
}

/* The parts of a selector beside %blocking: that part becomes one which is of no function. */
static struct selector *other_parts(const char *functions)
{
	static const char part[] = "%blocking", none[] = "=-       ";
	char *copy = strdup(functions), *at = copy;
	struct selector *selector = NULL;

	_Static_assert(sizeof(part) == sizeof(none), "one in the place of the other");
	while (at && (at = strstr(at, part)))
		memcpy(at, none, sizeof(none) - 1);
	if (copy)
		selector = selector_open(copy);
	free(copy);
	return selector;
}

static bool take_functions(struct line *line, struct rule *rule)
{
	struct word *word = line_want(line, "a function or a selector");

	if (!take_selector(line, word, &rule->functions, &rule->selector))
		return false;
	selector_libraries(rule->selector, provided_came, &rule->provided);
	rule->blocking = strstr(word->text, "%blocking") && !strstr(word->text, "!%blocking");
	rules.blocking |= rule->blocking;
	if (!rule->blocking || !strchr(word->text, ','))
		return true;
	rule->others = other_parts(word->text);
	return rule->others || line_fault(line, word, "no memory");
}

static bool read_never(struct line *line, struct rule *rule, struct check_rule *entry)
{
	(void)entry;
	return take_functions(line, rule) && take_conditions(line, rule);
}

static bool take_direction(struct line *line, struct rule *rule)
{
	struct word *word = line_want(line, "a direction");

	if (!word)
		return false;
	rule->direction = rules_direction(word->text);
	return rule->direction >= RULE_ANY_DIRECTION ||
	       line_unknown(line, word, "direction", &rules_directions[1]);
}

/* What a bound is of. Its functions are those at which it changes. */
static bool take_quantity(struct line *line, struct rule *rule, struct check_rule *entry)
{
	entry->unit = CHECK_CALLS;
	if (line_takes(line, "kernels"))
		return known_functions(rule, launches);
	if (line_takes(line, "distinct-kernels")) {
		rule->what = RULE_KERNELS;
		entry->unit = CHECK_KERNELS;
		entry->kind = CHECK_BUDGET;
		return known_functions(rule, launches);
	}
	if (line_takes(line, "memory") || line_takes(line, "growth")) {
		rule->what = *line->words[line->at - 1].text == 'm' ? RULE_MEMORY : RULE_GROWTH;
		entry->unit = CHECK_BYTES;
		entry->kind = CHECK_BUDGET;
		rules.memory = true;
		return known_functions(rule, allocations);
	}
	if (line_takes(line, "copied")) {
		rule->what = RULE_COPIED;
		entry->unit = CHECK_BYTES;
		return take_direction(line, rule) && known_functions(rule, rules_copies);
	}
	if (line_takes(line, "host-time")) {
		rule->what = RULE_TIME;
		entry->unit = CHECK_NS;
		rules.timed = true;
	}
	return take_functions(line, rule);
}

static bool read_bound(struct line *line, struct rule *rule, struct check_rule *entry)
{
	static const char *const takes[] = {
		[CHECK_CALLS] = "a number such as 3", [CHECK_BYTES] = "a size such as 512MiB",
		[CHECK_NS] = "a time such as 20ms", [CHECK_KERNELS] = "a number such as 3",
	};
	struct word *bound = &line->words[line->at - 1], *word = line_want(line, "how many or how much");
	char how = bound->text[3];	/* at-most, at-least, exactly */
	uint64_t number;

	rule->form = FORM_BOUND;
	entry->kind = CHECK_COUNT;
	if (word && line->at == line->count && !strchr("0123456789", *word->text))
		return line_fault(line, word, "%s is wanted here, not '%.64s'", takes[CHECK_CALLS],
				  word->text);
	if (!word || !take_quantity(line, rule, entry))
		return false;
	if (rule->what == RULE_TIME && how == 'c')
		return line_fault(line, bound, "host time varies: give 'at-most' or 'at-least'");
	if (!(entry->unit == CHECK_BYTES ? rules_size(word->text, &number) :
	      entry->unit == CHECK_NS ? rules_time(word->text, &number) :
					rules_count(word->text, &number)))
		return line_fault(line, word, "%s is wanted here, not '%.64s'", takes[entry->unit],
				  word->text);
	entry->least = how == 'm' ? 0 : number;
	entry->most = how == 'l' ? UINT64_MAX : number;
	if (!take_conditions(line, rule))
		return false;
	if (rule->per >= 0)
		entry->kind = CHECK_BUDGET;
	if (rule->what == RULE_GROWTH && rule->per < 0)
		return line_fault(line, NULL, "growth is counted per range: 'per range GLOB' is missing");
	if (entry->kind == CHECK_BUDGET && rule->per < 0 && entry->least)
		return line_fault(line, NULL, "of this, 'at-most' alone can be judged");
	return true;
}

static bool take_exception(struct line *line, struct rule *rule)
{
	struct word *word = line_next(line);
	char *colon = strrchr(word->text, ':');
	struct rule_exception *to = &rule->exceptions[rule->nexceptions];
	const char *near;

	if (rule->nexceptions == RULE_EXCEPTIONS)
		return line_fault(line, word, "at most %d exceptions", RULE_EXCEPTIONS);
	if (!colon || colon == word->text)
		return line_fault(line, word, "an exception is SELECTOR:RESULT, not '%.64s'", word->text);
	to->result = rules_result(colon + 1);
	near = to->result < RULES_ANY_RESULT ? fault_result_near(colon + 1) : NULL;
	if (to->result < RULES_ANY_RESULT)
		return line_fault(line, word, "there is no result '%.64s'%s%s%s", colon + 1,
				  near ? "; did you mean " : "", near ?: "", near ? "?" : "");
	*colon = '\0';
	rule->nexceptions++;
	return take_selector(line, word, &to->functions, &to->selector);
}

static bool read_results(struct line *line, struct rule *rule, struct check_rule *entry)
{
	(void)entry;
	rule->what = RULE_RESULTS;
	rules.all_functions = true;
	while (line->at < line->count) {
		if (!line_takes(line, "except")) {
			if (!take_condition(line, rule))
				return false;
			continue;
		}
		if (line->at == line->count)
			return line_want(line, "SELECTOR:RESULT");
		while (line->at < line->count && strchr(line->words[line->at].text, ':'))
			if (!take_exception(line, rule))
				return false;
		if (!rule->nexceptions)
			return take_exception(line, rule);
	}
	return known_functions(rule, "");
}

static bool read_sticky(struct line *line, struct rule *rule, struct check_rule *entry)
{
	rule->results = RESULTS_STICKY;
	return read_results(line, rule, entry);
}

static bool read_capture(struct line *line, struct rule *rule, struct check_rule *entry)
{
	rule->results = RESULTS_CAPTURE;
	return read_results(line, rule, entry);
}

static bool read_unchecked(struct line *line, struct rule *rule, struct check_rule *entry)
{
	if (!read_results(line, rule, entry))
		return false;
	rule->what = RULE_UNCHECKED;
	return true;
}

static bool read_fork(struct line *line, struct rule *rule, struct check_rule *entry)
{
	(void)entry;
	rule->what = RULE_FORKED;
	rules.all_functions = true;
	return take_conditions(line, rule) && known_functions(rule, "");
}

static bool read_thread(struct line *line, struct rule *rule, struct check_rule *entry)
{
	(void)entry;
	rule->what = RULE_THREADS;
	return take_functions(line, rule) && take_conditions(line, rule);
}

static bool read_driver(struct line *line, struct rule *rule, struct check_rule *entry)
{
	struct word *word = line_want(line, "a version such as 12.4");

	(void)entry;
	rule->what = RULE_VERSION;
	rules.all_functions = true;
	if (word && !rules_version(word->text, &rule->version))
		return line_fault(line, word, "a version such as 12.4 is wanted here, not '%.64s'",
				  word->text);
	return word && take_conditions(line, rule) && known_functions(rule, "");
}

static bool read_end(struct line *line, struct rule *rule, struct check_rule *entry)
{
	struct word *word = line_next(line);

	entry->kind = CHECK_AT_END;
	rule->functions = NULL;
	return !word || line_fault(line, word, "nothing follows this rule");
}

static bool read_leaks(struct line *line, struct rule *rule, struct check_rule *entry)
{
	rule->what = RULE_LEAKS;
	rules.leaks = true;
	return read_end(line, rule, entry);
}

static bool read_unrouted(struct line *line, struct rule *rule, struct check_rule *entry)
{
	rule->what = RULE_UNROUTED;
	return read_end(line, rule, entry);
}

static bool want_equals(struct line *line)
{
	return line_takes(line, "=") || line_fault(line, line_next(line), "mark NAME = ...: = is missing");
}

static bool mark_by_call(struct line *line, struct rule_mark *mark, struct word *word)
{
	static const char *const words[] = { "range", "signal", "1st", NULL };
	char right[RULES_ORDINAL];

	if (!rules_ordinal(word->text, &mark->number, right))
		return *right ? line_fault(line, word, "'%s' is no ordinal; did you mean %s?",
					   word->text, right) :
				line_unknown(line, word, "mark of the kind", words);
	return take_functions(line, &mark->call) && take_conditions(line, &mark->call);
}

static bool mark_by_signal(struct line *line, struct rule_mark *mark)
{
	struct word *word = line_want(line, "the name of a signal");

	if (!word)
		return false;
	if (!by_check)
		return line_fault(line, word, "a mark by a signal wants cuaudit check, which gets it");
	mark->signal = rules_signal(word->text);
	return mark->signal || line_fault(line, word, "a signal is USR1 or USR2, not '%.64s'", word->text);
}

static void rule_begin(struct rule *rule)
{
	*rule = (struct rule){
		.after = NO_MARK, .before = NO_MARK, .range = -1, .per = -1, .device = -1,
		.direction = RULE_ANY_DIRECTION,
	};
}

static bool mark_by_range(struct line *line, struct rule_mark *mark)
{
	rules.ranges = true;
	return take_glob(line, "a range", &mark->in_range);
}

/* What reports have of a line, whole. */
static bool fits(const struct line *line, const struct word *word, const char *what, size_t length,
		 size_t room)
{
	return length < room || line_fault(line, word, "%s has at most %zu bytes, this one %zu", what,
					   room - 1, length);
}

static bool read_mark(struct line *line)
{
	struct rule_mark *mark = &rules.marks[rules.nmarks];
	struct word *name = line_want(line, "the name of a mark"), *word;

	if (!name || !want_equals(line))
		return false;
	if (rules.nmarks == CHECK_MARKS)
		return line_fault(line, name, "there are more than %d marks", CHECK_MARKS);
	for (uint32_t i = 0; i < rules.nmarks; i++)
		if (!strcmp(rules.marks[i].name, name->text))
			return line_fault(line, name, "there is a mark '%.64s' already", name->text);
	if (!strcmp(name->text, "main"))
		return line_fault(line, name, "main is a mark by itself");
	if (!fits(line, name, "the name of a mark", strlen(name->text), sizeof(file->marks->name)))
		return false;
	*mark = (struct rule_mark){ .name = name->text };
	rule_begin(&mark->call);
	mark->call.form = FORM_MARK;
	snprintf(file->marks[rules.nmarks].name, sizeof(file->marks->name), "%s", name->text);
	word = line_want(line, "what reaches the mark");
	if (!word)
		return false;
	if (!word->quoted && !strcmp(word->text, "range")) {
		if (!mark_by_range(line, mark))
			return false;
	} else if (!word->quoted && !strcmp(word->text, "signal")) {
		if (!mark_by_signal(line, mark))
			return false;
	} else if (!mark_by_call(line, mark, word)) {
		return false;
	}
	word = line_next(line);
	if (word)
		return line_fault(line, word, "nothing follows this mark");
	file->marks[rules.nmarks].signal = (uint32_t)mark->signal;
	rules.nmarks++;
	return true;
}

static bool read_allow(struct line *line, bool optional)
{
	struct word *word = line_want(line, "a frame");
	struct check_allow *to = &file->allows[rules.nallows];

	if (!word)
		return false;
	if (rules.nallows == CHECK_ALLOWS)
		return line_fault(line, word, "there are more than %d lines of allow", CHECK_ALLOWS);
	if (!is_frame(line, word))
		return false;
	if (!glob_is_one(word->text))
		return line_fault(line, word, "'%.64s' is no glob: its [ has no ]", word->text);
	if (line->at < line->count)
		return line_fault(line, line_next(line), "a line allows one frame");
	if (!*line->reason)
		return line_fault(line, NULL, "why is it allowed? '# REASON' is missing");
	if (!fits(line, NULL, "a line of allow", strlen(raw), sizeof(to->text)))
		return false;
	rules.allows[rules.nallows++].frame = word->text;
	*to = (struct check_allow){ .line = line->number, .optional = optional };
	snprintf(to->text, sizeof(to->text), "%s", raw);
	return true;
}

static const struct statement {
	const char *word;
	bool (*read)(struct line *line, struct rule *rule, struct check_rule *entry);
} statements[] = {
#define STATEMENT(word, read) { word, read },
#include "hooks/modules/rules/rules.def"
};

enum { STATEMENTS = sizeof(statements) / sizeof(statements[0]) };

/* What there has to be for it to have looked at anything. */
static uint16_t wants(const struct rule *rule, const struct check_rule *entry)
{
	bool at_end = rule->per >= 0 && (entry->least || rule->what == RULE_GROWTH);

	return (uint16_t)((rule->after != NO_MARK || rule->before != NO_MARK ? CHECK_REACH_MARK : 0) |
			 (rule->after != NO_MARK && rule->before != NO_MARK ?
			  CHECK_REACH_SECOND_MARK : 0) |
			 (rule->range >= 0 || rule->per >= 0 ? CHECK_REACH_RANGE : 0) |
			 (at_end ? CHECK_REACH_RANGE_END : 0) |
			 (rule->library ? CHECK_REACH_LIBRARY : 0) |
			 (rule->provided ? CHECK_REACH_PROVIDER : 0) |
			 (rule->frame_library ? CHECK_REACH_FRAME : 0));
}

static bool read_rule(struct line *line, struct word *word, bool optional)
{
	struct rule *rule = &rules.rules[rules.nrules];
	struct check_rule *entry = &file->rules[rules.nrules];
	const char *words[STATEMENTS + 4];

	for (uint32_t i = 0; i < STATEMENTS; i++) {
		words[i] = statements[i].word;
		if (word->quoted || strcmp(word->text, words[i]) != 0)
			continue;
		if (rules.nrules == CHECK_RULES)
			return line_fault(line, word, "there are more than %d rules", CHECK_RULES);
		if (!fits(line, NULL, "a rule", strlen(raw), sizeof(entry->text)))
			return false;
		rule_begin(rule);
		rule->index = rules.nrules;
		*entry = (struct check_rule){
			.line = line->number, .optional = optional, .most = UINT64_MAX,
		};
		snprintf(entry->text, sizeof(entry->text), "%s", raw);
		if (!statements[i].read(line, rule, entry))
			return false;
		entry->wants = wants(rule, entry);
		rules.nrules++;
		return true;
	}
	memcpy(&words[STATEMENTS], (const char *const[]){ "allow", "mark", "optional", NULL },
	       4 * sizeof(*words));
	return line_unknown(line, word, "rule", words);
}

static bool read_line(struct line *line)
{
	bool optional = line_takes(line, "optional");
	struct word *word = line_next(line);

	if (!word)
		return !optional || line_fault(line, NULL, "what is optional is missing");
	if (!word->quoted && !strcmp(word->text, "allow"))
		return read_allow(line, optional);
	if (!word->quoted && !strcmp(word->text, "mark")) {
		if (optional)
			return line_fault(line, word, "a mark is not optional; put 'optional' before "
					  "the rules that name it");
		return read_mark(line);
	}
	if (optional && !word->quoted && !strcmp(word->text, "calls")) {
		file->header.may_be_idle = true;
		word = line_next(line);
		return !word || line_fault(line, word, "nothing follows 'optional calls'");
	}
	return read_rule(line, word, optional);
}

/* The line without its comment and the blanks around it. */
static void keep_raw(const char *from, const struct line *line)
{
	size_t length;

	from += strspn(from, " \t\r");
	length = line->end ? strlen(from) : 0;
	memmove(raw, from, length + 1);
	while (length && strchr(" \t\r", raw[length - 1]))
		raw[--length] = '\0';
}

/* A process that calls nothing has nothing of this, and would not be told. */
static bool can_be_idle(const char *path)
{
	for (uint32_t i = 0; i < rules.nrules && file->header.may_be_idle; i++) {
		const struct check_rule *entry = &file->rules[i];

		if (!entry->optional && (entry->wants || entry->least)) {
			cuaudit_log(CUAUDIT_ERROR, "rules: %s:%u:1: with 'optional calls' this rule has "
				    "to be optional, too: it wants something to be called", path,
				    entry->line);
			return false;
		}
	}
	return true;
}

/* Its comment is the reason, and part of it. */
static bool is_allow(const struct line *line)
{
	return rule_line_has(line, rule_line_has(line, 0, "optional"), "allow");
}

static bool read_lines(const char *path)
{
	static struct line line;
	uint32_t number = 1;
	char *end;

	for (char *at = text; at; at = end, number++) {
		size_t length;

		end = strchr(at, '\n');
		if (end)
			*end++ = '\0';
		length = strlen(at);
		memcpy(raw, at, length + 1);
		line.path = path;
		line.number = number;
		if (!line_split(&line, at))
			return false;
		if (*line.reason && !line.count)
			continue;
		if (line.count && !is_allow(&line) && line.end - 1 < length)
			raw[line.end - 1] = '\0';
		keep_raw(raw, &line);
		if (!read_line(&line))
			return false;
	}
	return can_be_idle(path);
}

int rules_read(const char *path, bool saved, struct check_file *to)
{
	long length = io_read_file(path, text, sizeof(text), IO_REPORT);

	io_claim_name(path);
	memset(&rules, 0, sizeof(rules));
	file = to;
	by_check = saved;
	if (length < 0 || length > TEXT) {
		cuaudit_log(CUAUDIT_ERROR, "rules: file=%s cannot be read: %s", path,
			    length < 0 ? io_reason((int)length) : "it is longer than 256 KiB");
		return -ECANCELED;
	}
	if (strlen(text) != (size_t)length) {
		cuaudit_log(CUAUDIT_ERROR, "rules: %s holds a NUL, and is no text", path);
		return -ECANCELED;
	}
	if (!read_lines(path))
		return -ECANCELED;
	if (!rules.nrules) {
		cuaudit_log(CUAUDIT_ERROR, "rules: %s has no rule", path);
		return -ECANCELED;
	}
	file->header.nrules = rules.nrules;
	file->header.nmarks = rules.nmarks;
	file->header.nallows = rules.nallows;
	return 0;
}
