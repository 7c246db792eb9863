/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is converted: what is taken of it. */
#include "export/file.h"

#include <cuaudit/api.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracefile/losses.h"
#include "util/selector.h"

/* Of a domain that is not the driver's, the id that all its functions have. */
static int32_t id_of(const struct trace_function *function)
{
	return function->runtime ? CUAUDIT_ID_RUNTIME :
	       function->provided ? CUAUDIT_ID_PROVIDER : function->row;
}

/* The function as selectors know it. */
static bool takes(const struct selector *selector, const struct trace_function *function)
{
	const struct cuaudit_function known = {
		.name = function->name,
		.base = function->base,
		.id = id_of(function),
		.classes = function->classes,
	};

	return selector_takes(selector, &known);
}

static int choose_functions(struct convert_file *file, const struct selector *selector)
{
	if (!selector)
		return 0;
	file->taken = calloc(file->trace.nfunctions + 1, sizeof(*file->taken));
	if (!file->taken)
		return -ENOMEM;
	for (size_t i = 0; i < file->trace.nfunctions; i++)
		file->taken[i] = takes(selector, &file->trace.functions[i]);
	return 0;
}

int convert_file_open(struct convert_file *file, struct convert *convert, const char *path)
{
	const char *fault;
	int error;

	*file = (struct convert_file){ .timed = convert->choice.from ||
						convert->end_ns != UINT64_MAX };
	fault = trace_open(&file->trace, path);
	if (fault) {
		convert->complain(path, fault);
		return -EINVAL;
	}
	error = trace_demangle(&file->trace, convert->choice.names);
	if (error)
		return error;
	file->seen = file->trace.start_ticks;
	convert_file_saw(file, file->trace.header.end_ticks);
	if (convert->format->open)
		error = trace_until(&file->trace, &file->opens_end);
	if (!error)
		error = choose_functions(file, convert->choice.functions);
	if (!error &&
	    (convert->format->range || convert->format->ranges || convert->choice.in_range))
		error = trace_ranges_read(&file->ranges, &file->trace);
	file->trace.damaged += file->ranges.damaged;
	if (!error && convert->choice.in_range) {
		file->texts = trace_ranges_match(&file->ranges, convert->choice.in_range,
						 &convert->pushed);
		error = file->texts ? 0 : -ENOMEM;
	}
	if (file->timed) {
		file->from = trace_ticks_since(&file->trace, convert->first_ns);
		file->until = trace_ticks_since(&file->trace, convert->end_ns);
	}
	return error;
}

void convert_file_close(struct convert_file *file)
{
	if (file->merge)
		trace_merge_close(file->merge);
	free(file->taken);
	lines_file_free(&file->lines);
	free(file->texts);
	trace_ranges_free(&file->ranges);
	trace_close(&file->trace);
}

void convert_losses(struct buffer *out, const struct trace *trace, uint64_t damaged)
{
	struct trace_losses losses = trace_losses(trace, damaged);

	trace_losses_print(out, &losses);
}

void convert_file_complain(const struct convert_file *file, struct convert *convert)
{
	struct trace_losses losses = trace_losses(&file->trace, convert->damaged);
	char text[512] = "";
	struct buffer out = { text, sizeof(text), 0 };

	trace_losses_print(&out, &losses);
	if (*text)
		convert->complain(file->trace.path, text);
	convert->incomplete |= trace_losses_any(&losses);
	if (!file->trace.steps)
		return;
	out = (struct buffer){ text, sizeof(text), 0 };
	buffer_text(&out, "the time of day was set meanwhile, ");
	buffer_unsigned(&out, file->trace.steps);
	buffer_text(&out, file->trace.steps == 1 ? " time" : " times");
	buffer_text(&out, "; times are by the clock of the start");
	buffer_end(&out);
	convert->complain(file->trace.path, text);
}

int convert_each_loss(struct convert *convert, const struct trace *trace,
		      int (*take)(struct convert *convert, const struct trace *trace,
				  const char *reason, uint64_t count))
{
	uint64_t damaged = trace->damaged + convert->damaged;
	int error = 0;

	for (uint32_t i = 0; !error && i < CUAUDIT_TRACE_LOSSES; i++)
		if (trace_lost(trace, i))
			error = take(convert, trace, trace_losses_why(i), trace_lost(trace, i));
	for (uint32_t i = 0; !error && i < CUAUDIT_TRACE_RANGES_LOSSES; i++)
		if (trace->header.lost_ranges[i])
			error = take(convert, trace, trace_losses_range(i), trace->header.lost_ranges[i]);
	if (!error && damaged)
		error = take(convert, trace, "damaged parts", damaged);
	if (!error && trace->torn)
		error = take(convert, trace, "bytes of a torn chunk", trace->torn);
	if (!error && trace->cut)
		error = take(convert, trace, "bytes that were cut off", trace->cut);
	return error;
}
