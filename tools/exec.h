/* SPDX-License-Identifier: Apache-2.0 */
/* What subcommands that start a program share: its environment, and becoming it. */
#ifndef TOOLS_EXEC_H
#define TOOLS_EXEC_H

#include <stdbool.h>
#include <stdint.h>

/* All zero at first. Of the environment, NULL: stays as it is. */
struct launch {
	char *driver, *exclude, *functions, *hooks, *include, *output;
	const char *directory;	/* made before the program starts, unless it is there */
	const char *directory_option;	/* which it was given by */
	bool directory_new;		/* it was not there: another run may have made it since */
	uint64_t room;		/* bytes of a file that are to be had there, 0: not asked */
	/*
	 * Called, unless it is NULL, when all is ready for the program, with its
	 * name: LAUNCH_GO to become it, or the exit status.
	 */
	int (*supervise)(const struct launch *launch, const char *name);
	/*
	 * Called, unless it is NULL, for a program that cannot be audited, with the exit status that
	 * this has, and after a message, which is text: the exit status that it is to have.
	 */
	int (*refuse)(int status, const char *text);
	bool force;
};

enum { LAUNCH_OTHER = 1, LAUNCH_GO = -1 };

/*
 * Takes an option that all of them have, its value in optarg. 0; -1 after a
 * message; LAUNCH_OTHER: it is the caller's own.
 */
int exec_take(struct launch *launch, int option);

/* before, unless it is NULL, between and after, for as long as this program runs. */
char *exec_join(const char *before, const char *between, const char *after);

/* NAME=VALUE as CUAUDIT_HOOKS has it of a hook's option; NULL, after a message, if it cannot. */
char *exec_hook_option(const char *name, const char *value);

/* The same of a value that was given by what the message begins with. */
char *exec_hook_option_of(const char *given, const char *name, const char *value);

/* A value for `output` that stands for this path, whatever is in it. */
char *exec_path_template(const char *path);

/* What the hooks of cuaudit stat begin with; the run's number and a bracket follow. */
#define STAT_HOOKS "stat(print=no;run="

/* What the files of its processes are called, in a directory, and those of cuaudit trace. */
#define STAT_NAME "%h-%p"
#define TRACE_NAME "%e-%h-%p"

/* CUAUDIT_OUTPUT; NULL if not set, or if it is where a cuaudit stat or trace around us writes. */
const char *exec_inherited_output(void);

/* Refuses a directory that another run's traces are in, or will be. -1. */
int exec_refuse_earlier(const char *directory);

/* Before CUAUDIT_HOOKS becomes hooks: a check whose rules are in it, which this tool runs inside of, is told. */
void exec_tell_replaced(const char *hooks);

/* Becomes the program, argv[0]; or an exit status, after a message. */
int exec_start(const struct launch *launch, char **argv);

#endif
