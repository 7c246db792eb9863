/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest as text for people. */
#include <string.h>

#include "analysis/manifest.h"
#include "analysis/text_page.h"
#include "print/print.h"
#include "util/buffer.h"

static const char *const titles[MANIFEST_QUESTIONS] = {
	[MANIFEST_FORK] = "fork", [MANIFEST_CHECKPOINT] = "checkpoint", [MANIFEST_MPS] = "MPS",
	[MANIFEST_NO_DEVICE] = "no device"
};

/* The first one ends the text. */
static const char look_up[] =
#define LOOKS_UP(symbol) #symbol "\0"
#include "analysis/manifest.def"
;

static void printed(struct out *out, const char *text)
{
	out_printed(out, text, strlen(text));
}

/* "12.4" */
enum { VERSION = 32 };
static const char *version_text(char text[VERSION], uint32_t number)
{
	struct buffer out = { text, VERSION, 0 };

	buffer_unsigned(&out, number / 1000);
	buffer_char(&out, '.');
	buffer_unsigned(&out, number % 1000 / 10);
	buffer_end(&out);
	return text;
}

static void version(struct out *out, uint32_t number)
{
	char text[VERSION];

	out_text(out, version_text(text, number));
}

/* "CUDA 12.4 (r550)" */
static void driver(struct out *out, uint32_t number)
{
	unsigned int branch = manifest_branch(number);

	out_text(out, "CUDA ");
	version(out, number);
	if (!branch) {
		out_text(out, " (newer than this cuaudit knows)");
		return;
	}
	out_text(out, " (r");
	out_u64(out, branch);
	out_text(out, ")");
}

/* "libx.so+0x12" */
static void site(struct out *out, const struct manifest *manifest, const struct manifest_site *first)
{
	printed(out, page_component(manifest_library(manifest, first->library)));
	out_text(out, "+");
	out_hex(out, first->offset);
}

static void newest(struct out *out, const struct manifest *manifest, const char *title,
		   const struct manifest_newest *most, const char *behind)
{
	out_text(out, "  ");
	out_left(out, title, 28);
	if (!most->version) {
		out_text(out, "nothing\n");
		return;
	}
	driver(out, most->version);
	out_text(out, ": ");
	printed(out, most->symbol);
	out_text(out, " of ");
	printed(out, page_component(manifest_library(manifest, most->library)));
	out_text(out, behind);
	out_text(out, "\n");
}

static void lowest(struct out *out, const struct manifest *manifest)
{
	out_text(out, "\nLowest driver\n");
	newest(out, manifest, "called, must have", &manifest->called, "");
	newest(out, manifest, "asked for, never called", &manifest->wanted, "");
	newest(out, manifest, "highest version asked for", &manifest->asked,
	       "; an older driver refuses that request");
	if (!manifest->unknown)
		return;
	out_text(out, "  newer than this cuaudit knows: ");
	out_plural(out, manifest->unknown, "function");
	out_text(out, " called\n");
}

static void calls(struct out *out, const struct manifest *manifest, const struct manifest_calls *row)
{
	const struct manifest_function *function = manifest_function(manifest, row->function);
	char text[VERSION];

	out_right(out, out_count(row->count).text, 12);
	out_text(out, "  ");
	out_left(out, function->version ? version_text(text, function->version) : "newer", 7);
	printed(out, function->symbol);
	if (strcmp(function->symbol, function->base)) {
		out_text(out, " (");
		printed(out, function->base);
		out_text(out, ")");
	}
	out_text(out, "\n");
}

