/* SPDX-License-Identifier: Apache-2.0 */
/* When the stat hook's report is printed: at the end, every so often. */
#include "hooks/modules/stat_print.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>

#include "hooks/modules/helper.h"
#include "hooks/modules/stat_coverage.h"
#include "hooks/modules/stat_file.h"
#include "hooks/modules/stat_store.h"
#include "hooks/modules/stat_thread.h"
#include "report/metrics.h"
#include "report/report.h"

static struct stat_print settings;
static uint64_t start, start_ns;	/* of CLOCK_MONOTONIC and CLOCK_REALTIME */
static int output = -1;		/* kept open between reports */
static struct helper printer;

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

static void *print_often(void *unused)
{
	uint64_t when = start + settings.interval_ns, time = start;

	prctl(PR_SET_NAME, "cuaudit-stat");
	/* Nobody wakes it before the end. */
	while (helper_wait(&printer, 0, when > time ? when - time : 0)) {
		print();
		when += settings.interval_ns;
		time = monotonic();
		/* After a stop or a slow reader: no reports to catch up with. */
		if (when < time)
			when = time + settings.interval_ns;
	}
	return unused;
}

void stat_print_setup(const struct stat_print *given)
{
	int error;

	settings = *given;
	begin();
	if (!settings.interval_ns)
		return;
	error = helper_start(&printer, print_often);
	if (error)
		cuaudit_log(CUAUDIT_WARN, "stat: no thread for interval: %s", io_reason(error));
}

int stat_print_finish(void)
{
	int error;

	helper_end(&printer);
	error = print();
	if (output >= 0)
		io_close(output);
	output = -1;
	return !error;
}

void stat_print_forked(void)
{
	helper_forked(&printer);
	begin();
	if (output >= 0)
		io_close(output);
	output = -1;
}
