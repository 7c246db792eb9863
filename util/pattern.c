/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions and globs, matched in linear time. */
/*
 * A pattern becomes a program of steps (Thompson's construction), which is run with
 * the set of all steps that it may be at. Targets of jumps are relative, so that
 * a step can be inserted before a part that is complete.
 */
#include "util/pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	STEPS = 2 * PATTERN_MAX + 4,	/* each character adds two at most */
	GROUPS = PATTERN_MAX + 1,
	SETS = PATTERN_MAX / 2 + 1,	/* "\\w" is the shortest */
	WORDS = (STEPS + 63) / 64
};

enum kind {
	BYTE,		/* takes value */
	ANY,
	SET,		/* value: of sets */
	JUMP,
	SPLIT,		/* goes both to the next step and to the target */
	FIRST,		/* the text begins here */
	LAST,
	WORD_FIRST,
	WORD_LAST,
	WORD_EDGE,
	WORD_NO_EDGE,
	FOUND
};

struct step {
	uint8_t kind;
	uint8_t value;
	int16_t target;		/* from this step on */
};

struct set {
	uint64_t bits[4];
};

struct pattern {
	bool whole;		/* nothing may be before or behind */
	struct set *sets;
	struct step steps[];	/* the last one is FOUND */
};

/* A group that is not closed; number 0 is the whole expression. */
struct group {
	int16_t begin;		/* its first step */
	int16_t branch;		/* the first step of its last alternative */
	int16_t jumps;		/* the last JUMP to its end, whose target is the one before; -1 */
};

struct compiler {
	const char *at;
	bool glob;
	bool failed;
	int count, nsets, ngroups;
	int atom;		/* what a repetition repeats begins there; -1: nothing */
	struct step steps[STEPS];
	struct set sets[SETS];
	struct group groups[GROUPS];
};

static bool in_set(const struct set *set, unsigned char c)
{
	return set->bits[c / 64] >> c % 64 & 1;
}

static void add_range(struct set *set, unsigned int first, unsigned int last)
{
	for (; first <= last; first++)
		set->bits[first / 64] |= UINT64_C(1) << first % 64;
}

/* The classes of the C locale, each as ranges of two characters. */
static const struct {
	const char *name;
	const char *ranges;
} classes[] = {
	{ "alnum", "09AZaz" },
	{ "alpha", "AZaz" },
	{ "blank", "\t\t  " },
	{ "cntrl", "\1\37\177\177" },
	{ "digit", "09" },
	{ "graph", "!~" },
	{ "lower", "az" },
	{ "print", " ~" },
	{ "punct", "!/:@[`{~" },
	{ "space", "\t\r  " },
	{ "upper", "AZ" },
	{ "xdigit", "09AFaf" },
};

static bool add_class(struct set *set, const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length))
			continue;
		for (const char *at = classes[i].ranges; *at; at += 2)
			add_range(set, (unsigned char)at[0], (unsigned char)at[1]);
		return true;
	}
	return false;
}

static void add_word(struct set *set)
{
	add_class(set, "alnum", 5);
	add_range(set, '_', '_');
}

static void invert(struct set *set)
{
	for (int i = 0; i < 4; i++)
		set->bits[i] = ~set->bits[i];
}

static bool is_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_';
}

static void emit(struct compiler *compiler, enum kind kind, unsigned char value, int target)
{
	if (compiler->count == STEPS) {
		compiler->failed = true;
		return;
	}
	compiler->steps[compiler->count++] =
		(struct step){ (uint8_t)kind, value, (int16_t)target };
}

static void insert(struct compiler *compiler, int at, enum kind kind, int target)
{
	emit(compiler, kind, 0, 0);
	if (compiler->failed)
		return;
	memmove(&compiler->steps[at + 1], &compiler->steps[at],
		(size_t)(compiler->count - 1 - at) * sizeof(struct step));
	compiler->steps[at] = (struct step){ (uint8_t)kind, 0, (int16_t)target };
}

static void emit_atom(struct compiler *compiler, enum kind kind, unsigned char value)
{
	compiler->atom = compiler->count;
	emit(compiler, kind, value, 0);
}

/* libc lets nothing repeat a place. */
static void emit_place(struct compiler *compiler, enum kind kind)
{
	emit(compiler, kind, 0, 0);
	compiler->atom = -1;
}

