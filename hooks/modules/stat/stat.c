/* SPDX-License-Identifier: Apache-2.0 */
/* The stat hook: how often each function was called, with what answer, for how long. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <cuaudit/range.h>
#include <cuaudit/stat.h>

#include "hooks/modules/stat/stat_cell.h"
#include "hooks/modules/stat/stat_fast_path.h"
#include "hooks/modules/stat/stat_print.h"
#include "hooks/modules/stat/stat_store.h"
#include "hooks/modules/stat/stat_thread.h"
#include "tables/query.h"
#include "util/io.h"

enum {
	PAIRS = 64,
	READS = 1000000
};

static const struct cuaudit_option options[] = {
	{ "format", "text", "text|json|prometheus|openmetrics", "how the report is written" },
	{ "clock", "yes", "yes|no", "no: calls are counted, neither timed nor judged" },
	{ "fail", "no", "no|errors", "end with status 88 if a call's result was an error" },
	{ "in-range", NULL, "GLOB", "only calls in NVTX ranges of such a name" },
	{ "interval", NULL, "SECONDS", "also report every so many seconds" },
	{ "libraries", "yes", "yes|no", "no: metrics are by function alone" },
	{ "print", "yes", "yes|no", "no: the saved file is all there is, for cuaudit report" },
	{ "run", "0", "N", "the number of the run that saved files are of" },
	{ "save", "auto", "auto|no|PATH", "a file that outlives a process that is killed" },
	{ "threads", "16", "N", "threads with a line of their own, 0 to 1000" },
	{ NULL, NULL, NULL, NULL }
};

/* Apart, and called last, so that the common case saves no register. */
static __attribute__((noinline))
void record_slowly(const struct cuaudit_call *call, const void *data)
{
	struct cuaudit_stat_cell *cell = stat_cell_find(call);

	if (cell)
		stat_cell_record(cell, call->caller, call->end - call->start, cuaudit_call_status(call),
				 data);
}

static __attribute__((hot)) void timed_exit(struct cuaudit_call *call, void *data)
{
	struct cuaudit_stat_cell *cell = stat_cell(call);

	if (__builtin_expect(!cell, 0))
		record_slowly(call, data);
	else
		stat_cell_record(cell, call->caller, call->end - call->start, cuaudit_call_status(call),
				 data);
}

static __attribute__((noinline)) int count_slowly(const struct cuaudit_call *call)
{
	struct cuaudit_stat_cell *cell = stat_cell_find(call);

	if (cell)
		stat_cell_add(&cell->calls, 1);
	return CUAUDIT_CONTINUE;
}

static __attribute__((hot)) int count_enter(struct cuaudit_call *call, void *data)
{
	struct cuaudit_stat_cell *cell = stat_cell(call);

	(void)data;
	if (__builtin_expect(!cell, 0))
		return count_slowly(call);
	stat_cell_add(&cell->calls, 1);
	return CUAUDIT_CONTINUE;
}

/* A call that another hook answered is not the driver's. */
static void answered(const struct cuaudit_call *call)
{
	struct cuaudit_stat_cell *cell = stat_cell(call);

	if (!cell)
		cell = stat_cell_find(call);
	if (cell)
		stat_cell_add(&cell->answered, 1);
}

static int in_range = -1;	/* a selector of ranges, or -1 for all calls */

static void timed_exit_in_range(struct cuaudit_call *call, void *data)
{
	if (cuaudit_call_in_range(call, in_range))
		timed_exit(call, data);
}

static int count_enter_in_range(struct cuaudit_call *call, void *data)
{
	return cuaudit_call_in_range(call, in_range) ? count_enter(call, data) : CUAUDIT_CONTINUE;
}

static void answered_in_range(const struct cuaudit_call *call)
{
	if (cuaudit_call_in_range(call, in_range))
		answered(call);
}

static int add_hook(const char *functions, cuaudit_enter_fn enter, cuaudit_exit_fn leave, int waits)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.name = "stat",
		.functions = functions,
		.enter = enter,
		.exit = leave,
		.data = (void *)(intptr_t)waits,
		.flags = CUAUDIT_HOOK_PROVIDERS | (leave ? CUAUDIT_HOOK_TIMED : CUAUDIT_HOOK_OBSERVES)
	};

	if (in_range >= 0)
		return stat_fast_add_plain(&hook, answered_in_range);
	return leave ? stat_fast_add(&hook, answered) : stat_fast_add_counter(&hook, answered);
}

