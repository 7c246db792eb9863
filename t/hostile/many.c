/* SPDX-License-Identifier: Apache-2.0 */
/* Much of everything: threads, plug-ins that come and go, children of a busy process. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "t/fake/driver.h"
#include "t/tap.h"

extern char **environ;

static atomic_int arrived;
static pthread_barrier_t barrier;

static void *call_twice(void *data)
{
	arrived += !cuInit(0);
	pthread_barrier_wait(&barrier);
	arrived += !cuInit(0);
	return data;
}

/* All of them there at once, between their two calls. */
static void threads(int count)
{
	pthread_t *all = calloc((size_t)count, sizeof(*all));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	pthread_barrier_init(&barrier, NULL, (unsigned int)count + 1);
	for (int i = 0; i < count; i++) {
		int error = pthread_create(&all[i], &small, call_twice, NULL);

		if (error)
			skip_all("no room for %d threads here", count);
	}
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < count; i++)
		pthread_join(all[i], NULL);
	free(all);
	is_int(arrived, 2 * count, "calls of %d threads", count);
	is_int(cuaudit_fake_calls("cuInit"), 2 * count, "arrived");
}

static long status(const char *field)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long value = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, field, strlen(field)))
			value = atol(line + strlen(field));
	if (file)
		fclose(file);
	return value;
}

static int maps(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int count = 0, c;

	while (file && (c = getc(file)) != EOF)
		count += c == '\n';
	if (file)
		fclose(file);
	return count;
}

static int round_of(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW);
	int (*init)(void) = plugin ? (int (*)(void))dlsym(plugin, "library_init") : NULL;
	int (*by_table)(void) = plugin ? (int (*)(void))dlsym(plugin, "library_by_table") : NULL;

	return !init || !by_table || init() || by_table() || dlclose(plugin);
}

/* limit: how many KiB all rounds but the first tenth may take. */
static void rounds(const char *path, int count, long limit)
{
	long memory = 0, mapped = 0;
	int before = 0, failed = 0;

	for (int i = 0; i < count && !failed; i++) {
		if (i == count / 10) {
			memory = status("VmRSS:");
			mapped = status("VmSize:");
			before = maps();
		}
		failed = round_of(path);
	}
	is_int(failed, 0, "%d rounds", count);
	is_int(cuaudit_fake_calls("cuInit"), count, "a call each arrived");
	is_int(cuaudit_fake_calls("cuCtxGetCurrent"), count, "and one by a table");
	diag("VmRSS %ld and %ld, VmSize %ld and %ld, %d and %d maps", memory, status("VmRSS:"),
	     mapped, status("VmSize:"), before, maps());
	ok(status("VmRSS:") - memory <= limit, "memory in use is flat");
	ok(status("VmSize:") - mapped <= limit, "so is what is mapped");
	ok(maps() <= before + 2, "and in how many pieces");
}

static atomic_bool stop;

/* With a moment now and then that leaves the processor to the others. */
static void *keep_calling(void *data)
{
	const struct timespec moment = { .tv_nsec = 20000 };

	while (!stop) {
		for (int i = 0; i < 200; i++)
			arrived += !cuInit(0);
		nanosleep(&moment, NULL);
	}
	return data;
}

static int end_of(pid_t child)
{
	int end = -1;

	if (child < 0 || waitpid(child, &end, 0) != child)
		return -1;
	return WIFEXITED(end) ? WEXITSTATUS(end) : 1000 + WTERMSIG(end);
}

static int child_of(const char *how, const char *self)
{
	char *const arguments[] = { (char *)self, (char *)"threads", (char *)"2", NULL };
	pid_t child = -1;

	if (!strcmp(how, "spawn")) {
		posix_spawn_file_actions_t actions;

		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
		errno = posix_spawn(&child, self, &actions, NULL, arguments, environ);
		posix_spawn_file_actions_destroy(&actions);
		return end_of(child);
	}
	child = strcmp(how, "vfork") ? fork() : vfork();
	if (child)
		return end_of(child);
	if (!strcmp(how, "vfork")) {
		close(1);
		execv(self, arguments);
		_exit(98);
	}
	alarm(300);
	for (int i = 0; i < 7; i++)
		if (cuInit(0))
			_exit(97);
	/* Without the handlers of exit stat prints nothing. */
	exit(0);
}

static void children(const char *how, int count, const char *self)
{
	enum { THREADS = 16 };
	pthread_t all[THREADS];
	int failed = 0, done = 0;

	/* A child of the moment in which another thread makes the first call is not audited. */
	arrived += !cuInit(0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, keep_calling, NULL);
	for (; done < count && !failed; done++)
		failed = child_of(how, self);
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	is_int(failed, 0, "%d children of %s", done, how);
	is_int(cuaudit_fake_calls("cuInit"), arrived, "all calls arrived");
	printf("# own %d\n", (int)arrived);
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 0;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "threads"))
		threads(count);
	else if (!strcmp(argv[1], "rounds"))
		rounds(argv[3], count, atol(argv[4]));
	else
		children(argv[1], count, argv[0]);
	return done_testing();
}
