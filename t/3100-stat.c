/* SPDX-License-Identifier: Apache-2.0 */
/* The stat module alone: threads, signals, options, what it counts. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/modules/stat/stat_fail.h"
#include "hooks/modules/stat/stat_store.h"
#include "t/stat/check.h"
#include "t/stat/fake.h"
#include "t/tap.h"

enum { THREADS = 16, CALLS = 3000, SHORT = 20000, SIGNALS = 5000, NOT_READY = 600 };

extern const struct cuaudit_module stat_module;

static pthread_barrier_t done, reported;

/* Each thread: each function from two libraries in turn, every third call wrong. */
static void *work(void *stays)
{
	for (int i = 0; i < CALLS; i++)
		for (uint32_t f = 0; f < FAKE_FUNCTIONS; f++)
			fake_call(f, f % 2 + (uint32_t)i % 2, i % 3 ? 0 : NOT_READY, NULL);
	if (stays) {
		pthread_barrier_wait(&done);
		pthread_barrier_wait(&reported);
	}
	return NULL;
}

static int check_sums(const struct report *report)
{
	int failed = check_u64("all calls", report->counts.calls,
			       (uint64_t)THREADS * CALLS * FAKE_FUNCTIONS);

	failed += check_u64("functions", report->nrows, FAKE_FUNCTIONS);
	for (uint32_t f = 0; f < FAKE_FUNCTIONS; f++) {
		const struct report_row *row = check_row(report->rows, report->nrows,
							 fake_functions[f].name);
		uint64_t wrong = THREADS * CALLS / 3;

		failed += check_u64("calls", row->times.calls, THREADS * CALLS);
		failed += check_u64("errors", row->times.errors, f == FAKE_QUERY ? 0 : wrong);
		failed += check_u64("not ready", row->times.not_ready, f == FAKE_QUERY ? wrong : 0);
		failed += check_u64("order", row->times.min <= row->times.p50 &&
				    row->times.p50 <= row->times.p99 && row->times.p99 <= row->times.max &&
				    row->times.min <= row->times.avg && row->times.avg <= row->times.max, 1);
	}
	return failed;
}

static int check_libraries(const struct report *report)
{
	uint64_t calls[FAKE_LIBRARIES] = { 0 };
	int failed = check_u64("libraries", report->nlibraries, 3);

	for (size_t i = 0; i < report->nlibraries; i++)
		for (int l = 0; l < FAKE_LIBRARIES; l++)
			if (!strcmp(report->libraries[i].path, fake_libraries[l].path))
				calls[l] = report->libraries[i].counts.calls;
	failed += check_u64("first library", calls[0], THREADS * CALLS * FAKE_FUNCTIONS / 4);
	failed += check_u64("second library", calls[1], THREADS * CALLS * FAKE_FUNCTIONS / 2);
	failed += check_u64("third library", calls[2], THREADS * CALLS * FAKE_FUNCTIONS / 4);
	return failed;
}

static int threads(void)
{
	pthread_t ids[THREADS];
	struct report report;
	int failed;

	if (fake_start(&stat_module, ""))
		return 1;
	pthread_barrier_init(&done, NULL, THREADS / 2 + 1);
	pthread_barrier_init(&reported, NULL, THREADS / 2 + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, work, i % 2 ? &done : NULL);
	for (int i = 0; i < THREADS; i += 2)
		pthread_join(ids[i], NULL);
	pthread_barrier_wait(&done);
	check_report(&report);
	failed = check_sums(&report) + check_libraries(&report);
	failed += check_u64("thread rows", report.threads.count, THREADS);
	for (size_t i = 0; i < report.threads.count; i++)
		failed += check_u64("calls of a thread", report.threads.rows[i].counts.calls,
				    CALLS * FAKE_FUNCTIONS);
	failed += check_u64("other threads", report.threads.nothers, 0);
	report_free(&report);
	pthread_barrier_wait(&reported);
	for (int i = 1; i < THREADS; i += 2)
		pthread_join(ids[i], NULL);
	check_report(&report);
	failed += check_sums(&report) + check_libraries(&report);
	report_free(&report);
	return failed;
}

static void *few_calls(void *unused)
{
	(void)unused;
	for (uint32_t f = 0; f < 5; f++)
		fake_call(f, 1, 0, NULL);
	return NULL;
}

