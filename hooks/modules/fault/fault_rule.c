/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the fault hook: which calls, and what happens to them. */
#include "hooks/modules/fault/fault_rule.h"

#include <cuaudit/range.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "hooks/modules/fault/fault_number.h"
#include "hooks/modules/fault/fault_result.h"
#include "hooks/provider_types.h"

/* Those of keys, and of mistyped ones. */
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";

/*
 * Cuts the field that begins at text off what follows it, and returns that or
 * NULL: a colon ends it before "key=", not in [[:alpha:]] or between globs.
 */
static char *cut(char *text)
{
	for (; *text; text++) {
		if (*text == ':' && text[1] != '=' && text[1 + strspn(text + 1, letters)] == '=') {
			*text = '\0';
			return text + 1;
		}
	}
	return NULL;
}

static int read_answer(struct fault_rule *rule, const char *key, const char *value)
{
	const char *near;

	if (rule->answer) {
		cuaudit_log(CUAUDIT_ERROR, "fault: a rule has one of error and result, not both");
		return -EINVAL;
	}
	rule->answer = *key == 'e' ? FAULT_ERROR : FAULT_RESULT;
	rule->result = fault_result_find(value);
	if (rule->result >= 0)
		return 0;
	/* Of a function of another library. */
	if (strchr(rule->functions, ':') && provider_types_value(value, &rule->result))
		return 0;
	near = strchr(rule->functions, ':') ? provider_types_near(value) : NULL;
	if (!near)
		near = fault_result_near(value);
	cuaudit_log(CUAUDIT_ERROR, "fault: %s takes a result by name or number, not '%s'%s%s%s",
		    key, value, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return -EINVAL;
}

/* FIRST, FIRST+, FIRST+STEP, FIRST..LAST, FIRST..LAST+, FIRST..LAST+STEP */
static int read_when(struct fault_rule *rule, const char *key, const char *value)
{
	const char *at = value;

	rule->step = 1;
	if (fault_number_begin(&at, &rule->first) || !rule->first)
		goto bad;
	rule->last = *at == '+' ? UINT64_MAX : rule->first;
	if (at[0] == '.' && at[1] == '.') {
		at += 2;
		if (fault_number_begin(&at, &rule->last) || rule->last < rule->first)
			goto bad;
	}
	at += *at == '+';
	if (at[0] && (at[-1] != '+' || fault_number_begin(&at, &rule->step) || !rule->step || *at))
		goto bad;
	return 0;
bad:
	cuaudit_log(CUAUDIT_ERROR, "fault: %s takes FIRST[..LAST][+[STEP]], calls from 1, not '%s'",
		    key, value);
	return -EINVAL;
}

static int read_delay(struct fault_rule *rule, const char *key, const char *value)
{
	uint64_t *delay = !strcmp(key, "delay_enter") ? &rule->delay_enter : &rule->delay_exit;

	if (!fault_number_time(value, delay) && *delay)
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "fault: %s takes a number with ns, us, ms or s, not '%s'", key,
		    value);
	return -EINVAL;
}

static int read_chance(struct fault_rule *rule, const char *key, const char *value)
{
	if (!fault_number_chance(value, &rule->chance))
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "fault: %s takes a number above 0 and up to 1, not '%s'", key,
		    value);
	return -EINVAL;
}

static int read_seed(struct fault_rule *rule, const char *key, const char *value)
{
	if (!fault_number(value, &rule->seed))
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "fault: %s takes a number, not '%s'", key, value);
	return -EINVAL;
}

static int read_libraries(struct fault_rule *rule, const char *key, const char *value)
{
	rule->libraries = value;
	if (*value)
		return cuaudit_libraries_check("fault: lib", value);
	cuaudit_log(CUAUDIT_ERROR, "fault: %s takes GLOB[:GLOB...]", key);
	return -EINVAL;
}

static int read_range(struct fault_rule *rule, const char *key, const char *value)
{
	rule->range = cuaudit_range_selector(value);
	if (rule->range >= 0)
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "fault: %s takes a glob over the names of NVTX ranges, not '%s'", key,
		    value);
	return -EINVAL;
}

static int read_condition(struct fault_rule *rule, const char *key, char *value)
{
	if (rule->nconditions < FAULT_CONDITIONS)
		return fault_condition_read(&rule->conditions[rule->nconditions++], value,
					    rule->functions);
	cuaudit_log(CUAUDIT_ERROR, "fault: a rule has at most %d times %s", FAULT_CONDITIONS, key);
	return -EINVAL;
}

