/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from all traces of a manifest: the driver that is needed, and the verdicts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/manifest.h"
#include "util/sort.h"

static const char *const works[] = {
#define QUESTION(NAME, key, works, lacks) works,
#include "analysis/manifest.def"
};

static const char *const lacks[] = {
#define QUESTION(NAME, key, works, lacks) lacks,
#include "analysis/manifest.def"
};

const char *const manifest_question_keys[MANIFEST_QUESTIONS] = {
#define QUESTION(NAME, key, works, lacks) key,
#include "analysis/manifest.def"
};

const char *const manifest_verdict_words[] = {
	[MANIFEST_YES] = "yes", [MANIFEST_NO] = "no", [MANIFEST_UNKNOWN] = "unknown"
};

const char *const manifest_answer_words[MANIFEST_ANSWERS] = {
	[MANIFEST_FOUND] = "found", [MANIFEST_NOT_FOUND] = "not found",
	[MANIFEST_TOO_OLD] = "version not sufficient", [MANIFEST_REFUSED] = "refused"
};

static const char first_function[] =
#define INITIALIZES(symbol) #symbol
#include "analysis/manifest.def"
;

/* Of both rows of a comparison, which comes by the manifest that they are of. */
static const struct manifest *sorted;

static int by_library(uint32_t a, uint32_t b)
{
	return strcmp(manifest_library(sorted, a), manifest_library(sorted, b));
}

static int by_function(uint32_t a, uint32_t b)
{
	return strcmp(manifest_function(sorted, a)->symbol, manifest_function(sorted, b)->symbol);
}

static int by_calls(const void *a, const void *b)
{
	const struct manifest_calls *x = *(struct manifest_calls *const *)a,
				    *y = *(struct manifest_calls *const *)b;

	return by_library(x->library, y->library) ?: by_function(x->function, y->function);
}

static int by_request(const void *a, const void *b)
{
	const struct manifest_request *x = *(struct manifest_request *const *)a,
				      *y = *(struct manifest_request *const *)b;

	return by_library(x->library, y->library) ?: strcmp(x->base, y->base) ?:
	       ORDER(x->version, y->version) ?: ORDER(x->flags, y->flags) ?:
	       ORDER(x->answer, y->answer);
}

static int by_unsupported(const void *a, const void *b)
{
	const struct manifest_unsupported *x = *(struct manifest_unsupported *const *)a,
					  *y = *(struct manifest_unsupported *const *)b;

	return by_library(x->library, y->library) ?: by_function(x->function, y->function) ?:
	       ORDER(x->result, y->result);
}

static int by_evidence(const void *a, const void *b)
{
	const struct manifest_evidence *x = *(struct manifest_evidence *const *)a,
				       *y = *(struct manifest_evidence *const *)b;

	return ORDER(x->question, y->question) ?: ORDER(x->verdict, y->verdict) ?:
	       by_library(x->library, y->library) ?: by_function(x->function, y->function);
}

/* Pointers to the rows of a table in an order; NULL when memory is out. */
static void *sorted_rows(const struct manifest *manifest, const struct table *table,
			 sort_compare_fn compare)
{
	void **rows = calloc(table->count + 1, sizeof(*rows));

	for (uint32_t i = 0; rows && i < table->count; i++)
		rows[i] = table_row(table, i);
	sorted = manifest;
	if (rows)
		qsort(rows, table->count, sizeof(*rows), compare);
	return rows;
}

static void newest(struct manifest_newest *most, uint32_t version, uint32_t library,
		   const char *symbol)
{
	if (version > most->version)
		*most = (struct manifest_newest){ version, library, symbol };
}

static void called(struct manifest *manifest)
{
	for (uint32_t i = 0; i < manifest->calls.count; i++) {
		const struct manifest_calls *row = manifest->by_calls[i];
		struct manifest_function *function = manifest_function(manifest, row->function);

		manifest->unknown += !function->version && !function->called;
		function->called = true;
		newest(&manifest->called, function->version, row->library, function->symbol);
	}
}

/* Whether what was asked for was called, and from which version on there is such. */
static void settle(const struct manifest *manifest, struct manifest_request *request)
{
	int32_t row = manifest_resolve(request->base, request->version, request->flags);

	if (request->answer == MANIFEST_FOUND)
		request->symbol = manifest_symbol(row);
	request->since = row < 0 ? manifest_base_since(request->base) : manifest_since(row);
	for (uint32_t i = 0; i < manifest->calls.count; i++) {
		const struct manifest_calls *calls = manifest->by_calls[i];

		if (strcmp(manifest_function(manifest, calls->function)->base, request->base))
			continue;
		if (calls->library == request->library)
			request->called += calls->count;
		else
			request->called_by_others += calls->count;
	}
}

static void asked(struct manifest *manifest)
{
	for (uint32_t i = 0; i < manifest->requests.count; i++) {
		struct manifest_request *request = manifest->by_request[i];

		settle(manifest, request);
		if (request->version > 0)
			newest(&manifest->asked, (uint32_t)request->version, request->library,
			       request->base);
		if (!request->called && !request->called_by_others)
			newest(&manifest->wanted, request->since, request->library,
			       request->symbol ? request->symbol : request->base);
	}
}

/* A correlation id is the thread's number above these bits, its calls below. */
enum { THREAD_BITS = 40 };

/* A child of fork goes on counting where its parent was: its first call tells what was before. */
static bool forked_after(const struct manifest_process *child, const struct manifest_process *parent)
{
	return child != parent && child->parent == parent->pid && !strcmp(child->host, parent->host) &&
	       parent->initialised &&
	       child->first_call >> THREAD_BITS == parent->initialised >> THREAD_BITS &&
	       child->first_call > parent->initialised;
}

