/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of a summary, with as many threads as there are processors. */
/*
 * As many files are open as there are threads. Each thread takes the next few
 * chunks of a file, or its memory, which has to be read in order, until the
 * file is read; its tallies are then added up and gathered. All but the
 * reading itself is done with the lock held, and sums do not depend on the
 * order, so that the result is the same for any number of threads.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/device_memory.h"
#include "analysis/gather.h"

enum {
	JOBS_MAX = 256,
	BATCH = 4 << 20,	/* bytes of chunks that are taken at a time */
	WINDOW = 256 << 10,
	STACK = 256 << 10,
	MERGES_MAX = 4		/* at a time: each may take the memory of many windows */
};

enum order {
	ORDER_DONE,	/* or never wanted */
	ORDER_WANTED,
	ORDER_TAKEN
};

/* A file that is being read. */
struct file {
	bool used, open;
	uint32_t process;
	struct trace trace;
	struct fact *facts;
	struct trace_ranges ranges;	/* if the options want them */
	bool *texts;			/* those of in_range */
	bool pushed;			/* a range has one */
	size_t next;		/* chunk */
	unsigned int busy;	/* threads that are reading it */
	enum order memory;
	struct tally *tallies[JOBS_MAX];	/* those nobody is filling */
	size_t ntallies;
};

struct build {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct summary *summary;
	const struct summary_options *options;
	struct file *files;
	size_t jobs;		/* of files, and of threads */
	uint32_t next;		/* process */
	size_t merges;		/* that are going on */
	uint64_t done, whole;	/* bytes */
	int error;
};

static void fail(struct build *build, int error)
{
	if (error && !build->error)
		build->error = error;
}

static void tell(struct build *build, uint64_t bytes)
{
	build->done += bytes;
	if (build->options->progress)
		build->options->progress(build->options->data, build->done, build->whole);
}

static struct tally *new_tally(const struct build *build, const struct file *file)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	if (!tally || (!tally_begin(tally, &file->trace, file->facts) &&
		       !tally_ranges(tally, &file->ranges, file->texts, build->options->ranges)))
		return tally;
	tally_free(tally);
	free(tally);
	return NULL;
}

static void free_tally(struct tally *tally)
{
	if (tally)
		tally_free(tally);
	free(tally);
}

static void close_file(struct file *file)
{
	while (file->ntallies)
		free_tally(file->tallies[--file->ntallies]);
	free(file->facts);
	free(file->texts);
	trace_ranges_free(&file->ranges);
	trace_close(&file->trace);
	memset(file, 0, sizeof(*file));
}

static bool is_read(const struct file *file)
{
	return file->open && !file->busy && file->next == file->trace.nchunks &&
	       file->memory == ORDER_DONE;
}

/* All that was found in a file becomes a part of the summary. */
static void gather(struct build *build, struct file *file)
{
	struct tally *tally = file->ntallies ? file->tallies[0] : new_tally(build, file);
	int error = tally ? 0 : -ENOMEM;

	for (size_t i = 1; !error && i < file->ntallies; i++)
		error = tally_merge(tally, file->tallies[i]);
	if (!error)
		error = gather_add(build->summary, build->options, file->process, &file->trace,
				   tally);
	if (!file->ntallies)
		free_tally(tally);
	fail(build, error);
	tell(build, file->trace.header.chunk < file->trace.size ? file->trace.header.chunk :
								   file->trace.size);
	close_file(file);
}

/* What follows are called with the lock held, and let go of it while they read. */

/* Where each call is, if that is asked for. */
static int read_ranges(const struct build *build, struct file *file)
{
	const char *in_range = build->options->in_range;
	int error;

	if (!build->options->ranges && !in_range)
		return 0;
	error = trace_ranges_read(&file->ranges, &file->trace);
	file->trace.damaged += file->ranges.damaged;
	if (error || !in_range)
		return error;
	file->texts = trace_ranges_match(&file->ranges, in_range, &file->pushed);
	return file->texts ? 0 : -ENOMEM;
}

static void open_next(struct build *build, struct file *file)
{
	struct summary_process *process = &build->summary->processes[build->next];
	const char *fault;
	int error = 0;

	*file = (struct file){ .used = true, .process = build->next++ };
	pthread_mutex_unlock(&build->lock);
	fault = trace_open(&file->trace, process->path);
	if (!fault && trace_demangle(&file->trace, build->options->names))
		fault = strerror(ENOMEM);
	if (!fault)
		file->facts = facts_of(&file->trace);
	if (!fault)
		error = read_ranges(build, file);
	pthread_mutex_lock(&build->lock);
	build->summary->in_range |= file->pushed;
	if (!fault && !file->facts)
		fail(build, -ENOMEM);
	fail(build, error);
	if (fault)
		fail(build, gather_fault(build->summary, file->process, fault));
	if (fault || build->error) {
		close_file(file);
		return;
	}
	file->memory = memory_known(&file->trace, file->facts) &&
		       !build->summary->chosen ? ORDER_WANTED : ORDER_DONE;
	file->open = true;
}

