/* SPDX-License-Identifier: Apache-2.0 */
/* When the stat hook's report is printed: at the end, every so often. */
#include "hooks/modules/stat/stat_print.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>

#include "analysis/stat_metrics.h"
#include "analysis/stat_report.h"
#include "hooks/call_site.h"
#include "hooks/modules/helper.h"
#include "hooks/modules/stat/stat_coverage.h"
#include "hooks/modules/stat/stat_fail.h"
#include "hooks/modules/stat/stat_file.h"
#include "hooks/modules/stat/stat_store.h"
#include "hooks/modules/stat/stat_thread.h"
#include "hooks/modules/trace/trace_self.h"

static struct stat_print settings;
static uint64_t start, start_ns;	/* of CLOCK_MONOTONIC and CLOCK_REALTIME */
static int output = -1;		/* kept open between reports */
static struct helper printer;
static struct trace_self output_id;
static int opened;		/* at least once */
static int told;		/* why reports were not written, as said last */
static bool named;		/* the path was the file itself, and no link to it */
static uint32_t end_flag;	/* CUAUDIT_STAT_ENDED once the process ends */

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
	header->unhooked = cuaudit_unhooked_calls();
	header->unwound = cuaudit_unwound_calls() + cuaudit_unwound_hooks();
	header->flags |= CUAUDIT_STAT_COVERAGE | end_flag;
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

/* The program may have closed it, and opened a file of its own by that number. */
static void close_output(void)
{
	if (output >= 0 && trace_self_is(output, &output_id))
		io_close(output);
	output = -1;
}

/* Behind the reports before, where they went to a file. */
static int open_output(void)
{
	char path[PATH_MAX];
	bool file = !cuaudit_output_path("", path, sizeof(path)), again = file && (opened || told);
	int flags = O_WRONLY | O_CREAT | O_APPEND | (opened ? 0 : O_TRUNC), error;

	/* cuaudit_output says itself why it cannot. */
	output = again ? io_open(path, flags, IO_REPORT) : cuaudit_output("");
	if (output < 0 && stat_file_is_news(output, &told) && again)
		cuaudit_log(CUAUDIT_WARN, "stat: cannot write the report: %s: %s",
			    io_remedy(output), path);
	if (output < 0)
		return -EBADF;
	opened = 1;
	error = trace_self_look(output, &output_id);
	named = file && !error && trace_self_is_named(path, &output_id);
	return error;
}

static bool is_other(int fd, const char *path, int flags)
{
	struct statx status;

	return !statx(fd, path, flags, STATX_TYPE, &status) && !S_ISREG(status.stx_mode);
}

/*
 * Whether a file was removed, replaced, or renamed as logs are: the path is what is read.
 * Pipes, and what a link led to from the start, /dev/stdout say, stay what they were.
 */
static bool is_gone(void)
{
	char path[PATH_MAX];

	return !cuaudit_output_path("", path, sizeof(path)) && !is_other(output, "", AT_EMPTY_PATH) &&
	       (named || !is_other(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)) &&
	       trace_self_is_gone(path, &output_id);
}

/* Reports one after the other. */
static int append(struct out *out)
{
	int error = 0;

	if (output >= 0 && is_gone())
		close_output();
	/* Last before it is written to: the program may make it its own between any two calls. */
	if (output >= 0 && !trace_self_is(output, &output_id))
		output = -1;
	if (output < 0)
		error = open_output();
	if (error)
		return error;
	error = out_write(out, output, IO_REPORT);
	if (stat_file_is_news(error, &told) && error)
		cuaudit_log(CUAUDIT_WARN, "stat: the report is incomplete: %s",
			    io_remedy(error));
	return error;
}

enum { SITES = 256, NAME = 256 };	/* symbol tables are large: for so many call sites */

struct site_names {
	uint32_t left;
	char name[NAME];
};

static struct error_site find_site(void *data, const struct error_calls *calls)
{
	const void *caller = (const void *)(uintptr_t)calls->caller;
	const struct cuaudit_library *library;
	struct site_names *names = data;
	struct call_site site;

	if (!calls->caller || !names->left)
		return (struct error_site){ .function = NULL };
	names->left--;
	library = cuaudit_library_at((const char *)caller - 1);
	/* Another may be in its place. */
	if (strcmp(library->path, calls->library) != 0)
		return (struct error_site){ .function = NULL };
	site = call_site_find(caller, library, names->name, sizeof(names->name));
	return (struct error_site){
		.function = *names->name ? names->name : NULL, .distance = site.distance,
	};
}

static int print_report(struct report *report, struct out *out)
{
	struct site_names names = { .left = SITES };

	report->errors.find = find_site;
	report->errors.data = &names;
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
		error = stat_file_write(out, &told);
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
	if (!error && (report.counts.calls || report.nanswered || report.header->lost ||
		       report.header->unhooked)) {
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
	if (!settings.interval_ns || settings.silent)
		return;
	helper_prepare();
	error = helper_start(&printer, print_often);
	if (error)
		cuaudit_log(CUAUDIT_WARN, "stat: no thread for interval: %s", io_reason(error));
}

/* What is not in the file is in no report: how many calls these are is reported. */
static void complain(void)
{
	struct report report = { 0 };

	if (!build(&report) && report.counts.calls && !stat_store_whole())
		cuaudit_log(CUAUDIT_WARN, "stat: the statistics of process %d, %llu call%s, are not "
			    "all in the report: they could not be saved", (int)getpid(),
			    (unsigned long long)report.counts.calls,
			    report.counts.calls == 1 ? "" : "s");
	report_free(&report);
}

/* Whatever became of the printed report. */
static void judge(void)
{
	struct report report = { 0 };
	int error = build(&report);

	if (error != -ENODATA)
		stat_fail(error ? NULL : &report);
	report_free(&report);
}

int stat_print_finish(void)
{
	int error = 0;

	end_flag = CUAUDIT_STAT_ENDED;
	if (settings.silent) {
		complain();
	} else {
		helper_end(&printer);
		told = 0;
		error = print();
		close_output();
	}
	if (settings.fail)
		judge();
	return !settings.silent && !error;
}

void stat_print_forked(void)
{
	helper_forked(&printer);
	begin();
	close_output();
	opened = told = 0;
}
