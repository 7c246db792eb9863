/* SPDX-License-Identifier: Apache-2.0 */
/* Another program, run to hear what it says. */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

enum { CHILD_SECONDS = 10 };

struct child {
	char *out, *err;	/* all it wrote, NUL-terminated; child_free frees them */
	int status;		/* of wait(2) */
};

/*
 * Runs argv[0], a path, with no input, for CHILD_SECONDS at most. prepare runs in
 * the child before. 0 or -errno; a program that cannot be run ends with 127.
 */
int child_run(struct child *child, char *const argv[], void (*prepare)(const void *data),
	      const void *data);

void child_free(struct child *child);

/* This program's file, as argv[0] of a child; where /proc is not there, by the name it was started by. */
const char *child_self(void);

#endif