static bool is_forked(const struct manifest *manifest, const struct manifest_process *child)
{
	if (child->fault || !child->first_call)
		return false;
	for (size_t i = 0; i < manifest->nprocesses; i++)
		if (!manifest->processes[i].fault && forked_after(child, &manifest->processes[i]))
			return true;
	return false;
}

/* The calls that a child was refused. 0 or -ENOMEM. */
static int refusals(struct manifest *manifest, uint32_t process, bool *any)
{
	for (uint32_t i = 0; i < manifest->refused.count; i++) {
		const struct manifest_calls *calls = table_row(&manifest->refused, i);
		const uint32_t *key = manifest->refused.keys[i].bytes;
		struct manifest_evidence *row;

		if (key[0] != process)
			continue;
		row = manifest_evidence(manifest, MANIFEST_FORK, MANIFEST_NO,
					"refused in a forked process: CUDA_ERROR_NOT_INITIALIZED",
					calls->function, calls->library);
		if (!row)
			return -ENOMEM;
		row->count += calls->count;
		manifest_site_first(&row->first, &calls->first);
		*any = true;
	}
	return 0;
}

static void judge(struct manifest *manifest, enum manifest_question question,
		  enum manifest_verdict verdict, const char *reason)
{
	manifest->verdicts[question] = verdict;
	manifest->reasons[question] = reason ? reason :
				      verdict == MANIFEST_YES ? works[question] : lacks[question];
}

static int judge_fork(struct manifest *manifest)
{
	bool forked = false, worked = false, refused = false;
	int error = 0;

	for (uint32_t i = 0; i < manifest->nprocesses && !error; i++) {
		if (!is_forked(manifest, &manifest->processes[i]))
			continue;
		forked = true;
		worked |= manifest->processes[i].works;
		error = refusals(manifest, i, &refused);
	}
	if (!forked)
		judge(manifest, MANIFEST_FORK, MANIFEST_UNKNOWN,
		      "no process forked after the driver was initialised called it");
	else if (!worked && !refused)
		judge(manifest, MANIFEST_FORK, MANIFEST_UNKNOWN,
		      "processes forked after the driver was initialised called nothing that wants it so");
	else
		judge(manifest, MANIFEST_FORK, refused ? MANIFEST_NO :
		      manifest->partial ? MANIFEST_UNKNOWN : MANIFEST_YES,
		      refused || !manifest->partial ? NULL : "calls are missing of these traces");
	return error;
}

/* By what was called: NO outweighs UNKNOWN. */
static void judge_limits(struct manifest *manifest, enum manifest_question question)
{
	enum manifest_verdict verdict = MANIFEST_YES;

	for (uint32_t i = 0; i < manifest->evidence.count; i++) {
		const struct manifest_evidence *row = table_row(&manifest->evidence, i);

		if (row->question == question && verdict != MANIFEST_NO)
			verdict = row->verdict;
	}
	if (verdict == MANIFEST_YES && !manifest->ncalls)
		judge(manifest, question, MANIFEST_UNKNOWN, "no call was seen");
	else if (verdict == MANIFEST_YES && manifest->partial)
		judge(manifest, question, MANIFEST_UNKNOWN, "calls are missing of these traces");
	else
		judge(manifest, question, verdict, NULL);
}

/* How those ended that found no device. */
static void judge_no_device(struct manifest *manifest)
{
	bool without = false, failed = false, unknown = false;

	for (size_t i = 0; i < manifest->nprocesses; i++) {
		const struct manifest_process *process = &manifest->processes[i];

		if (process->fault || !process->no_device)
			continue;
		without = true;
		failed |= process->status > 0 || process->ending == TRACE_ENDED_OTHERWISE;
		unknown |= process->status < 0;
	}
	if (!without)
		judge(manifest, MANIFEST_NO_DEVICE, MANIFEST_UNKNOWN,
		      manifest->ncalls ? "there was a device, or the program did not ask" :
					 "no call was seen");
	else if (!failed && unknown)
		judge(manifest, MANIFEST_NO_DEVICE, MANIFEST_UNKNOWN,
		      "there was no device, and how the program ended is not recorded");
	else
		judge(manifest, MANIFEST_NO_DEVICE, failed ? MANIFEST_NO : MANIFEST_YES, NULL);
}

int manifest_finish(struct manifest *manifest)
{
	int error;

	manifest->by_calls = sorted_rows(manifest, &manifest->calls, by_calls);
	manifest->by_request = sorted_rows(manifest, &manifest->requests, by_request);
	manifest->by_unsupported = sorted_rows(manifest, &manifest->unsupported, by_unsupported);
	if (!manifest->by_calls || !manifest->by_request || !manifest->by_unsupported)
		return -ENOMEM;
	called(manifest);
	asked(manifest);
	error = judge_fork(manifest);
	judge_limits(manifest, MANIFEST_CHECKPOINT);
	judge_limits(manifest, MANIFEST_MPS);
	judge_no_device(manifest);
	manifest->by_evidence = sorted_rows(manifest, &manifest->evidence, by_evidence);
	return error ?: manifest->by_evidence ? 0 : -ENOMEM;
}

void manifest_trial(const struct manifest *manifest, struct out *out)
{
	size_t first = 0;

	while (first < manifest->nprocesses && (manifest->processes[first].fault ||
						!*manifest->processes[first].command))
		first++;
	if (first == manifest->nprocesses)
		return;
	out_text(out, "cuaudit run -d sim -k 'fault(inject=");
	out_text(out, first_function);
	out_text(out, ":error=CUDA_ERROR_NO_DEVICE)' -- ");
	out_text(out, manifest->processes[first].command);
}