/* "[.x.]", "[=x=]" and plain characters. false: it is none of them. */
static bool read_member(struct compiler *compiler, unsigned char *c)
{
	const char *at = compiler->at;

	if (at[0] == '[' && (at[1] == '.' || at[1] == '=')) {
		if (!at[2] || at[3] != at[1] || at[4] != ']')
			return false;
		*c = (unsigned char)at[2];
		compiler->at += 5;
		return true;
	}
	if (compiler->glob && *at == '\\')
		at++;
	if (!*at)
		return false;
	*c = (unsigned char)*at;
	compiler->at = at + 1;
	return true;
}

/* The end of the name that "[:" begins, before ":]"; NULL: it is none. */
static const char *class_end(const char *at)
{
	const char *end = at + 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz");

	return end[0] == ':' && end[1] == ']' ? end : NULL;
}

/* Within a glob, a class that there is not has no members. */
static bool read_class(struct compiler *compiler, struct set *set)
{
	const char *name = compiler->at + 2, *end = class_end(compiler->at);

	if (!end || (!add_class(set, name, (size_t)(end - name)) && !compiler->glob))
		return false;
	compiler->at = end + 2;
	return true;
}

/* A member, a range or a class. first: what a '-' may begin. */
static bool read_element(struct compiler *compiler, struct set *set, bool first)
{
	const char *at = compiler->at;
	unsigned char low, high;

	if (at[0] == '[' && at[1] == ':' && (!compiler->glob || class_end(at)))
		return read_class(compiler, set) &&
		       (compiler->glob || compiler->at[0] != '-' || compiler->at[1] == ']');
	/* Between others it is a range's. */
	if (!compiler->glob && *at == '-' && !first && at[1] != ']')
		return false;
	if (!read_member(compiler, &low))
		return false;
	high = low;
	if (compiler->at[0] == '-' && compiler->at[1] && compiler->at[1] != ']') {
		compiler->at++;
		if (!compiler->glob && compiler->at[0] == '[' && compiler->at[1] == ':')
			return false;
		if (!read_member(compiler, &high))
			return false;
	}
	if (low <= high)
		add_range(set, low, high);
	return low <= high || compiler->glob;
}

/* What is between brackets, from behind the first on. */
static bool read_set(struct compiler *compiler, struct set *set)
{
	bool negated = *compiler->at == '^' || (compiler->glob && *compiler->at == '!');

	compiler->at += negated;
	for (bool first = true; first || *compiler->at != ']'; first = false)
		if (!*compiler->at || !read_element(compiler, set, first))
			return false;
	compiler->at++;
	if (negated)
		invert(set);
	return true;
}

static void emit_set(struct compiler *compiler, const struct set *set)
{
	if (compiler->nsets == SETS) {
		compiler->failed = true;
		return;
	}
	compiler->sets[compiler->nsets] = *set;
	emit_atom(compiler, SET, (unsigned char)compiler->nsets++);
}

static void bracket(struct compiler *compiler)
{
	struct set set = { { 0 } };

	if (read_set(compiler, &set))
		emit_set(compiler, &set);
	else
		compiler->failed = true;
}

static void named_set(struct compiler *compiler, char c)
{
	struct set set = { { 0 } };

	if (c == 'w' || c == 'W')
		add_word(&set);
	else
		add_class(&set, "space", 5);
	if (c == 'W' || c == 'S')
		invert(&set);
	emit_set(compiler, &set);
}

static void escaped(struct compiler *compiler)
{
	static const char letters[] = "`'<>bB";
	static const uint8_t kinds[] = {
		FIRST, LAST, WORD_FIRST, WORD_LAST, WORD_EDGE, WORD_NO_EDGE
	};
	char c = *compiler->at++;
	const char *place = c ? strchr(letters, c) : NULL;

	if (place)
		emit_place(compiler, kinds[place - letters]);
	else if (c && strchr("wWsS", c))
		named_set(compiler, c);
	else if (!c || (c != '_' && is_word((unsigned char)c)))
		compiler->failed = true;	/* "\\d" is no digit to libc, but a d */
	else
		emit_atom(compiler, BYTE, (unsigned char)c);
}

static void open_group(struct compiler *compiler)
{
	if (compiler->ngroups == GROUPS) {
		compiler->failed = true;
		return;
	}
	compiler->groups[compiler->ngroups++] = (struct group){
		.begin = (int16_t)compiler->count,
		.branch = (int16_t)compiler->count,
		.jumps = -1,
	};
	compiler->atom = -1;
}

