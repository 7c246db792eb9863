/* SPDX-License-Identifier: Apache-2.0 */
/* Record files with bytes changed or missing: the reader stays alive. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/stat_metrics.h"
#include "hooks/modules/stat/stat_store.h"
#include "t/fuzz/chance.h"
#include "t/stat/check.h"
#include "t/stat/fake.h"
#include "t/tap.h"
#include "tools/load.h"

enum { MUTATIONS = 4000, HEAD = 16384 };

extern const struct cuaudit_module stat_module;

static char name[] = "stat-damage-XXXXXX";
static char *good;
static size_t size;
/* A process with every type of record, killed. */
static void make_good(void)
{
	char options[64];
	struct report report;
	int pid = fork();

	if (!pid) {
		unlink(name);
		snprintf(options, sizeof(options), "save=%s", name);
		fake_escapes = 1;
		if (fake_start(&stat_module, options))
			_exit(1);
		for (uint32_t i = 0; i < 1000; i++)
			fake_call(i % FAKE_FUNCTIONS, i % FAKE_LIBRARIES, (int32_t)i % 5, NULL);
		check_report(&report);
		raise(SIGKILL);
	}
	check_wait(pid);
}

static void read_good(void)
{
	int fd = open(name, O_RDONLY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		bail_out("no file to damage");
	size = (size_t)status.st_size;
	good = malloc(size);
	if (read(fd, good, size) != (ssize_t)size)
		bail_out("cannot read the file to damage");
	close(fd);
}

static void write_bytes(const char *bytes, size_t count)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
		bail_out("cannot write the damaged file");
	close(fd);
}

/* With itself and with the good one. */
static void merge_all(const struct load *load)
{
	const struct segment whole = { .data = good, .size = size };
	const struct report_source sources[] = {
		{ .segments = load->segments, .count = load->count, .status = -1 },
		{ .segments = &whole, .count = 1, .end = REPORT_END_EXIT, .status = 3 },
		{ .segments = load->segments, .count = load->count, .end = REPORT_END_RUNS },
	};
	struct report report;
	struct out out = { 0 };

	if (!report_merge(&report, sources, 3, 16)) {
		report.name = "all";
		report_text(&report, &out);
		report_json(&report, &out);
	}
	out_free(&out);
	report_free(&report);
}

/* 1 if it could be loaded; prints into memory what there is. */
static int read_all(uint64_t *calls)
{
	struct report report = { .timed = 0 };
	struct metrics metrics = { .processes = NULL };
	struct out out = { 0 };
	struct load load;
	int loaded = !load_file(&load, name);

	if (loaded && !report_build(&report, load.segments, load.count, 16)) {
		report_text(&report, &out);
		report_json(&report, &out);
		if (!metrics_add(&metrics, &report, 1))
			metrics_text(&metrics, METRICS_OPENMETRICS, &out);
		merge_all(&load);
	}
	*calls = report.counts.calls;
	out_free(&out);
	metrics_free(&metrics);
	report_free(&report);
	load_free(&load);
	return loaded;
}

/* A few bytes or words, mostly where there is something. */
static void mutate(char *bytes)
{
	static const uint32_t words[] = {
		0, 1, 63, 64, 65, 128, 0x7fffffff, 0x80000000, 0xffffffff, 0xffffffc0
	};
	uint64_t changes = 1 + chance(8);

	while (changes--) {
		size_t at = (size_t)chance(chance(4) ? HEAD * 3 : size);

		at = at < size - 4 ? at : size - 4;
		if (chance(2))
			bytes[at] = (char)chance(256);
		else
			memcpy(bytes + (at & ~(size_t)3), &words[chance(10)], 4);
	}
}

static void mutations(void)
{
	int loaded = 0, counted = 0;
	char *bytes = malloc(size);
	uint64_t calls;

	for (int i = 0; i < MUTATIONS; i++) {
		memcpy(bytes, good, size);
		mutate(bytes);
		write_bytes(bytes, size);
		loaded += read_all(&calls);
		counted += calls != 0;
	}
	free(bytes);
	diag("%d of %d files could be read, %d had calls", loaded, MUTATIONS, counted);
	ok(loaded > MUTATIONS / 2 && counted > MUTATIONS / 2, "files with other bytes");
}

static void truncations(void)
{
	uint64_t calls, before = 0;
	int growing = 1;

	for (size_t length = 0; length < HEAD * 3; length += length < 5000 ? 97 : 61) {
		int loaded;

		write_bytes(good, length);
		loaded = read_all(&calls);
		growing &= loaded == (length >= CUAUDIT_STAT_HEADER) && calls >= before;
		before = calls;
	}
	ok(growing, "files cut short: each tells what is left");
}

int main(void)
{
	uint64_t calls;

	if (mkstemp(name) < 0)
		bail_out("no file");
	make_good();
	read_good();
	ok(read_all(&calls) && calls == 1000, "a good file");
	truncations();
	mutations();
	unlink(name);
	free(good);
	return done_testing();
}
