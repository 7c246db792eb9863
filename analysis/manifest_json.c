/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest as one JSON object. */
#include <string.h>

#include "analysis/manifest.h"
#include "print/print.h"
#include "util/buffer.h"
#include "util/writer.h"

static void result(struct writer *json, int32_t value)
{
	char text[64];
	struct buffer out = { text, sizeof(text), 0 };

	print_result_name(&out, NULL, value);
	buffer_end(&out);
	writer_text(json, "result", text);
}

static void site(struct writer *json, const struct manifest *manifest, const struct manifest_site *first)
{
	writer_text(json, "library", manifest_library(manifest, first->library));
	writer_hex(json, "offset", first->offset);
}

static void first_call(struct writer *json, const struct manifest *manifest,
		       const struct manifest_site *first)
{
	writer_begin(json, "first_call", '{');
	site(json, manifest, first);
	writer_number(json, "at_ns", first->ns);
	writer_end(json, '}');
}

static void newest(struct writer *json, const struct manifest *manifest, const char *key,
		   const struct manifest_newest *most)
{
	unsigned int branch = most->version ? manifest_branch(most->version) : 0;

	writer_begin(json, key, '{');
	writer_known(json, "cuda_version", most->version, most->version);
	writer_known(json, "branch", branch, branch);
	writer_text(json, "function", most->symbol);
	writer_text(json, "library", most->version ? manifest_library(manifest, most->library) : NULL);
	writer_end(json, '}');
}

static void calls(struct writer *json, const struct manifest *manifest, uint32_t library)
{
	writer_begin(json, "called", '[');
	for (uint32_t i = 0; i < manifest->calls.count; i++) {
		const struct manifest_calls *row = manifest->by_calls[i];
		const struct manifest_function *function = manifest_function(manifest, row->function);

		if (row->library != library)
			continue;
		writer_begin(json, NULL, '{');
		writer_text(json, "function", function->symbol);
		writer_text(json, "base", function->base);
		writer_known(json, "cuda_version", function->version, function->version);
		writer_number(json, "calls", row->count);
		first_call(json, manifest, &row->first);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void request(struct writer *json, const struct manifest *manifest,
		    const struct manifest_request *row)
{
	writer_text(json, "base", row->base);
	writer_signed(json, "version", row->version);
	writer_number(json, "flags", row->flags);
	writer_text(json, "answer", manifest_answer_words[row->answer]);
	writer_text(json, "function", row->symbol);
	writer_known(json, "cuda_version", row->since, row->since);
	writer_number(json, "requests", row->count);
	writer_number(json, "calls", row->called);
	writer_number(json, "calls_by_others", row->called_by_others);
	if (row->answer != MANIFEST_FOUND)
		writer_flag(json, "went_on", row->went_on);
	first_call(json, manifest, &row->first);
}

static void requests(struct writer *json, const struct manifest *manifest, uint32_t library)
{
	writer_begin(json, "asked_for", '[');
	for (uint32_t i = 0; i < manifest->requests.count; i++) {
		if (manifest->by_request[i]->library != library)
			continue;
		writer_begin(json, NULL, '{');
		request(json, manifest, manifest->by_request[i]);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

/* Those that called, in their order; each that asked has called. */
static void libraries(struct writer *json, const struct manifest *manifest)
{
	uint32_t last = TABLE_NONE;

	writer_begin(json, "libraries", '[');
	for (uint32_t i = 0; i < manifest->calls.count; i++) {
		uint32_t library = manifest->by_calls[i]->library;

		if (library == last)
			continue;
		last = library;
		writer_begin(json, NULL, '{');
		writer_text(json, "path", manifest_library(manifest, library));
		calls(json, manifest, library);
		requests(json, manifest, library);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void missing(struct writer *json, const struct manifest *manifest)
{
	WRITER_OBJECTS(json, "unsupported", i, manifest->unsupported.count) {
		const struct manifest_unsupported *row = manifest->by_unsupported[i];

		writer_text(json, "function", manifest_function(manifest, row->function)->symbol);
		result(json, row->result);
		writer_number(json, "calls", row->count);
		writer_flag(json, "went_on", row->went_on);
		first_call(json, manifest, &row->first);
	}
}

static void evidence(struct writer *json, const struct manifest *manifest, uint32_t question)
{
	writer_begin(json, "calls", '[');
	for (uint32_t i = 0; i < manifest->evidence.count; i++) {
		const struct manifest_evidence *row = manifest->by_evidence[i];

		if (row->question != question)
			continue;
		writer_begin(json, NULL, '{');
		writer_text(json, "function", manifest_function(manifest, row->function)->symbol);
		writer_text(json, "library", manifest_library(manifest, row->library));
		writer_text(json, "reason", row->text);
		writer_number(json, "calls", row->count);
		first_call(json, manifest, &row->first);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void verdicts(struct writer *json, const struct manifest *manifest, const char *trial)
{
	writer_begin(json, "in_this_run", '{');
	for (uint32_t i = 0; i < MANIFEST_QUESTIONS; i++) {
		writer_begin(json, manifest_question_keys[i], '{');
		writer_text(json, "survives", manifest_verdict_words[manifest->verdicts[i]]);
		writer_text(json, "reason", manifest->reasons[i]);
		evidence(json, manifest, i);
		if (i == MANIFEST_NO_DEVICE)
			writer_text(json, "try", *trial ? trial : NULL);
		writer_end(json, '}');
	}
	writer_end(json, '}');
}

static void describe(struct writer *json, const struct manifest_process *process)
{
	writer_text(json, "host", process->host);
	writer_number(json, "pid", process->pid);
	writer_number(json, "parent", process->parent);
	writer_text(json, "program", process->program);
	writer_number(json, "calls", process->calls);
	writer_flag(json, "partial", process->partial);
}

static void processes(struct writer *json, const struct manifest *manifest)
{
	WRITER_OBJECTS(json, "processes", i, manifest->nprocesses) {
		const struct manifest_process *process = &manifest->processes[i];

		writer_text(json, "file", process->path);
		writer_text(json, "fault", process->fault);
		if (!process->fault)
			describe(json, process);
	}
}

void manifest_json(const struct manifest *manifest, struct out *out)
{
	struct writer json = { .out = out };
	struct out trial = { 0 };

	manifest_trial(manifest, &trial);
	out_bytes(&trial, "", 1);
	writer_begin(&json, NULL, '{');
	writer_number(&json, "version", 1);
	writer_text(&json, "kind", "manifest");
	writer_number(&json, "calls", manifest->ncalls);
	writer_known(&json, "driver_cuda_version", manifest->driver, manifest->driver);
	writer_flag(&json, "partial", manifest->partial);
	writer_flag(&json, "requests_unrecorded", manifest->unrecorded);
	writer_number(&json, "unknown_functions", manifest->unknown);
	writer_begin(&json, "lowest_driver", '{');
	newest(&json, manifest, "called", &manifest->called);
	newest(&json, manifest, "asked_for_and_not_called", &manifest->wanted);
	newest(&json, manifest, "highest_version_asked_for", &manifest->asked);
	writer_end(&json, '}');
	libraries(&json, manifest);
	missing(&json, manifest);
	verdicts(&json, manifest, trial.error ? "" : trial.data);
	processes(&json, manifest);
	writer_end(&json, '}');
	out_text(out, "\n");
	if (trial.error)
		out->error = trial.error;
	out_free(&trial);
}
