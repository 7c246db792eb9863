/* SPDX-License-Identifier: Apache-2.0 */
/* When the stat hook's report is printed: at the end, every so often. */
#ifndef HOOKS_MODULES_STAT_PRINT_H
#define HOOKS_MODULES_STAT_PRINT_H

#include <stdint.h>

/* interval_ns: 0 for none, else a thread prints that often. Context: setup. */
void stat_print_setup(int json, uint32_t threads, uint64_t interval_ns);

/* Context: setup. Ends the thread and prints; whether all there is to report was written. */
int stat_print_finish(void);

/* Context: call, in the child of fork: it has no printing thread. */
void stat_print_forked(void);

#endif
