/* SPDX-License-Identifier: Apache-2.0 */
/* When the trace starts and stops. */
#include "hooks/modules/trace/trace_trigger.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>
#include <cuaudit/trace.h>

#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_options.h"
#include "hooks/modules/trace/trace_writer.h"

enum { LIST = 1024 };

enum watch {
	OFF = 1,	/* nothing is written now; see trace_trigger_is_off */
	TIME = 2,	/* the time has to be looked at */
	WAITING = 4	/* for a call of a number, which has not come */
};

static struct trigger {
	const char *name;	/* of the option */
	const char *given;
	char functions[LIST];
	uint64_t number;	/* of the call, from 1; 0: each */
	uint64_t ns;		/* after the first call */
	bool timed;
	_Atomic uint64_t calls;
	_Atomic bool fired;	/* the time once, others as often as they come */
} start = { .name = "start" }, stop = { .name = "stop" };

uint32_t trace_trigger_watch;
static _Atomic uint64_t first;	/* the end of the first call */

static const char start_markers[] =
#define START(symbol) "=" #symbol ","
#include "hooks/modules/trace/trace_driver.def"
	"";
static const char stop_markers[] =
#define STOP(symbol) "=" #symbol ","
#include "hooks/modules/trace/trace_driver.def"
	"";

static void mark(const struct trigger *trigger, const struct cuaudit_call *call)
{
	const struct trace_writer *writer = call->blocks[trace_writer_key];
	size_t name = strlen(trigger->name), given = trace_describe_size(trigger->given);
	struct cuaudit_trace_mark *record;
	struct trace_lock saved;
	uint32_t why;

	trace_lock(&saved);
	record = trace_describe(sizeof(*record), name + 1 + given, &why);
	if (record) {
		char *text = (char *)(record + 1);

		record->ticks = cuaudit_ticks();
		record->thread = writer ? writer->number : 0;
		memcpy(text, trigger->name, name);
		text[name] = '=';
		trace_describe_text(text + name + 1, trigger->given, given);
		trace_describe_publish(record, CUAUDIT_TRACE_MARK);
	}
	trace_unlock(&saved);
}

static bool marks;	/* there is a file for them */

static void fire(struct trigger *trigger, const struct cuaudit_call *call)
{
	uint32_t was;

	atomic_store_explicit(&trigger->fired, true, memory_order_relaxed);
	if (trigger == &start)
		was = __atomic_fetch_and(&trace_trigger_watch, ~(uint32_t)OFF, __ATOMIC_RELAXED);
	else
		was = ~__atomic_fetch_or(&trace_trigger_watch, OFF, __ATOMIC_RELAXED);
	if (was & OFF && marks)
		mark(trigger, call);
}

static uint64_t count(struct trigger *trigger)
{
	return 1 + atomic_fetch_add_explicit(&trigger->calls, 1, memory_order_relaxed);
}

