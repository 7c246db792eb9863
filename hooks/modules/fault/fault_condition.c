/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on the arguments of calls, "bytesize>1M". */
#include "hooks/modules/fault/fault_condition.h"

#include <cuaudit/cuda_types.h>
#include <cuaudit/hook.h>
#include <cuaudit/params.h>
#include <errno.h>
#include <string.h>

#include "hooks/modules/fault/fault_number.h"

/* A parameter's kind: its size in bytes, and whether it has a sign; or that it is no integer. */
enum { SIGNED = 0x10, OTHER = 0x20, SIZE = 0x0f };

enum { REAL_CLASS = 8, RECORD_CLASS = 12 };	/* __builtin_classify_type */

enum { MAX_PARAMS = 32 };

#define IS_SIGNED(type) \
	_Generic(*(type *)0, signed char: 1, char: (char)-1 < 0, short: 1, int: 1, long: 1, \
		 long long: 1, default: 0)
#define IS_INTEGER(type) \
	(__builtin_classify_type(*(type *)0) != REAL_CLASS && \
	 __builtin_classify_type(*(type *)0) < RECORD_CLASS)
#define KIND(type) (IS_INTEGER(type) ? sizeof(type) | (IS_SIGNED(type) ? SIGNED : 0) : OTHER)

/* The kinds of each row's parameters. */
#define SEP
#define P(direction, type, name) KIND(type),
struct kinds {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	uint8_t row##id[nparams + 1];
#include <cuaudit/driver_api.def>
#undef CUAPI
};

static const struct kinds kinds = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	.row##id = { params 0 },
#include <cuaudit/driver_api.def>
#undef CUAPI
};
#undef P
#undef SEP

static const uint16_t rows[FAULT_ROWS] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	[id] = offsetof(struct kinds, row##id),
#include <cuaudit/driver_api.def>
#undef CUAPI
};
_Static_assert(sizeof(struct kinds) <= UINT16_MAX, "rows");