static int short_threads(void)
{
	const struct segment *segments;
	struct report report;
	int failed = 0;

	if (fake_start(&stat_module, "threads=4"))
		return 1;
	for (int i = 0; i < SHORT; i++) {
		pthread_t id;

		if (pthread_create(&id, NULL, few_calls, NULL) || pthread_join(id, NULL))
			return 1;
	}
	failed += check_u64("segments", stat_store_segments(&segments), 1);
	check_report(&report);
	failed += check_u64("calls", report.counts.calls, SHORT * 5);
	failed += check_u64("thread rows", report.threads.count, 4);
	failed += check_u64("other threads", report.threads.nothers, SHORT - 4);
	failed += check_u64("their calls", report.threads.others.counts.calls, (SHORT - 4) * 5);
	report_free(&report);
	return failed;
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	(void)signal;
	for (uint32_t f = 0; f < FAKE_FUNCTIONS; f++)
		fake_call(f, (uint32_t)handled % FAKE_LIBRARIES, 0, NULL);
	handled++;
}

static volatile int signalled;

static void *signaller(void *target)
{
	for (int i = 0; i < SIGNALS; i++) {
		pthread_kill(*(pthread_t *)target, SIGUSR1);
		while (handled == i)
			sched_yield();
	}
	signalled = 1;
	return NULL;
}

/* On x86-64 no call is lost even where the handler hits the same cell. */
static int signals(void)
{
	struct sigaction action = { .sa_handler = handler };
	pthread_t self = pthread_self(), id;
	struct report report;
	uint64_t calls = 0;
	int failed = 0;

	if (fake_start(&stat_module, ""))
		return 1;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&id, NULL, signaller, &self);
	for (; !signalled; calls++)
		fake_call((uint32_t)calls % FAKE_FUNCTIONS, (uint32_t)calls / 7 % FAKE_LIBRARIES,
			  0, NULL);
	pthread_join(id, NULL);
	check_report(&report);
	failed += check_u64("calls", report.counts.calls,
			    calls + (uint64_t)handled * FAKE_FUNCTIONS);
	failed += check_u64("nothing twice", report.nlibraries, FAKE_LIBRARIES);
	failed += check_u64("rows", report.nrows, FAKE_FUNCTIONS);
	report_free(&report);
	return failed;
}

static void nested(void)
{
	fake_call(4, 1, 0, NULL);
}

static int nesting(void)
{
	struct report report;
	int failed = 0;

	if (fake_start(&stat_module, ""))
		return 1;
	for (int i = 0; i < 100; i++)
		fake_call(3, 0, 1, nested);
	check_report(&report);
	failed += check_u64("outer", check_row(report.rows, report.nrows, "fake3")->times.errors, 100);
	failed += check_u64("inner", check_row(report.rows, report.nrows, "fake4")->times.calls, 100);
	report_free(&report);
	return failed;
}

static int without_clock(void)
{
	struct report report;
	int failed = 0;

	if (fake_start(&stat_module, "clock=no"))
		return 1;
	for (int i = 0; i < 1000; i++)
		fake_call((uint32_t)i % 2, 0, 1, NULL);
	check_report(&report);
	failed += check_u64("calls", report.counts.calls, 1000);
	failed += check_u64("no errors", report.rows[0].times.errors, 0);
	failed += check_u64("no times", report.counts.total, 0);
	report_free(&report);
	return failed;
}

static void all_cells(void)
{
	for (uint32_t f = 0; f < FAKE_FUNCTIONS; f++)
		for (uint32_t l = 0; l < FAKE_LIBRARIES; l++)
			fake_call(f, l, 0, NULL);
}

static void *after_limit(void *unused)
{
	(void)unused;
	fake_call(0, 0, 0, NULL);
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&reported);
	all_cells();
	return NULL;
}

/* Two threads that have their blocks, and then no more memory for cells. */
static int no_memory_with(const char *options)
{
	const struct rlimit none = { 0, RLIM_INFINITY }, all = { RLIM_INFINITY, RLIM_INFINITY };
	struct report report;
	pthread_t id;
	int failed = 0;

	if (fake_start(&stat_module, options))
		return 1;
	pthread_barrier_init(&done, NULL, 2);
	pthread_barrier_init(&reported, NULL, 2);
	pthread_create(&id, NULL, after_limit, NULL);
	pthread_barrier_wait(&done);
	fake_call(0, 0, 0, NULL);
	setrlimit(RLIMIT_AS, &none);
	pthread_barrier_wait(&reported);
	all_cells();
	pthread_join(id, NULL);
	setrlimit(RLIMIT_AS, &all);
	check_report(&report);
	failed += check_u64("some are lost", report.header->lost > 0, 1);
	failed += check_u64("calls and lost ones", report.counts.calls + report.header->lost,
			    2 + 2 * FAKE_FUNCTIONS * FAKE_LIBRARIES);
	report_free(&report);
	return failed;
}

