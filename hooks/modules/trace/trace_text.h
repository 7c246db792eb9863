/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as lines of text, while the program runs. */
#ifndef HOOKS_MODULES_TRACE_TRACE_TEXT_H
#define HOOKS_MODULES_TRACE_TRACE_TEXT_H

#include <cuaudit/call.h>

/* Context: setup. 0 or -errno. */
int trace_text_setup(void);

/* Context: call. Writes a call that has ended, in one write. */
void trace_text(const struct cuaudit_call *call);

/* Context: setup. Says how many lines could not be written. */
void trace_text_finish(void);

/* Context: call, in the child of fork. */
void trace_text_forked(void);

#endif
