/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, by the table of commands.def. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/commands.h"
#include "tracefile/demangle.h"

struct selector;

enum {
	OPTIONS_END = -1,	/* optind is the first argument */
	OPTIONS_ENOUGH = -2,	/* help or version was printed */
	OPTIONS_WRONG = -3	/* after a message */
};

/*
 * The next option's letter, its value in optarg, or one of the above; in
 * getopt(3)'s manner. argv[0] is the subcommand's name.
 */
int options_next(int argc, char **argv);

/* 0 if a program stands at optind, else OPTIONS_WRONG. */
int options_program(int argc, char **argv);

/*
 * One line if a word behind the program at optind, before which no -- stands, is a long option of
 * the subcommand's: it may be the program's own, too.
 */
void options_misplaced(int argc, char **argv);

/* The exit status that belongs to OPTIONS_ENOUGH and OPTIONS_WRONG. */
int options_status(int option);

/* Complains of a word that is none of words, ended by NULL; what: "command", "option of run". */
void options_unknown(const char *what, const char *word, const char *const *words,
		     const char *command);

/* Whether word is one of the alternatives of values, "a|b". */
bool options_among(const char *values, const char *word);

/* Whether text is a selector; what: "--functions: ", or "". 0, or -1 after a message. */
int options_selector(const char *what, const char *text);

/*
 * One line if parts of a selector took none of the functions there were in the
 * inputs. what: as above.
 */
void options_unmatched(const char *what, const struct selector *selector);

/* The value of --in-range: a glob, which has to stay. 0, or -1 after a message. */
int options_range(const char *value, const char **glob);

/* One line: it took none of the ranges there were in the inputs. */
void options_no_range(const char *glob);

/* The value of --demangle. 0, or -1 after a message. */
int options_names(const char *word, enum demangle *how);

#endif
