/* SPDX-License-Identifier: Apache-2.0 */
/* The files a subcommand is given to read. */
#ifndef TOOLS_INPUTS_H
#define TOOLS_INPUTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum input_kind {
	INPUT_TRACE = 1,	/* of the trace hook */
	INPUT_STAT = 2,		/* of the stat hook */
	INPUT_LEAK = 4		/* JSON, of a hook; by its name alone, not of a directory */
};

/* Which process's, of which program: no two recordings are alike. A key, all bytes of it. */
struct input_recording {
	uint64_t start;		/* ns since the epoch; 0: not known */
	uint64_t clock;		/* of a trace, the ticks then; of statistics, when the process began */
	uint32_t pid;
	uint32_t kind;
	char host[64];
};

struct input {
	char *path;
	enum input_kind kind;	/* by its magic alone: the rest is the reader's to check */
	dev_t device;		/* which file it is, by whatever path */
	ino_t inode;
	struct input_recording recording;
	size_t directory;		/* the argument that it was in, from 1; 0 if it is one itself */
};

struct inputs {
	struct input *files;
	size_t count;
	size_t refused;		/* arguments that are no directories, and were left out */
};

/*
 * Takes the files that arguments name, in their order; one that is named again, by
 * whatever path, once; a copy, which is another file of the same recording, is refused.
 * A directory stands for the files of these kinds in it: traces, *.cutrace and, of
 * older writers, *.cutrace.N, and statistics, *.part and *.part.N, with numbers in names
 * in the order of numbers. What cannot be read, or is none of kinds, is left out after a
 * line on stderr. TOOL_OK, or TOOL_FAILED if anything was left out;
 * inputs_free in both cases.
 */
int inputs_take(struct inputs *inputs, char *const *arguments, size_t count, unsigned int kinds);

/*
 * Whether an output may be called target, NULL or "-" for standard output: TOOL_OK, or TOOL_FAILED after a
 * line on stderr if that is one of the files, which it would replace.
 */
int inputs_spare(const struct inputs *inputs, const char *target);

void inputs_free(struct inputs *inputs);

#endif
