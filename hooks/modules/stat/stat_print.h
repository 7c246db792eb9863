/* SPDX-License-Identifier: Apache-2.0 */
/* When the stat hook's report is printed: at the end, every so often. */
#ifndef HOOKS_MODULES_STAT_STAT_PRINT_H
#define HOOKS_MODULES_STAT_STAT_PRINT_H

#include <stdint.h>

enum stat_format { STAT_TEXT, STAT_JSON, STAT_PROMETHEUS, STAT_OPENMETRICS };

struct stat_print {
	enum stat_format format;
	int libraries;		/* in metrics */
	uint32_t threads;	/* with a line of their own */
	uint64_t interval_ns;	/* 0 for none, else a thread prints that often */
	int silent;		/* nothing is printed; the saved file is the report */
	int fail;		/* errors are a status of the process */
};

/* Context: setup. */
void stat_print_setup(const struct stat_print *settings);

/* Context: setup. Ends the thread and prints; whether the saved file has served its purpose. */
int stat_print_finish(void);

/* Context: call, in the child of fork: it has no printing thread. */
void stat_print_forked(void);

#endif