static const struct key {
	const char *name;
	int (*read)(struct fault_rule *rule, const char *key, const char *value);
} keys[] = {
	{ "delay_enter", read_delay }, { "delay_exit", read_delay }, { "error", read_answer },
	{ "lib", read_libraries },     { "p", read_chance },	     { "range", read_range },
	{ "result", read_answer },     { "seed", read_seed },	     { "when", read_when },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static int say_unknown(const char *key)
{
	const char *names[KEYS + 2] = { "if" }, *near;

	for (int i = 0; i < KEYS; i++)
		names[i + 1] = keys[i].name;
	near = cuaudit_nearest(key, names);
	cuaudit_log(CUAUDIT_ERROR, "fault: a rule has no '%s'%s%s%s", key,
		    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return -EINVAL;
}

/* field is "key=value"; seen: the keys there were. */
static int read_field(struct fault_rule *rule, char *field, uint32_t *seen)
{
	char *value = strchr(field, '=');

	*value++ = '\0';
	if (!strcmp(field, "if"))
		return read_condition(rule, field, value);
	for (uint32_t i = 0; i < KEYS; i++) {
		if (strcmp(keys[i].name, field))
			continue;
		if (*seen & 1u << i) {
			cuaudit_log(CUAUDIT_ERROR, "fault: a rule has one %s", field);
			return -EINVAL;
		}
		*seen |= 1u << i;
		return keys[i].read(rule, field, value);
	}
	return say_unknown(field);
}

/* Whether the rule has the key, of those seen. */
static bool is_given(uint32_t seen, const char *key)
{
	for (uint32_t i = 0; i < KEYS; i++)
		if (seen & 1u << i && !strcmp(keys[i].name, key))
			return true;
	return false;
}

int fault_rule_read(struct fault_rule *rule, uint32_t number, const char *text, char *copy)
{
	char *field = strcpy(copy, text), *next;
	size_t word = strspn(field, letters);
	uint32_t seen = 0;
	int error;

	*rule = (struct fault_rule){
		.text = text,
		.functions = copy,
		.number = number,
		.range = -1,
		.first = 1,
		.last = UINT64_MAX,
		.step = 1,
		.chance = FAULT_CERTAIN,
	};
	next = cut(field);
	error = *field && !(word && field[word] == '=') ? 0 : -EINVAL;
	if (error)
		cuaudit_log(CUAUDIT_ERROR, "fault: inject takes SELECTOR:KEY=VALUE[:...], not '%s'",
			    text);
	while (!error && next) {
		field = next;
		next = cut(field);
		error = read_field(rule, field, &seen);
	}
	if (!error && is_given(seen, "seed") && !is_given(seen, "p")) {
		cuaudit_log(CUAUDIT_ERROR, "fault: '%s' has a seed and no p, so that nothing is drawn",
			    text);
		return -EINVAL;
	}
	if (error || rule->answer || rule->delay_enter || rule->delay_exit)
		return error;
	cuaudit_log(CUAUDIT_ERROR,
		    "fault: '%s' injects nothing: it has no error, result, "
		    "delay_enter or delay_exit",
		    text);
	return -EINVAL;
}

/* The finalizer of splitmix64. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
	value = (value ^ value >> 27) * 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

/* The same for the same seed, rule and number of the call, whichever thread it is on. */
static bool by_chance(const struct fault_rule *rule, uint64_t number)
{
	const uint64_t golden = 0x9e3779b97f4a7c15u;

	return mix(mix(rule->seed + rule->number * golden) + number * golden) >> 11 < rule->chance;
}

uint64_t fault_rule_due(struct fault_rule *rule, const struct cuaudit_call *call)
{
	uint64_t number;

	if (rule->range >= 0 && !cuaudit_call_in_range(call, rule->range))
		return 0;
	for (uint32_t i = 0; i < rule->nconditions; i++)
		if (!fault_condition_holds(&rule->conditions[i], call))
			return 0;
	number = atomic_fetch_add_explicit(&rule->matched, 1, memory_order_relaxed) + 1;
	if (number < rule->first || number > rule->last)
		return 0;
	if (rule->step > 1 && (number - rule->first) % rule->step)
		return 0;
	if (rule->chance < FAULT_CERTAIN && !by_chance(rule, number))
		return 0;
	return number;
}
