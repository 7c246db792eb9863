/* SPDX-License-Identifier: Apache-2.0 */
/* Comma-separated values, RFC 4180. */
#include <string.h>

#include "analysis/kernel_launch.h"
#include "export/argument_text.h"
#include "export/fields.h"
#include "export/formats.h"
#include "export/lines.h"

static const char header[] =
	"host,pid,rank,thread,tid,thread_name,start,duration,correlation,depth,function,library,"
	"caller,result,kernel,arguments,caller_function,caller_file,caller_line,range\r\n";

/* What is within quotes. */
static void quoted(struct buffer *out, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\"");

		buffer_printed(out, text, length);
		text += length;
		if (*text) {
			buffer_text(out, "\"\"");
			text++;
		}
	}
}

/* Spreadsheets do not take for a formula what an apostrophe begins. */
static void put_text(struct buffer *out, const char *text)
{
	bool formula = *text && strchr("=+-@\t\r\n", *text);

	if (formula || strpbrk(text, ",\"")) {
		buffer_text(out, formula ? "\"'" : "\"");
		quoted(out, text);
		buffer_char(out, '"');
	} else {
		buffer_name(out, text);
	}
}

static void text_field(struct buffer *out, const char *text)
{
	put_text(out, text);
	buffer_char(out, ',');
}

static void number_field(struct buffer *out, uint64_t number)
{
	buffer_unsigned(out, number);
	buffer_char(out, ',');
}

static void thread_fields(struct buffer *out, const struct trace *trace, uint32_t number)
{
	const struct trace_thread *thread = trace_thread(trace, number);

	text_field(out, trace->header.host);
	number_field(out, trace->header.pid);
	if (trace->header.rank >= 0)
		buffer_signed(out, trace->header.rank);
	buffer_char(out, ',');
	number_field(out, number);
	if (fields_tid(thread))
		buffer_signed(out, fields_tid(thread));
	buffer_char(out, ',');
	text_field(out, fields_thread_name(thread));
}

static void site_fields(struct buffer *out, const struct trace *trace, uint32_t site)
{
	char text[FIELDS_PLACE];

	text_field(out, convert_function(trace, site)->name);
	text_field(out, convert_library(trace, site)->name);
	text_field(out, fields_site(text, trace, site));
}

/* "name = value, ...", quoted: there are commas. */
static void arguments_field(struct buffer *out, const struct trace_arguments *arguments)
{
	const struct trace_function *function = arguments->function;

	buffer_char(out, '"');
	for (uint32_t i = 0; i < function->nparams; i++) {
		char text[ARGUMENTS_TEXT];

		if (i)
			buffer_text(out, ", ");
		buffer_text(out, function->params[i].name);
		buffer_text(out, " = ");
		arguments_value(text, sizeof(text), arguments, function->params, i);
		quoted(out, text);
	}
	if (function->has_others)
		buffer_text(out, function->nparams ? ", ..." : "...");
	buffer_char(out, '"');
}

/* Kernel and arguments. */
static void arguments_fields(struct buffer *out, const struct convert *convert,
			     const struct trace *trace, const struct trace_call *call)
{
	const struct launch_plan plan = launch_plan(convert_function(trace, call->site));
	struct trace_arguments arguments;
	struct launch launch;
	bool known = call->arguments && (!convert->choice.no_arguments || plan.launches) &&
		     trace_arguments_read(&arguments, trace, call);

	text_field(out, known && launch_read(&launch, &plan, trace, call, &arguments) ?
			launch.kernel->name : "");
	if (known && !convert->choice.no_arguments)
		arguments_field(out, &arguments);
	buffer_char(out, ',');
}

/* Function, file and line of the caller. */
static void caller_fields(struct buffer *out, const struct convert *convert,
			  const struct trace *trace, uint32_t site)
{
	struct symbol_stack found = lines_site(convert, trace, site);
	const char *file = found.count ? found.at->file : NULL;

	text_field(out, found.count ? found.at->function : "");
	text_field(out, file ? file : "");
	if (file)
		buffer_unsigned(out, found.at->line);
	buffer_char(out, ',');
}

/* The last field, and the end of the line. */
static void range_field(struct buffer *out, const struct convert *convert, uint32_t thread,
			uint64_t start)
{
	const struct trace_range *range = convert_range(convert, thread, start);

	put_text(out, range ? range->text : "");
	buffer_text(out, "\r\n");
}

/* A number is no formula. */
static void result_field(struct buffer *out, const struct trace *trace, const struct trace_call *call)
{
	char text[ARGUMENTS_RESULT];

	if (strchr(arguments_result(text, trace, call), '"'))
		put_text(out, text);
	else
		buffer_text(out, text);
	buffer_char(out, ',');
}

static int csv_begin(struct convert *convert)
{
	sink_text(convert->sink, header);
	return convert->sink->error;
}

static int csv_call(struct convert *convert, const struct trace *trace,
		    const struct trace_call *call)
{
	SINK_PRINT(convert->sink, out) {
		thread_fields(out, trace, call->thread);
		number_field(out, trace_ns(trace, call->start));
		number_field(out, trace_duration(trace, call->end - call->start));
		number_field(out, call->correlation);
		number_field(out, call->depth);
		site_fields(out, trace, call->site);
		result_field(out, trace, call);
		arguments_fields(out, convert, trace, call);
		caller_fields(out, convert, trace, call->site);
		range_field(out, convert, call->thread, call->start);
	}
	return convert->sink->error;
}

/* Without a correlation and a result. */
static int csv_open(struct convert *convert, const struct trace *trace,
		    const struct convert_open *open)
{
	SINK_PRINT(convert->sink, out) {
		thread_fields(out, trace, open->thread);
		number_field(out, trace_ns(trace, open->start));
		number_field(out, trace_duration(trace, open->seen - open->start));
		buffer_char(out, ',');
		number_field(out, open->depth);
		site_fields(out, trace, open->site);
		buffer_text(out, ",,,");
		caller_fields(out, convert, trace, open->site);
		range_field(out, convert, open->thread, open->start);
	}
	return convert->sink->error;
}

const struct convert_format convert_csv = {
	.name = "csv", .order = CONVERT_BY_TIME, .target = CONVERT_STREAM, .ranges = true,
	.begin = csv_begin, .call = csv_call, .open = csv_open,
};
