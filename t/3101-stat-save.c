/* SPDX-License-Identifier: Apache-2.0 */
/* The stat module alone: what fork, a kill, a full disk leave of its records. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/modules/stat/stat_store.h"
#include "t/stat/check.h"
#include "t/stat/fake.h"
#include "t/tap.h"
#include "tools/load.h"

enum { FORKS = 200, BIG = 400 };

extern const struct cuaudit_module stat_module;

static char directory[] = "stat-save-XXXXXX";

/* Names of the scenario's files begin with its own name. */
static const char *file(const char *name)
{
	static char path[320];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void calls(int count)
{
	for (int i = 0; i < count; i++)
		fake_call((uint32_t)i % FAKE_FUNCTIONS, (uint32_t)i % FAKE_LIBRARIES, i % 2, NULL);
}

static int exists(const char *name)
{
	return !access(file(name), F_OK);
}

/* The calls, errors and functions a file tells of. */
static int check_file(const char *name, uint64_t want, uint64_t functions)
{
	struct report report = { .timed = 0 };
	struct load load;
	const char *fault = load_file(&load, file(name));
	uint64_t errors = 0;
	int failed;

	if (fault) {
		printf("# %s: %s\n", name, fault);
		return 1;
	}
	report_build(&report, load.segments, load.count, 16);
	for (size_t i = 0; i < report.nrows; i++)
		errors += report.rows[i].times.errors + report.rows[i].times.not_ready;
	failed = check_u64(name, report.counts.calls, want);
	failed += check_u64("errors", errors, want / 2);
	failed += check_u64("functions", report.nrows, functions);
	failed += check_u64("drivers", report.ndrivers, 1);
	failed += check_u64("bound", report.routes && report.routes->bound == FAKE_FUNCTIONS, 1);
	failed += check_u64("damage", report.damaged, 0);
	report_free(&report);
	load_free(&load);
	return failed;
}

static int start(const char *name, const char *options)
{
	snprintf(fake_output, sizeof(fake_output), "%s", file(name));
	return fake_start(&stat_module, options);
}

static int killed(void)
{
	int pid = fork();

	if (!pid) {
		if (start("killed", ""))
			_exit(1);
		calls(1000);
		raise(SIGKILL);
	}
	check_wait(pid);
	return check_file("killed.part", 1000, FAKE_FUNCTIONS) +
	       check_u64("a report", (uint64_t)exists("killed"), 0);
}

static int finished(void)
{
	int failed = 0;

	if (start("finished", "format=json"))
		return 1;
	calls(10);
	failed += check_u64("file while it runs", (uint64_t)exists("finished.part"), 1);
	fake_finish();
	failed += check_u64("file at the end", (uint64_t)exists("finished.part"), 0);
	failed += check_u64("report", (uint64_t)exists("finished"), 1);
	return failed;
}

static int other_directory(void)
{
	if (start("directory", ""))
		return 1;
	calls(10);
	if (chdir("/"))
		return 1;
	strcpy(fake_output, "/dev/null");
	fake_finish();
	return 0;
}

static int moved(void)
{
	return check_scenario(other_directory) +
	       check_u64("file at the end", (uint64_t)exists("directory.part"), 0);
}

static int not_saved(void)
{
	if (start("none", "save=no"))
		return 1;
	calls(10);
	return check_u64("file", (uint64_t)exists("none.part"), 0);
}

static int by_path(void)
{
	char options[400];
	int pid = fork();

	if (!pid) {
		snprintf(options, sizeof(options), "save=%s", file("path"));
		if (fake_start(&stat_module, options))
			_exit(1);
		calls(100);
		raise(SIGKILL);
	}
	check_wait(pid);
	return check_file("path", 100, FAKE_FUNCTIONS);
}

/* Exec comes again with the same pid: the first file must stay. */
static int never_overwritten(void)
{
	for (int i = 0; i < 3; i++) {
		int pid = fork();

		if (!pid) {
			if (start("again", ""))
				_exit(1);
			calls(100 * (i + 1));
			raise(SIGKILL);
		}
		check_wait(pid);
	}
	return check_file("again.part", 100, FAKE_FUNCTIONS) +
	       check_file("again.part.1", 200, FAKE_FUNCTIONS) +
	       check_file("again.part.2", 300, FAKE_FUNCTIONS);
}

static int child_of_fork(void)
{
	struct report report;
	int failed = 0;

	calls(50);
	check_report(&report);
	failed += check_u64("the child's calls", report.counts.calls, 50);
	failed += check_u64("the child's threads", report.threads.count, 1);
	failed += check_u64("the child's pid", report.header->pid, (uint64_t)getpid());
	report_free(&report);
	failed += check_file("fork.part.1", 50, FAKE_FUNCTIONS);
	fake_finish();
	failed += check_u64("the child's file", (uint64_t)exists("fork.part.1"), 0);
	return failed;
}

static int forked(void)
{
	int failed = 0, pid;

	if (start("fork", "format=json"))
		return 1;
	calls(1000);
	pid = fake_fork();
	if (!pid)
		_exit(child_of_fork());
	calls(500);
	failed += check_u64("failed in the child", (uint64_t)check_wait(pid), 0);
	failed += check_file("fork.part", 1500, FAKE_FUNCTIONS);
	pid = fake_fork();
	if (!pid) {
		const struct segment *segments;

		/* What a hook that was interrupted by the fork may still write to. */
		stat_store_segments(&segments);
		memset((void *)segments[0].data, 0xff, CUAUDIT_STAT_SEGMENT);
		fake_finish();
		_exit(exists("fork.part.1"));
	}
	failed += check_u64("file of a child without calls", (uint64_t)check_wait(pid), 0);
	failed += check_file("fork.part", 1500, FAKE_FUNCTIONS);
	return failed;
}

static volatile int stop;

static void *churn(void *unused)
{
	(void)unused;
	calls(200);
	return NULL;
}

/* Threads are born and end, which takes the lock, while another forks. */
static void *churn_threads(void *unused)
{
	(void)unused;
	while (!stop) {
		pthread_t id;

		if (!pthread_create(&id, NULL, churn, NULL))
			pthread_join(id, NULL);
	}
	return NULL;
}

static int fork_race(void)
{
	pthread_t ids[2];
	int failed = 0;

	if (start("race", "save=no"))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, churn_threads, NULL);
	for (int i = 0; i < FORKS && !failed; i++) {
		int pid = fake_fork();

		if (!pid) {
			struct report report;

			calls(30);
			check_report(&report);
			_exit(check_u64("calls", report.counts.calls, 30) != 0);
		}
		failed += check_wait(pid) != 0;
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	return failed;
}

static pthread_barrier_t all_called, all_seen;

static void *hold_cells(void *unused)
{
	(void)unused;
	calls(FAKE_FUNCTIONS * FAKE_LIBRARIES);
	pthread_barrier_wait(&all_called);
	pthread_barrier_wait(&all_seen);
	return NULL;
}

/* More cells than a segment of the file has room for: the threads that have them, until end_holding. */
static pthread_t holders[BIG];

static void begin_holding(void)
{
	pthread_barrier_init(&all_called, NULL, BIG + 1);
	pthread_barrier_init(&all_seen, NULL, BIG + 1);
	for (int i = 0; i < BIG; i++)
		pthread_create(&holders[i], NULL, hold_cells, NULL);
	pthread_barrier_wait(&all_called);
}

static void end_holding(void)
{
	pthread_barrier_wait(&all_seen);
	for (int i = 0; i < BIG; i++)
		pthread_join(holders[i], NULL);
}

static int with_limit(void)
{
	struct rlimit limit = { 2 * CUAUDIT_STAT_SEGMENT, 2 * CUAUDIT_STAT_SEGMENT };
	const struct segment *segments;
	struct report report;
	struct stat status;
	int failed = 0;

	if (start("limit", ""))
		return 1;
	setrlimit(RLIMIT_FSIZE, &limit);
	begin_holding();
	check_report(&report);
	failed += check_u64("calls", report.counts.calls, BIG * FAKE_FUNCTIONS * FAKE_LIBRARIES);
	failed += check_u64("threads", report.threads.count, BIG);
	report_free(&report);
	failed += check_u64("many segments", stat_store_segments(&segments) > 10, 1);
	stat(file("limit.part"), &status);
	failed += check_u64("file", (uint64_t)status.st_size, 2 * CUAUDIT_STAT_SEGMENT);
	end_holding();
	return failed;
}

/* Every descriptor that a program finds it may close, and have the number for its own. */
static int take_descriptors(void)
{
	int own = open(file("own"), O_RDWR | O_CREAT, 0600), failed = 0;

	for (int fd = 3; fd < 32; fd++)
		if (fd != own && dup2(own, fd) < 0)
			failed++;
	return failed;
}

static int descriptors(void)
{
	struct stat status;
	sigset_t saved;
	int failed = 0, pid;

	/* Of each function once, so that there are reports to come. */
	if (start("closing", "format=json;interval=0.01"))
		return 1;
	calls(FAKE_FUNCTIONS);
	while (!exists("closing"))
		usleep(1000);
	/* No report begins meanwhile, and one that had begun ends: nobody can tell that it is at it. */
	stat_lock(&saved);
	usleep(200000);
	failed += take_descriptors();
	stat_unlock(&saved);
	begin_holding();
	end_holding();
	pid = fake_fork();
	if (!pid) {
		for (int fd = 3; fd < 32; fd++)
			failed += fcntl(fd, F_GETFD) < 0;
		_exit(failed);
	}
	failed += check_u64("descriptors closed in the child", (uint64_t)check_wait(pid), 0);
	stat(file("closing.part"), &status);
	failed += check_u64("the file has grown",
			    status.st_size > 10 * (off_t)CUAUDIT_STAT_SEGMENT, 1);
	fake_finish();
	for (int fd = 3; fd < 32; fd++)
		failed += fcntl(fd, F_GETFD) < 0;
	stat(file("own"), &status);
	failed += check_u64("bytes in the program's file", (uint64_t)status.st_size, 0);
	failed += check_u64("file at the end", (uint64_t)exists("closing.part"), 0);
	return failed;
}

static int replaced(void)
{
	struct stat status;
	int failed = 0, fd;

	if (start("replaced", ""))
		return 1;
	calls(10);
	unlink(file("replaced.part"));
	fd = open(file("replaced.part"), O_RDWR | O_CREAT, 0600);
	begin_holding();
	end_holding();
	if (fd < 0 || fstat(fd, &status))
		return 1;
	failed += check_u64("bytes in the other file", (uint64_t)status.st_size, 0);
	fake_finish();
	failed += check_u64("the other file at the end", (uint64_t)exists("replaced.part"), 1);
	return failed;
}

static int no_room(void)
{
	struct rlimit limit = { 4096, 4096 };
	struct report report;
	int failed = 0;

	setrlimit(RLIMIT_FSIZE, &limit);
	if (start("room", ""))
		return 1;
	calls(100);
	check_report(&report);
	failed += check_u64("calls", report.counts.calls, 100);
	report_free(&report);
	failed += check_u64("an empty file", (uint64_t)exists("room.part"), 0);
	return failed;
}

static int no_directory(void)
{
	struct report report;
	int failed = 0;

	if (start("missing/output", ""))
		return 1;
	calls(100);
	check_report(&report);
	failed += check_u64("calls", report.counts.calls, 100);
	report_free(&report);
	return failed;
}

static void remove_directory(void)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		unlink(file(entry->d_name));
	if (entries)
		closedir(entries);
	rmdir(directory);
}

int main(void)
{
	if (!mkdtemp(directory))
		bail_out("no directory for files");
	is_int(check_scenario(killed), 0, "SIGKILL leaves every call in the file");
	is_int(check_scenario(finished), 0, "a clean end removes the file");
	is_int(moved(), 0, "also after a change of the directory");
	is_int(check_scenario(not_saved), 0, "save=no");
	is_int(check_scenario(by_path), 0, "save=PATH");
	is_int(check_scenario(never_overwritten), 0, "a file that is there is kept");
	is_int(check_scenario(forked), 0, "the child of fork starts from zero, in its own file");
	is_int(check_scenario(fork_race), 0, "fork while other threads hold the lock");
	is_int(check_scenario(with_limit), 0, "a full file: the rest is counted in memory");
	is_int(check_scenario(descriptors), 0, "no descriptor of the program is closed or written to");
	is_int(check_scenario(replaced), 0, "a file of that name by somebody else is left alone");
	is_int(check_scenario(no_room), 0, "no room for any file");
	is_int(check_scenario(no_directory), 0, "no directory for the file");
	remove_directory();
	return done_testing();
}
