/* SPDX-License-Identifier: Apache-2.0 */
/* When the stat hook's report is printed: at the end, every so often. */
#include "hooks/modules/stat_print.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>

#include "hooks/modules/stat_coverage.h"
#include "hooks/modules/stat_file.h"
#include "hooks/modules/stat_store.h"
#include "hooks/modules/stat_thread.h"
#include "report/metrics.h"
#include "report/report.h"

static struct stat_print settings;
static uint64_t start, start_ns;	/* of CLOCK_MONOTONIC and CLOCK_REALTIME */
static int output = -1;		/* kept open between reports */
static pthread_t printer;
static int printing;
static uint32_t stopped;	/* a futex */

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t monotonic(void)
{
	return now(CLOCK_MONOTONIC);
}

static void begin(void)
{
	start = monotonic();
	start_ns = now(CLOCK_REALTIME);
}

/* The core may know its clock better than at the start. */
static void update_header(struct cuaudit_stat_header *header)
{
	header->clock_mult = cuaudit_clock.mult;
	header->clock_shift = cuaudit_clock.shift;
	header->clock_hz = cuaudit_clock.hz;
	header->start_ns = start_ns;
	header->elapsed_ns = monotonic() - start;
	header->flags |= CUAUDIT_STAT_COVERAGE;
}

static int build(struct report *report)
{
	const struct segment *segments;
	struct cuaudit_stat_header *header;
	sigset_t saved;
	size_t count;
	int error = -ENODATA;

	stat_lock(&saved);
	header = stat_store_header();
	if (header) {
		stat_thread_refresh();
		stat_coverage_update();
		update_header(header);
		count = stat_store_segments(&segments);
		error = report_build(report, segments, count, settings.threads);
	}
	stat_unlock(&saved);
	return error;
}

/* Reports one after the other. */
static int append(struct out *out)
{
	int error;

	if (output < 0)
		output = cuaudit_output("");
	if (output < 0)
		return output;
	error = out_write(out, output, IO_REPORT);
	if (error)
		cuaudit_log(CUAUDIT_WARN, "stat: the report is incomplete: %s",
			    io_reason(error));
	return error;
}

static int print_report(const struct report *report, struct out *out)
{
	if (settings.format == STAT_JSON)
		report_json(report, out);
	else
		report_text(report, out);
	return append(out);
}

static int print_metrics(const struct report *report, struct out *out)
{
	struct metrics metrics = { .processes = NULL };
	int error = metrics_add(&metrics, report, settings.libraries);

	if (error) {
		cuaudit_log(CUAUDIT_WARN, "stat: no memory for the report");
	} else {
		metrics_text(&metrics, settings.format == STAT_OPENMETRICS ?
			     METRICS_OPENMETRICS : METRICS_PROMETHEUS, out);
		error = stat_file_write(out);
	}
	metrics_free(&metrics);
	return error;
}

static int print(void)
{
	struct report report = { 0 };
	struct out out = { 0 };
	int error = build(&report);

	if (error == -ENOMEM)
		cuaudit_log(CUAUDIT_WARN, "stat: no memory for the report");
	if (!error && (report.calls || report.header->lost)) {
		if (settings.format >= STAT_PROMETHEUS)
			error = print_metrics(&report, &out);
		else
			error = print_report(&report, &out);
	}
	out_free(&out);
	report_free(&report);
	return error == -ENODATA ? 0 : error;
}

/* Returns 1 when the process ends. */
static int sleep_until(uint64_t when)
{
	while (!__atomic_load_n(&stopped, __ATOMIC_ACQUIRE)) {
		uint64_t time = monotonic(), left = when - time;
		struct timespec timeout;

		if (time >= when)
			return 0;
		timeout.tv_sec = (time_t)(left / 1000000000u);
		timeout.tv_nsec = (long)(left % 1000000000u);
		syscall(SYS_futex, &stopped, FUTEX_WAIT_PRIVATE, 0, &timeout, NULL, 0);
	}
	return 1;
}

static void *print_often(void *unused)
{
	uint64_t when = start + settings.interval_ns;

	(void)unused;
	prctl(PR_SET_NAME, "cuaudit-stat");
	while (!sleep_until(when)) {
		print();
		when += settings.interval_ns;
		/* After a stop or a slow reader: no reports to catch up with. */
		if (when < monotonic())
			when = monotonic() + settings.interval_ns;
	}
	return NULL;
}

void stat_print_setup(const struct stat_print *given)
{
	sigset_t all, saved;
	int error;

	settings = *given;
	begin();
	if (!settings.interval_ns)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	error = pthread_create(&printer, NULL, print_often, NULL);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	printing = !error;
	if (error)
		cuaudit_log(CUAUDIT_WARN, "stat: no thread for interval: %s", io_reason(error));
}

int stat_print_finish(void)
{
	int error;

	if (printing) {
		__atomic_store_n(&stopped, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &stopped, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		pthread_join(printer, NULL);
		printing = 0;
	}
	error = print();
	if (output >= 0)
		io_close(output);
	output = -1;
	return !error;
}

void stat_print_forked(void)
{
	printing = 0;
	begin();
	if (output >= 0)
		io_close(output);
	output = -1;
}
