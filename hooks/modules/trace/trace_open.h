/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that have begun and not ended, for who reads the file of a process that hangs. */
#ifndef HOOKS_MODULES_TRACE_TRACE_OPEN_H
#define HOOKS_MODULES_TRACE_TRACE_OPEN_H

#include <stdint.h>

/* Context: setup. For functions of a selector, in ranges of another, or -1; priority: outside of the trace's. 0 or -errno. */
int trace_open_setup(const char *functions, int in_range, int32_t priority);

#endif
