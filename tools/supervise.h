/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a child of this one, which stands in for it. */
#ifndef TOOLS_SUPERVISE_H
#define TOOLS_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* From here on signals wait, for the program or until supervise_end. */
void supervise_begin(void);

/*
 * Forks a child that is to become the program: 0 there, as in fork(2). It is
 * killed if this process is. -errno. Once it has been waited for, another may follow.
 */
pid_t supervise_fork(void);

/* Whether it ended without becoming the program, after a message. */
bool supervise_failed(void);

/* Asked of each signal before supervise_wait gives it to the program; true: it is not to. */
void supervise_filter(bool (*take)(int number));

/*
 * Waits for it, and gives it the signals that are sent to this process alone.
 * tick, unless it is NULL, is called every interval_ns. Returns its status, of
 * wait(2).
 */
int supervise_wait(pid_t pid, uint64_t interval_ns, void (*tick)(void *data), void *data);

/*
 * From here on signals are for this process. Those that came after the program's
 * end were for the program, and are dropped.
 */
void supervise_end(void);

/*
 * Ends as the program did: by its signal, or returns the exit status. What
 * is on the standard streams is written before.
 */
int supervise_status(int status);

#endif