/* Whoever comes behind the call that it waits for does not wait until that one's thread goes on. */
static void fire_once(struct trigger *trigger, const struct cuaudit_call *call)
{
	uint32_t was = __atomic_load_n(&trace_trigger_watch, __ATOMIC_RELAXED);

	do
		if (!(was & WAITING))
			return;
	while (!__atomic_compare_exchange_n(&trace_trigger_watch, &was,
					    was & ~(uint32_t)(OFF | WAITING), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	atomic_store_explicit(&trigger->fired, true, memory_order_relaxed);
	if (marks)
		mark(trigger, call);
}

/* A time for stop= that came before start= ends nothing, whether a call was made at it or not. */
static void pass_stop(void)
{
	uint64_t begun = first;

	if (stop.timed && begun && trace_trigger_is_off() && cuaudit_clock_ns(cuaudit_ticks() - begun) >= stop.ns)
		atomic_store_explicit(&stop.fired, true, memory_order_relaxed);
}

static int on_enter(struct cuaudit_call *call, void *data)
{
	struct trigger *trigger = data;

	pass_stop();
	if (!trigger->number)
		fire(trigger, call);
	else if (count(trigger) >= trigger->number)
		fire_once(trigger, call);
	return CUAUDIT_CONTINUE;
}

static void on_exit(struct cuaudit_call *call, void *data)
{
	struct trigger *trigger = data;

	if (!trigger->number || count(trigger) == trigger->number)
		fire(trigger, call);
}

static bool is_due(struct trigger *trigger, uint64_t ns)
{
	bool before = false;

	return trigger->given && trigger->timed && ns >= trigger->ns &&
	       atomic_compare_exchange_strong(&trigger->fired, &before, true);
}

bool trace_trigger_takes(const struct cuaudit_call *call, uint64_t ticks)
{
	uint64_t begun = 0, ns;

	if (trace_trigger_watch & TIME) {
		if (atomic_compare_exchange_strong(&first, &begun, ticks))
			begun = ticks;
		ns = (int64_t)(ticks - begun) > 0 ? cuaudit_clock_ns(ticks - begun) : 0;
		if (is_due(&start, ns))
			fire(&start, call);
		if (is_due(&stop, ns))
			fire(&stop, call);
	}
	return !trace_trigger_is_off();
}

/* Cuts ":N" off; each call if marker, else the first one if there is none. */
static int read_functions(struct trigger *trigger, const char *markers)
{
	const char *text = trigger->given, *colon = strrchr(text, ':'), *at;
	size_t length = strlen(text);

	trigger->number = 1;
	if (!strcmp(text, "marker")) {
		trigger->number = 0;
		text = markers;
		length = strlen(markers) - 1;
	} else if (colon && colon[1]) {
		for (at = colon + 1; *at >= '0' && *at <= '9'; at++)
			;
		if (!*at && at - colon >= 19)
			return -EINVAL;
		if (!*at) {
			length = (size_t)(colon - text);
			trigger->number = 0;
			for (at = colon + 1; *at; at++)
				trigger->number = 10 * trigger->number + (uint64_t)(*at - '0');
		}
	}
	if (!length || (!trigger->number && markers != text))
		return -EINVAL;
	if (length >= sizeof(trigger->functions))
		return -EINVAL;
	memcpy(trigger->functions, text, length);
	return 0;
}

static int read_trigger(struct trigger *trigger, const char *given, const char *markers)
{
	char name[32] = "trace: ";

	trigger->given = given;
	trigger->timed = given && !trace_options_time(given, &trigger->ns);
	if (!given || trigger->timed)
		return 0;
	if (read_functions(trigger, markers)) {
		cuaudit_log(CUAUDIT_ERROR, "trace: %s takes SELECTOR[:N], a time such as 5s, or "
			    "marker, not '%s'", trigger->name, given);
		return -ECANCELED;
	}
	return cuaudit_selector_check(strcat(name, trigger->name), trigger->functions) ?
	       -ECANCELED : 0;
}

int trace_trigger_read(const char *starts, const char *stops)
{
	int error = read_trigger(&start, starts, start_markers);

	if (!error)
		error = read_trigger(&stop, stops, stop_markers);
	if (start.timed && stop.timed && stop.ns < start.ns)
		stop.given = NULL;
	return error;
}

static int set_up(struct trigger *trigger, int32_t priority)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .priority = priority, .name = "trace",
		.functions = trigger->functions, .data = trigger,
		.flags = CUAUDIT_HOOK_OBSERVES | CUAUDIT_HOOK_PROVIDERS,
	};

	if (!trigger->given)
		return 0;
	if (trigger->timed) {
		trace_trigger_watch |= TIME;
		return 0;
	}
	if (trigger == &start)
		hook.enter = on_enter;
	else
		hook.exit = on_exit;
	return cuaudit_hook_add(&hook);
}

int trace_trigger_setup(int32_t priority, bool has_file)
{
	int error = set_up(&start, priority);

	if (!error)
		error = set_up(&stop, priority);
	marks = has_file;
	if (start.given)
		trace_trigger_watch |= start.number ? OFF | WAITING : OFF;
	return error;
}

void trace_trigger_report(void)
{
	if (!start.given || start.fired)
		return;
	if (start.number > 1)
		cuaudit_log(CUAUDIT_WARN, "trace: start=%s never came, there were %llu such calls; "
			    "nothing is written", start.given, (unsigned long long)start.calls);
	else
		cuaudit_log(CUAUDIT_WARN, "trace: start=%s never came; nothing is written",
			    start.given);
}

void trace_trigger_forked(void)
{
	first = 0;
	start.calls = stop.calls = 0;
	start.fired = stop.fired = false;
	trace_trigger_watch &= ~(uint32_t)(OFF | WAITING);
	if (start.given)
		trace_trigger_watch |= start.number ? OFF | WAITING : OFF;
}
