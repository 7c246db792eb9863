/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of the program, in the trace. */
#ifndef HOOKS_MODULES_TRACE_TRACE_RANGE_H
#define HOOKS_MODULES_TRACE_TRACE_RANGE_H

/* Context: setup, after trace_writer_setup. 0 or -errno. */
int trace_range_setup(void);

#endif
