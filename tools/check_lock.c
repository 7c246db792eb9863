/* SPDX-License-Identifier: Apache-2.0 */
/* The lock file of cuaudit check: read, compared with a run, and written. */
#include "tools/check_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/atomic_file.h"
#include "tools/tool.h"
#include "util/io.h"

enum { LARGEST = 64 << 20 };

/* NULL: a regular file that is not too large. */
static const char *fault_of(int fd, struct stat *status)
{
	if (fd < 0 || fstat(fd, status))
		return strerror(errno);
	if (!S_ISREG(status->st_mode))
		return S_ISDIR(status->st_mode) ? strerror(EISDIR) : "no regular file";
	return status->st_size > LARGEST ? strerror(EFBIG) : NULL;
}

/* All of the file, of size bytes; a fault if it is another size meanwhile. */
static const char *read_text(int fd, char *text, size_t size)
{
	for (size_t used = 0; used < size;) {
		ssize_t got = read(fd, text + used, size - used);

		if (got <= 0)
			return got ? strerror(errno) : "cut short while it was read";
		used += (size_t)got;
	}
	return NULL;
}

/* All of it, to be freed; NULL: fault says why not, and missing whether there is none. */
static char *read_file(const char *path, size_t *size, const char **fault, bool *missing)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	char *text = NULL;

	*missing = fd < 0 && errno == ENOENT;
	*fault = fault_of(fd, &status);
	*size = *fault ? 0 : (size_t)status.st_size;
	if (!*fault && !(text = malloc(*size + 1)))
		*fault = strerror(ENOMEM);
	if (!*fault)
		*fault = read_text(fd, text, *size);
	if (fd >= 0)
		close(fd);
	if (!*fault)
		return text;
	free(text);
	return NULL;
}

/* Whether it has still what was read: else somebody has edited it meanwhile, or removed it. */
static bool is_as_read(const struct check_lock *lock)
{
	const char *fault;
	bool missing, same;
	size_t size;
	char *text = read_file(lock->path, &size, &fault, &missing);

	same = text && size == lock->size && !memcmp(text, lock->text, size);
	free(text);
	return same;
}

static int check_names(struct check_lock *lock)
{
	if (!strcmp(lock->lock.headers[BASELINE_KERNELS], BASELINE_MANGLED))
		return 0;
	lock->names = DEMANGLE_FULL;
	if (demangle_is_there())
		return 0;
	tool_complain("%s: its kernels are " BASELINE_DEMANGLED ", and this cuaudit was built "
		      "without libsupc++", lock->path);
	return -1;
}

int check_lock_read(struct check_lock *lock, const char *path)
{
	struct baseline_fault fault;
	const char *unread;
	bool missing;

	lock->path = path;
	lock->text = read_file(path, &lock->size, &unread, &missing);
	if (!lock->text) {
		tool_complain("cannot read the lock file %s: %s%s", path, unread,
			      missing ? "; --write-baseline writes one" : "");
		return -1;
	}
	if (baseline_read(&lock->lock, lock->text, lock->size, &fault))
		return check_names(lock);
	if (fault.line)
		tool_complain("%s:%u:%u: %s", path, fault.line, fault.column, fault.text);
	else
		tool_complain("%s: %s", path, fault.text);
	return -1;
}

static int no_memory(void)
{
	tool_complain("the lock file: %s", strerror(ENOMEM));
	return TOOL_FAILED;
}

int check_lock_begin(struct check_lock *lock, const char *path)
{
	const char *names = demangle_is_there() ? BASELINE_DEMANGLED : BASELINE_MANGLED;

	lock->path = path;
	lock->lock = BASELINE_LOCK;
	lock->names = demangle_is_there() ? DEMANGLE_FULL : DEMANGLE_NO;
	return baseline_header(&lock->lock, BASELINE_KERNELS, &names, 1) ? no_memory() : 0;
}

