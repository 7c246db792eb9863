/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the trace hook. */
#ifndef HOOKS_MODULES_TRACE_TRACE_OPTIONS_H
#define HOOKS_MODULES_TRACE_TRACE_OPTIONS_H

#include <cuaudit/hook.h>

#include "hooks/modules/trace/trace_file.h"

/* Texts are the core's or static; NULL: not given. */
struct trace_options {
	struct trace_file_settings file;
	const char *functions;
	const char *libraries;
	const char *threads;
	const char *start;
	const char *stop;
	const char *open;	/* "" for none */
	const char *backtrace;
	const char *python;
	uint32_t frames;
	int in_range;		/* a selector of ranges, -1: all */
	bool text, print, failed, error_text, ranges;
	uint32_t strings;
	uint32_t elements;
	uint64_t least_ns;
};

extern const struct cuaudit_option trace_option_table[];

/* Context: setup. 0, or -ECANCELED after a message. */
int trace_options_read(const struct cuaudit_options *given, struct trace_options *options);

/* Context: setup. A time such as 10us or 5s in nanoseconds. 0 or -EINVAL. */
int trace_options_time(const char *text, uint64_t *ns);

#endif
