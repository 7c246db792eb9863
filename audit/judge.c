/* SPDX-License-Identifier: Apache-2.0 */
/* Reports what is wrong in the environment, and ends a process that must not run with it. */
#include "audit/judge.h"

#include "audit/env.h"
#include "audit/filter.h"
#include "audit/message.h"
#include "audit/object.h"
#include "audit/provider.h"
#include "audit/sys.h"
#include "audit/unchecked.h"
#include "util/check_mark.h"
#include "util/nearest.h"
#include "util/policy.h"

#define PREFIX "CUAUDIT_"

enum { STRICT_STATUS = 85, SHOWN = 80 };

static const struct link_environment *values;
static bool strict;	/* CUAUDIT_STRICT is 1 or check, or is meant to be */
static bool lax;	/* it is 0 */
static bool asks;	/* it is check, by the command */

/* A name or a value as messages have it: its beginning, if it is long. */
static const char *shown(const char *from, size_t length, char text[SHOWN])
{
	size_t kept = length < SHOWN ? length : SHOWN - 1;

	for (size_t i = 0; i < kept; i++)
		text[i] = kept == length || i < kept - 3 ? from[i] : '.';
	text[kept] = '\0';
	return text;
}

static const char *shown_value(int i, char text[SHOWN])
{
	return shown(env_given.values[i], sys_strlen(env_given.values[i]), text);
}

/* Whether what follows ends the process. */
static bool stops(bool policy)
{
	return strict || (policy && !lax);
}

/* Whether it is reported at all. */
static bool reported(bool policy)
{
	return stops(policy) || !sys_equal(values->log, "error");
}

/* Not of who asks about the settings alone: no program is run. */
static void leave_unchecked(void)
{
	if (!asks)
		unchecked_leave(values->check, CHECK_MARK_UNCHECKED);
}

static void end(bool policy)
{
	if (!stops(policy))
		return;
	leave_unchecked();
	sys_exit(STRICT_STATUS);
}

static void report_unknown(const char *entry)
{
	static const char *const names[] = {
#define VARIABLE(name, field, kind, fallback, values, summary) #name,
#include <cuaudit/variables.def>
#undef VARIABLE
		NULL
	};
	char name[SHOWN];
	size_t prefix = env_own_name(entry), length;
	const char *near;
	bool policy;

	for (length = prefix; entry[length] && entry[length] != '=';)
		length++;
	near = nearest(entry + prefix, length - prefix, names);
	policy = policy_in(entry) || (near && sys_equal(near, "STRICT"));
	if (!reported(policy))
		return;
	shown(entry, length, name);
	if (near && !entry[length] && sys_equal(entry + prefix, near) && sys_starts(entry, PREFIX))
		message_say(name, " is in the environment without '=' and a value; set it or remove it",
			    NULL);
	else if (near)
		message_say(name, " is no variable of cuaudit; did you mean " PREFIX, near, "?", NULL);
	else
		message_say(name, " is no variable of cuaudit; see libcuaudit(7)", NULL);
	end(policy);
}

static void report_more(uint32_t count)
{
	char digits[12];
	size_t used = 0;

	for (uint32_t unit = 1000000000; unit; unit /= 10)
		if (used || count >= unit)
			digits[used++] = (char)('0' + count / unit % 10);
	digits[used] = '\0';
	message_say("and ", digits, " more unknown variables", NULL);
}

static void report_value(int i)
{
	const struct env_variable *variable = &env_variables[i];
	const char *fallback = *variable->fallback ? variable->fallback : "empty";
	bool globs = variable->kind == ENV_GLOBS || variable->kind == ENV_PROVIDERS;
	const char *more = globs ? ", with colons between," : ",", *why, *name;
	char value[SHOWN];

	if (!reported(false))
		return;
	name = variable->kind == ENV_PROVIDERS ? provider_refused(env_given.values[i], &why) : NULL;
	if (name) {
		message_say(PREFIX, variable->name, ": '", shown_value(i, value), "' takes ", name, ", which ",
			    why, "; name other libraries", strict ? "" : "; none is hooked now", NULL);
		end(false);
		return;
	}
	message_say(PREFIX, variable->name, " takes ", variable->values, more, " not '",
		shown_value(i, value), strict ? "'" : "'; it is ", strict ? "" : fallback,
		strict ? "" : " now", NULL);
	end(false);
}

static void report_repeated(int i)
{
	const struct env_variable *variable = &env_variables[i];
	bool policy = policy_in(env_given.values[i]);
	char value[SHOWN];

	if (!reported(policy))
		return;
	message_say(PREFIX, variable->name, " is set more than once, to different values; give one",
		stops(policy) ? "" : "; it is '",
		stops(policy) ? "" : shown_value(i, value),
		stops(policy) ? "" : "' now", NULL);
	end(policy);
}