/* Its alternatives end here. */
static void close_group(struct compiler *compiler)
{
	const struct group *group = &compiler->groups[--compiler->ngroups];
	int jump = group->jumps;

	while (jump >= 0) {
		int before = compiler->steps[jump].target;

		compiler->steps[jump].target = (int16_t)(compiler->count - jump);
		jump = before;
	}
	compiler->atom = group->begin;
}

static void alternative(struct compiler *compiler)
{
	struct group *group = &compiler->groups[compiler->ngroups - 1];

	insert(compiler, group->branch, SPLIT, compiler->count + 2 - group->branch);
	emit(compiler, JUMP, 0, group->jumps);
	group->jumps = (int16_t)(compiler->count - 1);
	group->branch = (int16_t)compiler->count;
	compiler->atom = -1;
}

static void repeat(struct compiler *compiler, char c)
{
	int atom = compiler->atom, length = compiler->count - atom;

	if (atom < 0) {
		compiler->failed = true;
		return;
	}
	switch (c) {
	case '*':
		insert(compiler, atom, SPLIT, length + 2);
		emit(compiler, JUMP, 0, -(length + 1));
		break;
	case '+':
		emit(compiler, SPLIT, 0, -length);
		break;
	default:
		insert(compiler, atom, SPLIT, length + 1);
	}
}

static void regex_character(struct compiler *compiler, char c)
{
	switch (c) {
	case '\\':
		escaped(compiler);
		break;
	case '(':
		open_group(compiler);
		break;
	case '|':
		alternative(compiler);
		break;
	case '*':
	case '+':
	case '?':
		repeat(compiler, c);
		break;
	case '[':
		bracket(compiler);
		break;
	case '.':
		emit_atom(compiler, ANY, 0);
		break;
	case '^':
		emit_place(compiler, FIRST);
		break;
	case '$':
		emit_place(compiler, LAST);
		break;
	case '{':
		compiler->failed = true;
		break;
	default:
		/* One that closes nothing is a character. */
		if (c == ')' && compiler->ngroups > 1)
			close_group(compiler);
		else
			emit_atom(compiler, BYTE, (unsigned char)c);
	}
}

static void compile_regex(struct compiler *compiler)
{
	open_group(compiler);
	while (*compiler->at && !compiler->failed)
		regex_character(compiler, *compiler->at++);
	compiler->failed |= compiler->ngroups != 1;
	if (!compiler->failed)
		close_group(compiler);
}

/* Brackets that are not finished are characters; those that make no sense match nothing. */
static void glob_bracket(struct compiler *compiler)
{
	const char *at = compiler->at, *end;
	struct set set = { { 0 } };

	if (read_set(compiler, &set)) {
		emit_set(compiler, &set);
		return;
	}
	end = at + (*at == '!' || *at == '^');
	end = *end ? strchr(end + 1, ']') : NULL;
	compiler->at = end ? end + 1 : at;
	if (end)
		emit_set(compiler, &(struct set){ { 0 } });
	else
		emit_atom(compiler, BYTE, '[');
}

static void glob_character(struct compiler *compiler, char c)
{
	switch (c) {
	case '*':
		while (*compiler->at == '*')
			compiler->at++;
		emit_atom(compiler, ANY, 0);
		repeat(compiler, c);
		break;
	case '?':
		emit_atom(compiler, ANY, 0);
		break;
	case '[':
		glob_bracket(compiler);
		break;
	case '\\':
		if (*compiler->at)
			emit_atom(compiler, BYTE, (unsigned char)*compiler->at++);
		else
			emit_set(compiler, &(struct set){ { 0 } });
		break;
	default:
		emit_atom(compiler, BYTE, (unsigned char)c);
	}
}

static void compile_glob(struct compiler *compiler)
{
	while (*compiler->at && !compiler->failed)
		glob_character(compiler, *compiler->at++);
}

/* The program by itself; its sets are behind its steps. */
static struct pattern *keep(const struct compiler *compiler)
{
	size_t steps = (size_t)compiler->count * sizeof(struct step);
	size_t sets = (size_t)compiler->nsets * sizeof(struct set);
	size_t offset = (sizeof(struct pattern) + steps + 7) & ~(size_t)7;
	struct pattern *pattern = malloc(offset + sets);