static void read_chunks(struct build *build, struct file *file, void *window)
{
	size_t first = file->next, count = BATCH / file->trace.header.chunk;
	struct tally *tally = NULL;
	int error = -ENOMEM;

	count = count ? count : 1;
	count = count < file->trace.nchunks - first ? count : file->trace.nchunks - first;
	file->next += count;
	file->busy++;
	if (file->ntallies)
		tally = file->tallies[--file->ntallies];
	pthread_mutex_unlock(&build->lock);
	if (!tally)
		tally = new_tally(build, file);
	if (tally) {
		tally->failed = build->options->failed;
		error = tally_chunks(tally, first, count, window, WINDOW);
	}
	pthread_mutex_lock(&build->lock);
	if (tally)
		file->tallies[file->ntallies++] = tally;
	file->busy--;
	fail(build, error);
	tell(build, count * file->trace.header.chunk);
}

static void read_memory(struct build *build, struct file *file)
{
	struct summary_memory *memory = &build->summary->processes[file->process].memory;
	int error;

	file->memory = ORDER_TAKEN;
	file->busy++;
	build->merges++;
	pthread_mutex_unlock(&build->lock);
	error = memory_follow(memory, &file->trace, file->facts, build->options->points);
	pthread_mutex_lock(&build->lock);
	build->merges--;
	file->busy--;
	file->memory = ORDER_DONE;
	fail(build, error);
}

/* Something to do with a file; false if there is nothing now. */
static bool go_on(struct build *build, struct file *file, void *window)
{
	if (file->open && file->memory == ORDER_WANTED && build->merges < MERGES_MAX)
		read_memory(build, file);
	else if (file->open && file->next < file->trace.nchunks)
		read_chunks(build, file, window);
	else if (!file->used && build->next < build->summary->nprocesses)
		open_next(build, file);
	else
		return false;
	if (is_read(file) && !build->error)
		gather(build, file);
	pthread_cond_broadcast(&build->changed);
	return true;
}

static bool is_over(const struct build *build)
{
	for (size_t i = 0; i < build->jobs; i++)
		if (build->files[i].used)
			return build->error;
	return build->error || build->next == build->summary->nprocesses;
}

static void work(struct build *build, size_t own, void *window)
{
	bool found = true;

	pthread_mutex_lock(&build->lock);
	while (!is_over(build)) {
		if (!found)
			pthread_cond_wait(&build->changed, &build->lock);
		/* Its own file first: the fewer are at one, the fewer tallies it has. */
		found = false;
		for (size_t i = 0; !found && !build->error && i < build->jobs; i++)
			found = go_on(build, &build->files[(own + i) % build->jobs], window);
	}
	pthread_mutex_unlock(&build->lock);
}

struct worker {
	struct build *build;
	size_t own;
	pthread_t thread;
	bool started;
};

static void *run(void *data)
{
	struct worker *worker = data;
	void *window = aligned_alloc(64, WINDOW);

	if (window)
		work(worker->build, worker->own, window);
	free(window);
	return window ? worker : NULL;
}

/* This thread and others; those that cannot be started are not missed. */
static void run_all(struct build *build)
{
	struct worker workers[JOBS_MAX];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK);
	for (size_t i = 1; i < build->jobs; i++) {
		workers[i] = (struct worker){ .build = build, .own = i };
		workers[i].started = !pthread_create(&workers[i].thread, &small, run, &workers[i]);
	}
	pthread_attr_destroy(&small);
	workers[0] = (struct worker){ .build = build };
	if (!run(&workers[0]))
		fail(build, -ENOMEM);
	for (size_t i = 1; i < build->jobs; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
}

static size_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (size_t)CPU_COUNT(&set);
}

static uint64_t bytes_of(char *const *paths, size_t count)
{
	struct stat status;
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		if (!stat(paths[i], &status) && S_ISREG(status.st_mode))
			bytes += (uint64_t)status.st_size;
	return bytes;
}

int summary_build(struct summary *summary, char *const *paths, size_t count,
		  const struct summary_options *options)
{
	struct build build = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
			       .summary = summary, .options = options };

	build.error = gather_begin(summary, count);
	if (build.error)
		return build.error;
	summary->names = options->names;
	summary->failed = options->failed;
	summary->chosen = options->failed || options->in_range;
	for (size_t i = 0; i < count; i++)
		summary->processes[i].path = paths[i];
	build.jobs = options->jobs ? options->jobs : processors();
	build.jobs = build.jobs < JOBS_MAX ? build.jobs : JOBS_MAX;
	build.whole = bytes_of(paths, count);
	build.files = calloc(build.jobs, sizeof(*build.files));
	if (build.files)
		run_all(&build);
	else
		build.error = -ENOMEM;
	/* There are files left after an error only. */
	for (size_t i = 0; build.files && i < build.jobs; i++)
		if (build.files[i].used)
			close_file(&build.files[i]);
	free(build.files);
	return build.error ? build.error : gather_finish(summary, options);
}