static void say_missing(const struct cuaudit_function *function, const char *name)
{
	const char *names[MAX_PARAMS + 1] = { NULL }, *near;
	struct cuaudit_param param;

	for (uint32_t i = 0; i < MAX_PARAMS && !cuaudit_param_get(function, i, &param); i++)
		names[i] = param.name;
	near = cuaudit_nearest(name, names);
	cuaudit_log(CUAUDIT_ERROR, "fault: %s has no parameter '%s'%s%s%s", function->name, name,
		    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Whether the relation is of order; an unsigned value has none with a number below 0. */
static bool is_ordered(const struct fault_condition *condition)
{
	return condition->relation == FAULT_LESS || condition->relation == FAULT_AT_MOST ||
	       condition->relation == FAULT_MORE || condition->relation == FAULT_AT_LEAST;
}

/* Where the function has the parameter; 0, or -EINVAL after a message. */
static int find(struct fault_condition *condition, const struct cuaudit_function *function,
		const char *name)
{
	const uint8_t *kind = (const uint8_t *)&kinds + rows[function->id];
	struct cuaudit_param param;

	for (uint32_t i = 0; !cuaudit_param_get(function, i, &param); i++) {
		if (strcmp(param.name, name))
			continue;
		condition->places[function->id].word = (uint8_t)param.word;
		condition->places[function->id].kind = kind[i];
		if (kind[i] == OTHER)
			cuaudit_log(CUAUDIT_ERROR, "fault: %s of %s is no integer but %s", name,
				    function->name, param.type);
		else if (condition->negative && !(kind[i] & SIGNED) && is_ordered(condition))
			cuaudit_log(CUAUDIT_ERROR, "fault: %s of %s is %s, which has no sign: "
				    "< <= > >= take no number below 0", name, function->name,
				    param.type);
		else
			return 0;
		return -EINVAL;
	}
	say_missing(function, name);
	return -EINVAL;
}

/* A value as its type has it; what else the word holds is nobody's. */
static uint64_t cut(uint64_t value, uint8_t kind)
{
	int unused = 64 - 8 * (kind & SIZE);

	value <<= unused;
	return kind & SIGNED ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

/* Signed values lie in the order of unsigned ones with the sign's bit changed. */
static uint64_t order_of(uint8_t kind)
{
	return kind & SIGNED ? (uint64_t)1 << 63 : 0;
}

/* Whether any value of a parameter of that kind fulfils it. */
static bool may_hold(const struct fault_condition *condition, uint8_t kind)
{
	uint64_t order = order_of(kind), right = condition->value ^ order;
	uint64_t sign = (uint64_t)1 << (8 * (kind & SIZE) - 1);
	uint64_t least = (kind & SIGNED ? cut(sign, kind) : 0) ^ order;
	uint64_t most = (kind & SIGNED ? sign - 1 : 2 * sign - 1) ^ order;

	if (condition->negative && !(kind & SIGNED))
		return true;
	switch (condition->relation) {
	case FAULT_EQUAL:
		return right >= least && right <= most;
	case FAULT_LESS:
		return right > least;
	case FAULT_AT_MOST:
		return right >= least;
	case FAULT_MORE:
		return right < most;
	case FAULT_AT_LEAST:
		return right <= most;
	case FAULT_BITS:
		/* A signed one has its sign in all bits above. */
		return condition->value & (kind & SIGNED ? UINT64_MAX : 2 * sign - 1);
	case FAULT_NOT_EQUAL:
		break;
	}
	return true;
}

static int find_all(struct fault_condition *condition, const char *name, const char *selector)
{
	struct cuaudit_function function;
	uint8_t taken[FAULT_ROWS];
	int count = cuaudit_selector_rows(selector, taken, FAULT_ROWS);
	bool possible = false;

	if (count <= 0) {
		cuaudit_log(CUAUDIT_ERROR, "fault: if=%s: '%s' %s", name, selector,
			    count ? "is no selector" : "names no function of the table");
		return -EINVAL;
	}
	for (uint32_t i = 0; i < FAULT_ROWS; i++) {
		if (!taken[i])
			continue;
		if (cuaudit_row_get(i, &function) || find(condition, &function, name))
			return -EINVAL;
		possible |= may_hold(condition, condition->places[i].kind);
	}
	return possible ? 0 : -ERANGE;
}

static const struct {
	char text[3];
	uint8_t relation;
} relations[] = {
	{ "==", FAULT_EQUAL }, { "!=", FAULT_NOT_EQUAL }, { "<=", FAULT_AT_MOST },
	{ ">=", FAULT_AT_LEAST }, { "<", FAULT_LESS }, { ">", FAULT_MORE }, { "&", FAULT_BITS },
};

/* The relation at text, and past it; 0 or -EINVAL. */
static int read_relation(char **text, enum fault_relation *relation)
{
	for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
		size_t length = strlen(relations[i].text);

		if (strncmp(*text, relations[i].text, length))
			continue;
		*relation = relations[i].relation;
		*text += length;
		return 0;
	}
	return -EINVAL;
}

int fault_condition_read(struct fault_condition *condition, char *text, const char *selector)
{
	char *end = text + strcspn(text, "=!<>&"), *value = end, first = *end;
	int error;

	memset(condition, 0, sizeof(*condition));
	if (end == text || read_relation(&value, &condition->relation))
		goto bad;
	condition->negative = *value == '-';
	if (fault_number_size(value + condition->negative, &condition->value) ||
	    (condition->negative && condition->value > (uint64_t)INT64_MAX + 1))
		goto bad;
	if (condition->negative)
		condition->value = -condition->value;
	*end = '\0';
	error = find_all(condition, text, selector);
	*end = first;
	if (error != -ERANGE)
		return error;
	cuaudit_log(CUAUDIT_ERROR, "fault: if=%s never holds: no value of its type is so", text);
	return -EINVAL;
bad:
	cuaudit_log(CUAUDIT_ERROR, "fault: if takes PARAMETER, one of == != < <= > >= & and a "
		    "number with k, M or G, not '%s'", text);
	return -EINVAL;
}

bool fault_condition_holds(const struct fault_condition *condition,
			   const struct cuaudit_call *call)
{
	int32_t id = call->function->id;
	uint8_t kind = id < 0 ? 0 : condition->places[id].kind;
	uint64_t left, right, order;

	if (!kind)
		return false;
	left = cut(call->words[condition->places[id].word], kind);
	right = condition->value;
	if (condition->negative && !(kind & SIGNED))
		right = cut(right, kind);
	order = order_of(kind);
	switch (condition->relation) {
	case FAULT_EQUAL:
		return left == right;
	case FAULT_NOT_EQUAL:
		return left != right;
	case FAULT_LESS:
		return (left ^ order) < (right ^ order);
	case FAULT_AT_MOST:
		return (left ^ order) <= (right ^ order);
	case FAULT_MORE:
		return (left ^ order) > (right ^ order);
	case FAULT_AT_LEAST:
		return (left ^ order) >= (right ^ order);
	case FAULT_BITS:
		return left & right;
	}
	return false;
}