	if (!pattern)
		return NULL;
	pattern->whole = compiler->glob;
	pattern->sets = (struct set *)(void *)((char *)pattern + offset);
	memcpy(pattern->steps, compiler->steps, steps);
	memcpy(pattern->sets, compiler->sets, sets);
	return pattern;
}

static struct pattern *compile(const char *text, bool glob)
{
	struct compiler *compiler = calloc(1, sizeof(*compiler));
	struct pattern *pattern = NULL;

	if (!compiler)
		return NULL;
	compiler->at = text;
	compiler->glob = glob;
	compiler->atom = -1;
	compiler->failed = strlen(text) > PATTERN_MAX;
	if (glob)
		compile_glob(compiler);
	else
		compile_regex(compiler);
	emit(compiler, FOUND, 0, 0);
	if (!compiler->failed)
		pattern = keep(compiler);
	free(compiler);
	return pattern;
}

struct pattern *pattern_regex(const char *text)
{
	return compile(text, false);
}

struct pattern *pattern_glob(const char *text)
{
	return compile(text, true);
}

void pattern_free(struct pattern *pattern)
{
	free(pattern);
}

/* Where the text is: the characters on both sides, 0 at its ends. */
struct place {
	bool first;
	unsigned char before, behind;
};

struct states {
	uint64_t bits[WORDS];
};

/* Whether a step that takes nothing lets pass here. */
static bool passes(enum kind kind, const struct place *place)
{
	bool before = is_word(place->before), behind = is_word(place->behind);

	switch (kind) {
	case FIRST:
		return place->first;
	case LAST:
		return !place->behind;
	case WORD_FIRST:
		return !before && behind;
	case WORD_LAST:
		return before && !behind;
	case WORD_EDGE:
		return before != behind;
	default:
		return before == behind;
	}
}

/* Adds a step and all that are reached from it without a character; true: FOUND is. */
static bool reach(const struct pattern *pattern, struct states *states, int from,
		  const struct place *place)
{
	int16_t waiting[STEPS + 1];	/* a step that was new leaves one more at most */
	int count = 0;
	bool found = false;

	waiting[count++] = (int16_t)from;
	while (count) {
		int at = waiting[--count];
		const struct step *step = &pattern->steps[at];

		if (states->bits[at / 64] >> at % 64 & 1)
			continue;
		states->bits[at / 64] |= UINT64_C(1) << at % 64;
		if (step->kind == FOUND)
			found |= !pattern->whole || !place->behind;
		else if (step->kind == JUMP)
			waiting[count++] = (int16_t)(at + step->target);
		else if (step->kind == SPLIT || (step->kind >= FIRST && passes(step->kind, place)))
			waiting[count++] = (int16_t)(at + 1);
		if (step->kind == SPLIT)
			waiting[count++] = (int16_t)(at + step->target);
	}
	return found;
}

static bool takes(const struct pattern *pattern, const struct step *step, unsigned char c)
{
	switch (step->kind) {
	case BYTE:
		return step->value == c;
	case ANY:
		return true;
	case SET:
		return in_set(&pattern->sets[step->value], c);
	default:
		return false;
	}
}

/* From the steps before c to those behind it. */
static bool advance(const struct pattern *pattern, struct states *states, unsigned char c,
		    const struct place *place)
{
	struct states before = *states;
	bool found = false;

	*states = (struct states){ { 0 } };
	for (int word = 0; word < WORDS; word++)
		for (uint64_t bits = before.bits[word]; bits; bits &= bits - 1) {
			int at = 64 * word + __builtin_ctzll(bits);

			if (takes(pattern, &pattern->steps[at], c))
				found |= reach(pattern, states, at + 1, place);
		}
	return found;
}

bool pattern_matches(const struct pattern *pattern, const char *text)
{
	struct place place = { .first = true, .behind = (unsigned char)*text };
	struct states states = { { 0 } };

	if (reach(pattern, &states, 0, &place))
		return true;
	while (*text) {
		unsigned char c = (unsigned char)*text++;

		place = (struct place){ .before = c, .behind = (unsigned char)*text };
		if (advance(pattern, &states, c, &place) ||
		    (!pattern->whole && reach(pattern, &states, 0, &place)))
			return true;
	}
	return false;
}