static int add_hooks(int timed)
{
	cuaudit_exit_fn leave = in_range >= 0 ? timed_exit_in_range : timed_exit;
	int error;

	if (!timed)
		return add_hook(NULL, in_range >= 0 ? count_enter_in_range : count_enter, NULL, 0);
	error = add_hook("*" QUERY_WORD "*", NULL, leave, QUERY_NOT_READY);
	return error ? error : add_hook("!*" QUERY_WORD "*", NULL, leave, STAT_NEVER);
}

/* Digits with at most one point among them, in thousandths; -1 if it is none. */
static int64_t thousandths(const char *text)
{
	int64_t value = 0;
	int decimals = -1, digits = 0;

	for (; *text; text++) {
		if (*text == '.' && decimals < 0) {
			decimals = 0;
			continue;
		}
		if (*text < '0' || *text > '9' || value > 1000000000)
			return -1;
		digits++;
		if (decimals < 3)
			value = value * 10 + (*text - '0');
		if (decimals >= 0 && decimals < 3)
			decimals++;
	}
	for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
		value *= 10;
	return digits ? value : -1;
}

/* 0, or 1 after a message: there are no reports in between then. */
static int read_interval(const char *text, uint64_t *ns)
{
	int64_t value = text ? thousandths(text) : 0;

	*ns = value < 0 ? 0 : (uint64_t)value * 1000000;
	if (*ns || !text)
		return 0;
	cuaudit_log(CUAUDIT_WARN, "stat: interval takes seconds such as 10 or 0.5, from 0.001, none if "
		    "not given, not '%s'", text);
	return 1;
}

/* 0, or 1 after a message. */
static int read_threads(const char *text, uint32_t *threads)
{
	int64_t value = thousandths(text);

	*threads = 16;
	if (value >= 0 && value % 1000 == 0 && value / 1000 <= STAT_THREADS_MAX) {
		*threads = (uint32_t)(value / 1000);
		return 0;
	}
	cuaudit_log(CUAUDIT_WARN, "stat: threads takes a number from 0 to %d, 16 if not given, not "
		    "'%s'", STAT_THREADS_MAX, text);
	return 1;
}

/* 0, or 1 after a message. */
static int read_run(const char *text, uint64_t *run)
{
	int good = *text != 0;

	*run = 0;
	for (const char *at = text; *at; at++)
		good &= *at >= '0' && *at <= '9' && !__builtin_mul_overflow(*run, 10, run) &&
			!__builtin_add_overflow(*run, (uint64_t)(*at - '0'), run);
	if (good)
		return 0;
	cuaudit_log(CUAUDIT_WARN, "stat: run takes a number, 0 if not given, not '%s'", text);
	*run = 0;
	return 1;
}

/* A value that the table above has. */
static enum stat_format format(const char *text)
{
	return *text == 'j' ? STAT_JSON : *text == 'p' ? STAT_PROMETHEUS :
	       *text == 'o' ? STAT_OPENMETRICS : STAT_TEXT;
}

/*
 * The same of a clock that often stands still between two reads: by how many
 * reads there are from one step to the next, and at least 1. 0: no step came.
 */
static uint32_t coarse_clock_pair(void)
{
	uint64_t begin = cuaudit_ticks(), from = 0, now = begin;
	uint32_t reads, first = 0;

	for (reads = 1; reads < READS; reads++) {
		now = cuaudit_ticks();
		if (!first && now != begin) {
			first = reads;
			from = now;
		} else if (first && now != from) {
			break;
		}
	}
	return reads == READS || now < from ? 0 :
	       (uint32_t)((now - from + reads - first - 1) / (reads - first));
}

/* What a timed call costs in clock reads; the least of many is it. */
static uint32_t clock_pair(void)
{
	uint64_t least = UINT32_MAX;

	for (int i = 0; i < PAIRS; i++) {
		uint64_t before = cuaudit_ticks(), ticks = cuaudit_ticks() - before;

		if (ticks < least)
			least = ticks;
	}
	return least ? (uint32_t)least : coarse_clock_pair();
}

static void describe(struct cuaudit_stat_header *header, int timed)
{
	header->version = CUAUDIT_STAT_VERSION;
	header->order = CUAUDIT_STAT_ORDER;
	header->segment = CUAUDIT_STAT_SEGMENT;
	header->flags = timed ? CUAUDIT_STAT_TIMED : 0;
	header->clock_source = cuaudit_clock.source;
	header->clock_mult = cuaudit_clock.mult;
	header->clock_shift = cuaudit_clock.shift;
	header->clock_pair = timed ? clock_pair() : 0;
	header->clock_hz = cuaudit_clock.hz;
	header->start_ns = cuaudit_clock.start_ns;
	if (readlink("/proc/thread-self/exe", header->program, sizeof(header->program) - 1) < 0)
		strcpy(header->program, "(unknown program)");
	if (cuaudit_path("%h", "", header->host, sizeof(header->host)))
		header->host[0] = '\0';
	header->rank = (uint32_t)(cuaudit_rank() + 1);
}