static void note_driver(const struct check_lock *lock, const struct baseline_run *run,
			struct check_result *result)
{
	const char *driver = lock->lock.headers[BASELINE_DRIVER];
	char version[16];

	snprintf(version, sizeof(version), "%u", run->driver);
	if (driver && strcmp(driver, version) != 0 &&
	    asprintf(&result->driver_note, "the file is of driver %s, this run of %s", driver,
		     version) < 0) {
		result->driver_note = NULL;
		result->no_memory = true;
	}
}

void check_lock_compare(struct check_lock *lock, const struct baseline_run *run,
			struct check_result *result)
{
	result->nfacts = lock->lock.facts.count;
	if (result->nproblems || result->no_memory)
		return;
	if (baseline_compare(&lock->lock, run, &result->differences)) {
		baseline_differences_free(&result->differences);
		result->no_memory = true;
		check_problem(result, "memory is out");
		return;
	}
	result->lock = CHECK_LOCK_COMPARED;
	if (result->differences.count)
		note_driver(lock, run, result);
}

/* Of how many runs it is, these included. */
static uint64_t count_runs(const struct check_lock *lock, const struct baseline_runs *runs)
{
	const char *before = lock->lock.headers[BASELINE_RUNS_MADE];
	uint64_t sum;

	if (!before || __builtin_add_overflow(strtoull(before, NULL, 10), runs->count, &sum))
		return runs->count;
	return sum;
}

static int set_headers(struct check_lock *lock, const struct baseline_runs *runs, char **command)
{
	char version[16], count[24];
	const char *const driver = version, *const made = count;
	size_t words = 0;

	while (command[words])
		words++;
	snprintf(version, sizeof(version), "%u", runs->driver);
	snprintf(count, sizeof(count), "%llu", (unsigned long long)count_runs(lock, runs));
	return baseline_header(&lock->lock, BASELINE_COMMAND, (const char *const *)command, words) ?:
	       baseline_header(&lock->lock, BASELINE_DRIVER, &driver, 1) ?:
	       baseline_header(&lock->lock, BASELINE_RUNS_MADE, &made, 1);
}

static int write_file(const struct check_lock *lock, struct out *out)
{
	struct atomic_file file;
	int error;

	if (atomic_file_begin(&file, lock->path, ATOMIC_FILE))
		return TOOL_FAILED;
	error = out_write(out, file.fd, IO_FOREVER);
	if (!error)
		return atomic_file_end(&file);
	atomic_file_drop(&file);
	tool_complain("cannot write the lock file to %s: %s", lock->path, strerror(-error));
	return TOOL_FAILED;
}

int check_lock_write(struct check_lock *lock, const struct baseline_runs *runs, char **command)
{
	bool replaces = !lock->text && !access(lock->path, F_OK);
	struct baseline_totals totals;
	struct out out = { 0 };
	int status;

	if (lock->text && !is_as_read(lock)) {
		tool_complain("%s was changed or removed while the command ran; it is left as it is: run "
			      "--update again", lock->path);
		return TOOL_FAILED;
	}
	if (baseline_update(&lock->lock, runs) || set_headers(lock, runs, command))
		return no_memory();
	baseline_write(&lock->lock, &out);
	status = out.error ? no_memory() : write_file(lock, &out);
	out_free(&out);
	if (status)
		return status;
	totals = baseline_totals(&lock->lock);
	tool_complain("%s: %zu fact%s of %s run%s: %zu exact, %zu with bounds, %zu any%s", lock->path,
		      totals.facts, totals.facts == 1 ? "" : "s", lock->lock.headers[BASELINE_RUNS_MADE],
		      strcmp(lock->lock.headers[BASELINE_RUNS_MADE], "1") ? "s" : "", totals.exact,
		      totals.facts - totals.exact - totals.any, totals.any, replaces ?
		      "; the file that was there is replaced, of which --update keeps comments and bounds" : "");
	return TOOL_OK;
}