/* A driver that is not there is the loader's to report, if the program goes on. */
static void report_driver(void)
{
	const char *driver = values->driver;

	if (!strict || sys_basename(driver) == driver ||
	    (sys_exists(driver) && !sys_is_fifo(driver)))
		return;
	message_say(PREFIX "DRIVER takes sim or the path of a driver; ", driver, " cannot be read",
		NULL);
	end(false);
}

static void report_environment(void)
{
	for (int i = 0; i < ENV_VARIABLES; i++) {
		enum env_kind kind = env_variables[i].kind;

		/* Those of a driver it, or the loader, reports. */
		if (env_given.refused & 1u << i &&
		    (strict || (kind != ENV_BYTES && kind != ENV_NUMBER && kind != ENV_DRIVER)))
			report_value(i);
		if (env_given.repeated & 1u << i)
			report_repeated(i);
	}
	for (uint32_t i = 0; i < env_given.nunknown && i < ENV_UNKNOWN; i++)
		report_unknown(env_given.unknown[i]);
	if (env_given.nunknown > ENV_UNKNOWN && reported(false))
		report_more(env_given.nunknown - ENV_UNKNOWN);
	report_driver();
}

void judge_start(struct link_table *table, bool trial)
{
	const struct link_environment *environment = &table->environment;
	const char *given = env_given.values[ENV_INDEX_STRICT];
	bool check = sys_equal(environment->strict, "check");

	values = environment;
	asks = check && trial;
	lax = sys_equal(environment->strict, "0");
	strict = given && !lax;
	table->report_environment = report_environment;
	table->leave_unchecked = leave_unchecked;
	if (!strict)
		return;
	if (env_disabled && policy_in(environment->hooks)) {
		message_say(PREFIX "DISABLE=1 switches off what " PREFIX "HOOKS enforces; unset one",
			NULL);
		end(true);
	}
	if (check)
		env_disabled = false;
	if (!env_disabled)
		report_environment();
}

void judge_no_providers(void)
{
	if (!reported(false))
		return;
	message_say(PREFIX "PROVIDERS: no function of these libraries is hooked: their bindings are reported "
		    "from glibc 2.35 on, to the first of LD_AUDIT", NULL);
	end(false);
}

void judge_replaced(void)
{
	if (!asks && values->check[0] && !check_mark_has(values->hooks, values->check))
		unchecked_leave(values->check, CHECK_MARK_REPLACED);
}

void judge_disabled(void)
{
	static bool reported;

	unchecked_leave(values->check, CHECK_MARK_UNCHECKED);
	if (reported || lax || !policy_in(values->hooks))
		return;
	reported = true;
	message_say(PREFIX "DISABLE=1: what " PREFIX "HOOKS enforces does not hold here", NULL);
}

/* A library that was excluded and came by a function, or NULL. */
static const struct link_object *excluded(void)
{
	for (uint32_t i = 0; i < LINK_BINDINGS; i++) {
		uint64_t key = atomic_load_explicit(&object_table.bindings[i].key,
						    memory_order_relaxed);

		if (key && (key - 1) & LINK_REAL)
			return link_object(&object_table, (uint32_t)(key >> 32));
	}
	return NULL;
}

bool judge_unmatched(void)
{
	uint32_t count = atomic_load_explicit(&object_table.nobjects, memory_order_acquire);

	if (!values || env_disabled || !values->include[0] || policy_in(values->hooks) ||
	    !reported(false) || !excluded())
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct link_object *object = link_object(&object_table, i);

		if (filter_list(values->include, object->path, object->flags & LINK_OBJECT_MAIN))
			return false;
	}
	return true;
}

void judge_excluded(const struct link_object *library)
{
	static _Atomic bool reported;

	if (!env_disabled)
		unchecked_leave(values->check, CHECK_MARK_UNCHECKED);
	if (env_disabled || lax || !policy_in(values->hooks) ||
	    atomic_load_explicit(&object_table.attach, memory_order_relaxed) ||
	    atomic_exchange_explicit(&reported, true, memory_order_relaxed))
		return;
	message_say(library->path, " is given the driver itself, by " PREFIX "INCLUDE or " PREFIX
		"EXCLUDE; it is not held to what " PREFIX "HOOKS enforces", NULL);
}

void judge_uncounted(const char *path)
{
	if (!values || env_disabled || lax || !policy_ends_uncounted(values->hooks))
		return;
	message_say("limit: not all calls are held to it: ", path, " is not intercepted; the process ends, "
		    "on-error=run would let it go on", NULL);
	leave_unchecked();
	sys_exit(STRICT_STATUS);
}

const char *judge_unaudited(void)
{
	if (stops(policy_in(values->hooks)))
		return policy_in(values->hooks) ?
			       "nothing is audited, and what " PREFIX "HOOKS enforces would not hold: "
			       "the process ends with status 85; " PREFIX "STRICT=0 would let it run" :
			       "nothing is audited: the process ends with status 85, as " PREFIX
			       "STRICT asks";
	return "nothing is audited";
}

void judge_end_unaudited(void)
{
	unchecked_leave(values->check, CHECK_MARK_UNCHECKED);
	end(policy_in(values->hooks));
}