static void process_exit(int status, int by_exit)
{
	struct cuaudit_stat_header *header = stat_store_header();

	if (!header)
		return;
	__atomic_store_n(&header->status, (uint32_t)status, __ATOMIC_RELAXED);
	__atomic_store_n(&header->ending, by_exit ? CUAUDIT_STAT_BY_EXIT : CUAUDIT_STAT_BY_QUIT,
			 __ATOMIC_RELEASE);
}

const struct cuaudit_module stat_module;
static int silent;

static struct stat_print print;
static uint64_t run_number;

static int read_range(const char *glob)
{
	in_range = glob ? cuaudit_range_selector(glob) : -1;
	if (!glob || in_range >= 0)
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "stat: in-range takes a glob over the names of ranges, not '%s'", glob);
	return -ECANCELED;
}

/* Without a clock nothing is judged. */
static int read_fail(const struct cuaudit_options *given)
{
	print.fail = !strcmp(cuaudit_option_get(given, "fail"), "errors");
	if (!print.fail || !strcmp(cuaudit_option_get(given, "clock"), "yes"))
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "stat: fail=errors takes results, which clock=no leaves out; give "
		    "one of both");
	return -ECANCELED;
}

/* Nothing would be left of a run that is neither printed nor saved. */
static int read_save(const struct cuaudit_options *given)
{
	const char *save = cuaudit_option_get(given, "save");
	bool none = !strcmp(save, "no");
	char path[PATH_MAX] = "";

	if (!strcmp(save, "auto")) {
		none = cuaudit_output_path(".part", path, sizeof(path)) == -ENOENT ||
		       io_type(path) == S_IFCHR;
	} else if (!none && io_type(save) == S_IFCHR) {
		cuaudit_log(CUAUDIT_ERROR, "stat: save takes the path of a file, not '%s'", save);
		return -ECANCELED;
	}
	if (!print.silent || !none)
		return 0;
	cuaudit_log(CUAUDIT_ERROR,
		    "stat: with print=no the saved file is all there is, and none is saved: "
		    "give save=PATH, or set CUAUDIT_OUTPUT to one of a file");
	return -ECANCELED;
}

static int check(const struct cuaudit_options *given)
{
	int error = read_range(cuaudit_option_get(given, "in-range"));

	print.silent = !strcmp(cuaudit_option_get(given, "print"), "no");
	error = error ?: read_fail(given) ?: read_save(given);
	if (error)
		return error;
	print.format = format(cuaudit_option_get(given, "format"));
	print.libraries = !strcmp(cuaudit_option_get(given, "libraries"), "yes");
	error = read_threads(cuaudit_option_get(given, "threads"), &print.threads);
	error |= read_run(cuaudit_option_get(given, "run"), &run_number);
	return read_interval(cuaudit_option_get(given, "interval"), &print.interval_ns) || error;
}

static int init(const struct cuaudit_options *given)
{
	int timed = !strcmp(cuaudit_option_get(given, "clock"), "yes");
	struct cuaudit_stat_header header = { .version = 0 };
	int error;

	describe(&header, timed);
	header.run = run_number;
	error = stat_store_setup(cuaudit_option_get(given, "save"), &header);
	if (!error)
		error = stat_cell_setup(&stat_module, timed, print.threads);
	if (!error)
		error = add_hooks(timed);
	if (error) {
		stat_store_finish();
		return error;
	}
	silent = print.silent;
	stat_print_setup(&print);
	return 0;
}

static void finish(void)
{
	if (stat_print_finish())
		stat_store_finish();
	else
		stat_store_keep(silent);
}

static void forked(void)
{
	stat_store_forked();
	stat_cell_forked();
	stat_print_forked();
}

static void thread_exit(void *block)
{
	stat_cell_thread_exit(block);
}

const struct cuaudit_module stat_module = {
	.size = sizeof(stat_module), .abi = CUAUDIT_ABI, .name = "stat",
	.summary = "calls, errors and times of each driver function, printed at exit",
	.options = options, .init = init, .finish = finish, .forked = forked,
	.thread_exit = thread_exit, .process_exit = process_exit, .check = check,
	.enforces = "fail",
};
