/* SPDX-License-Identifier: Apache-2.0 */
/* Files that declare far more than they hold, and how much memory a program takes for one. */
/*
 *	sparse trace FILE CHUNK COUNT	COUNT chunks that declare a description of all of each
 *	sparse stat FILE SIZE		one segment of that size
 *	sparse run COMMAND...		its status, and its memory at most, in KiB
 */
#include <cuaudit/stat.h>
#include <cuaudit/trace.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int put(int fd, const void *data, size_t size, uint64_t offset)
{
	return pwrite(fd, data, size, (off_t)offset) != (ssize_t)size;
}

static int trace(int fd, uint64_t chunk, uint64_t count)
{
	struct cuaudit_trace_header header = {
		.order = CUAUDIT_TRACE_ORDER, .version = CUAUDIT_TRACE_VERSION,
		.chunk = (uint32_t)chunk, .clock_mult = 1, .rank = -1,
	};
	struct cuaudit_trace_chunk begin = { .kind = CUAUDIT_TRACE_DESCRIPTIONS };
	struct cuaudit_trace_record record = {
		.type = CUAUDIT_TRACE_LIBRARY, .size = (uint32_t)(chunk - sizeof(begin)),
	};
	int wrong;

	memcpy(header.magic, CUAUDIT_TRACE_MAGIC, sizeof(header.magic));
	wrong = put(fd, &header, sizeof(header), 0);
	for (uint64_t i = 1; i <= count; i++) {
		begin.sequence = i;
		wrong |= put(fd, &begin, sizeof(begin), i * chunk) ||
			 put(fd, &record, sizeof(record), i * chunk + sizeof(begin));
	}
	/* Chunks without anything. */
	return wrong || ftruncate(fd, (off_t)1 << 42);
}

static int stat_file(int fd, uint64_t size)
{
	struct cuaudit_stat_header header = {
		.order = CUAUDIT_STAT_ORDER, .version = CUAUDIT_STAT_VERSION, .segment = 1 << 30,
		.file_segments = (uint32_t)(size >> 30),
	};

	memcpy(header.magic, CUAUDIT_STAT_MAGIC, sizeof(header.magic));
	return put(fd, &header, sizeof(header), 0) || ftruncate(fd, (off_t)size);
}

static int run(char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(*argv, argv);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		return 1;
	fprintf(stderr, "%d %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, usage.ru_maxrss);
	return 0;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc > 2 && !strcmp(argv[1], "run"))
		return run(argv + 2);
	fd = argc > 3 ? open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (fd < 0)
		return 1;
	return argc > 4 ? trace(fd, strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0)) :
			  stat_file(fd, strtoull(argv[3], NULL, 0));
}