static void number(struct out *out, int32_t value)
{
	if (value < 0)
		out_text(out, "-");
	out_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void request(struct out *out, const struct manifest_request *row)
{
	uint64_t count = row->called + row->called_by_others;

	out_right(out, out_count(row->count).text, 12);
	out_text(out, "  ");
	printed(out, row->base);
	out_text(out, " of ");
	number(out, row->version);
	if (row->flags) {
		out_text(out, ", flags ");
		out_u64(out, row->flags);
	}
	out_text(out, ": ");
	out_text(out, manifest_answer_words[row->answer]);
	if (row->symbol) {
		out_text(out, ", ");
		printed(out, row->symbol);
	}
	out_text(out, count || row->answer != MANIFEST_FOUND ? "" : ", never called");
	out_text(out, count && !row->called ? ", called by others alone" : "");
	out_text(out, "\n");
}

static void requests(struct out *out, const struct manifest *manifest, uint32_t library)
{
	bool any = false;

	for (uint32_t i = 0; i < manifest->requests.count; i++) {
		const struct manifest_request *row = manifest->by_request[i];

		if (row->library != library)
			continue;
		if (!any) {
			out_text(out, "    Requests  Asked for by ");
			out_text(out, look_up);
			out_text(out, ", name of version: answer\n");
		}
		any = true;
		request(out, row);
	}
}

/* In the order of calls, which is by library. */
static void libraries(struct out *out, const struct manifest *manifest)
{
	uint32_t last = TABLE_NONE;

	for (uint32_t i = 0; i < manifest->calls.count; i++) {
		const struct manifest_calls *row = manifest->by_calls[i];

		if (row->library != last) {
			if (last != TABLE_NONE)
				requests(out, manifest, last);
			out_text(out, "\n");
			printed(out, manifest_library(manifest, row->library));
			out_text(out, "\n       Calls  Since  Function called (asked for as)\n");
		}
		last = row->library;
		calls(out, manifest, row);
	}
	if (last != TABLE_NONE)
		requests(out, manifest, last);
}

static void result(struct out *out, int32_t value)
{
	char text[64];
	struct buffer buffer = { text, sizeof(text), 0 };

	print_result_name(&buffer, NULL, value);
	buffer_end(&buffer);
	printed(out, text);
}

/* What was said, how often, from where, and what came of it. */
static void missing_end(struct out *out, const struct manifest *manifest, uint64_t count,
			const struct manifest_site *first, bool went_on)
{
	out_text(out, ", ");
	out_plural(out, count, "call");
	out_text(out, ", first at ");
	site(out, manifest, first);
	out_text(out, went_on ? "; the program called the driver after it\n" :
				"; the program did not call the driver after it\n");
}

static void missing(struct out *out, const struct manifest *manifest)
{
	bool any = false;

	out_text(out, "\nMissing on this driver\n");
	for (uint32_t i = 0; i < manifest->requests.count; i++) {
		const struct manifest_request *row = manifest->by_request[i];

		if (row->answer == MANIFEST_FOUND)
			continue;
		any = true;
		out_text(out, "  ");
		printed(out, row->base);
		out_text(out, " of ");
		number(out, row->version);
		out_text(out, ": ");
		out_text(out, manifest_answer_words[row->answer]);
		if (row->since) {
			out_text(out, ", there from CUDA ");
			version(out, row->since);
		} else {
			out_text(out, ", not known to this cuaudit");
		}
		missing_end(out, manifest, row->count, &row->first, row->went_on);
	}
	for (uint32_t i = 0; i < manifest->unsupported.count; i++) {
		const struct manifest_unsupported *row = manifest->by_unsupported[i];

		any = true;
		out_text(out, "  ");
		printed(out, manifest_function(manifest, row->function)->symbol);
		out_text(out, ": ");
		result(out, row->result);
		missing_end(out, manifest, row->count, &row->first, row->went_on);
	}
	if (!any)
		out_text(out, "  nothing in this run\n");
}

static void evidence(struct out *out, const struct manifest *manifest, uint32_t question)
{
	for (uint32_t i = 0; i < manifest->evidence.count; i++) {
		const struct manifest_evidence *row = manifest->by_evidence[i];

		if (row->question != question)
			continue;
		out_text(out, "      ");
		printed(out, manifest_function(manifest, row->function)->symbol);
		out_text(out, " of ");
		printed(out, page_component(manifest_library(manifest, row->library)));
		out_text(out, ", ");
		out_plural(out, row->count, "call");
		out_text(out, ", first at ");
		site(out, manifest, &row->first);
		out_text(out, ": ");
		out_text(out, row->text);
		out_text(out, "\n");
	}
}

static void verdicts(struct out *out, const struct manifest *manifest)
{
	struct out trial = { 0 };

	out_text(out, "\nWould it survive? As seen in this run\n");
	for (uint32_t i = 0; i < MANIFEST_QUESTIONS; i++) {
		out_text(out, "  ");
		out_left(out, titles[i], 12);
		out_left(out, manifest_verdict_words[manifest->verdicts[i]], 9);
		out_text(out, manifest->reasons[i]);
		out_text(out, "\n");
		evidence(out, manifest, i);
	}
	manifest_trial(manifest, &trial);
	if (trial.used) {
		out_text(out, "      without a device: ");
		out_printed(out, trial.data, trial.used);
		out_text(out, "\n");
	}
	if (trial.error)
		out->error = trial.error;
	out_free(&trial);
}

static void title(struct out *out, const struct manifest *manifest)
{
	out_text(out, "cuaudit manifest: ");
	out_plural(out, manifest->nprocesses - manifest->nfaults, "process");
	out_text(out, ", ");
	out_plural(out, manifest->ncalls, "call");
	if (manifest->driver) {
		out_text(out, ", driver of CUDA ");
		version(out, manifest->driver);
	}
	out_text(out, "\n");
	if (!manifest->ncalls)
		out_text(out, "  no call of the driver was recorded\n");
	if (manifest->partial)
		out_text(out, "  calls are missing of these traces: there may be more of everything\n");
	if (manifest->unrecorded)
		out_text(out, "  names of requests are missing: arguments were not recorded\n");
	out_text(out, "  called: by any route; asked for: by ");
	out_text(out, look_up);
	out_text(out, " alone. Functions found otherwise and never called are not recorded\n");
}

void manifest_text(const struct manifest *manifest, struct out *out)
{
	title(out, manifest);
	lowest(out, manifest);
	libraries(out, manifest);
	missing(out, manifest);
	verdicts(out, manifest);
}