static int no_memory(void)
{
	int failed = no_memory_with("save=no");

	fake_finish();
	return failed + check_u64("no status", (uint64_t)fake_status, (uint64_t)-1);
}

/* What is lost may have been an error. */
static int fail_unknown(void)
{
	int failed = no_memory_with("save=no;fail=errors");

	fake_finish();
	return failed + check_u64("a status", (uint64_t)fake_status, 89);
}

/* An error that was seen is one, whatever else was lost. */
static int fail_known(void)
{
	int failed = no_memory_with("save=no;fail=errors");

	fake_call(0, 0, 2, NULL);
	fake_finish();
	return failed + check_u64("a status", (uint64_t)fake_status, 88);
}

static int fail_without_report(void)
{
	stat_fail(NULL);
	return check_u64("a status", (uint64_t)fake_status, 89);
}

static void *call_and_wait(void *unused)
{
	fake_call(0, 0, 0, NULL);
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&reported);
	return unused;
}

/* Each bucket of each cell of thread, 0 for ended ones: set, or looked at for another number. */
static int all_buckets(bool of_ended, uint32_t set, uint32_t want)
{
	const struct segment *segments;
	struct records records = { .count = stat_store_segments(&segments) };
	const struct cuaudit_stat_record *record;
	int others = 0;

	records.segments = segments;
	while ((record = records_next(&records))) {
		struct cuaudit_stat_cell *cell = (void *)(uintptr_t)record;

		if (record->type != CUAUDIT_STAT_CELL || of_ended != !cell->thread)
			continue;
		for (int i = 0; i < CUAUDIT_STAT_BUCKETS; i++) {
			others += cell->buckets[i] != want;
			cell->buckets[i] = set ? set : cell->buckets[i];
		}
	}
	return others;
}

/* Counts of 32 bits that do not begin anew. */
static int full_buckets(void)
{
	pthread_t ids[3];
	int failed = 0;

	if (fake_start(&stat_module, "threads=0"))
		return 1;
	pthread_barrier_init(&done, NULL, 4);
	pthread_barrier_init(&reported, NULL, 4);
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, call_and_wait, NULL);
	pthread_barrier_wait(&done);
	all_buckets(false, UINT32_MAX / 2, 0);
	pthread_barrier_wait(&reported);
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
	failed += check_u64("buckets that began anew", (uint64_t)all_buckets(true, 0, UINT32_MAX), 0);
	return failed;
}

static int silent(void)
{
	int fd = memfd_create("stderr", 0), failed = 0;
	struct stat status;

	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || fake_start(&stat_module, ""))
		return 1;
	fake_finish();
	fstat(fd, &status);
	failed += check_u64("bytes without a call", (uint64_t)status.st_size, 0);
	return failed;
}

/* Waits for as many reports as lines on a pipe, not for time. */
static int interval(void)
{
	int ends[2], failed = 0;
	char byte;

	if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0)
		return 1;
	if (fake_start(&stat_module, "interval=0.01;format=json"))
		return 1;
	fake_call(0, 0, 0, NULL);
	for (int lines = 0; lines < 3;) {
		if (read(ends[0], &byte, 1) != 1)
			return 1;
		lines += byte == '\n';
	}
	if (!fake_fork()) {
		fake_call(0, 0, 0, NULL);
		fake_finish();
		_exit(0);
	}
	fake_finish();
	close(ends[1]);
	close(STDERR_FILENO);
	return failed;
}

static int bad_options(void)
{
	return fake_start(&stat_module, "interval=soon;threads=-4") != 0;
}

int main(void)
{
	is_int(check_scenario(threads), 0, "16 threads, half of them ended: exact sums");
	is_int(check_scenario(short_threads), 0, "20000 short threads in flat memory");
	is_int(check_scenario(signals), 0, "signal handlers that call the driver lose nothing");
	is_int(check_scenario(nesting), 0, "a call inside a call");
	is_int(check_scenario(without_clock), 0, "clock=no counts calls only");
	is_int(check_scenario(no_memory), 0, "a call without memory for its cell is counted as lost");
	is_int(check_scenario(fail_unknown), 0, "... which fail=errors takes for a check not made");
	is_int(check_scenario(fail_known), 0, "... unless there was an error");
	is_int(check_scenario(fail_without_report), 0, "... as where there is no memory to find out");
	is_int(check_scenario(full_buckets), 0, "buckets that are full stay so");
	is_int(check_scenario(silent), 0, "not a byte without a call");
	is_int(check_scenario(interval), 0, "interval prints, and ends at finish");
	is_int(check_scenario(bad_options), 0, "bad numbers are said, not fatal");
	return done_testing();
}
