/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel a recorded call launches, into which stream. */
#include "analysis/kernel_launch.h"

#include <string.h>

#include <cuaudit/api.h>

#include "print/numbers.h"

static bool handle_of(struct print_value value, uint32_t kind)
{
	return value.kind == PRINT_HANDLE && value.detail == kind;
}

static void find_stream(struct launch_plan *plan, const struct print_param *param)
{
	struct print_struct all;

	if (param->shape.how == PRINT_VALUE && handle_of(param->shape.value, KIND_stream)) {
		plan->streams = true;
		plan->stream = param->word;
		return;
	}
	if (param->shape.how != PRINT_FIXED || param->shape.value.kind != PRINT_STRUCT)
		return;
	all = print_struct_get(param->shape.value.detail);
	for (uint32_t i = 0; i < all.count; i++) {
		if (!handle_of(all.members[i].value, KIND_stream) || all.members[i].length_size)
			continue;
		plan->streams = plan->stream_behind = true;
		plan->stream = param->word;
		plan->stream_at = all.members[i].at;
	}
}

struct launch_plan launch_plan(const struct trace_function *function)
{
	const struct print_param *params = function->params;
	struct launch_plan plan = { .launches = false };

	for (uint32_t i = 0; function->classes & CUAUDIT_CLASS_LAUNCH && i < function->nparams; i++) {
		if (!plan.launches && params[i].shape.how == PRINT_VALUE &&
		    handle_of(params[i].shape.value, KIND_function)) {
			plan.launches = true;
			plan.kernel = params[i].word;
		}
		if (!plan.streams)
			find_stream(&plan, &params[i]);
	}
	return plan;
}

bool launch_read(struct launch *launch, const struct launch_plan *plan, const struct trace *trace,
		 const struct trace_call *call, const struct trace_arguments *arguments)
{
	const struct trace_piece *piece;

	if (!plan->launches || call->result || call->status & CUAUDIT_TRACE_FAILED ||
	    !(arguments->known >> plan->kernel & 1))
		return false;
	launch->kernel = trace_kernel(trace, arguments->words[plan->kernel], call->start);
	launch->stream = 0;
	if (plan->streams && !plan->stream_behind)
		launch->stream = arguments->words[plan->stream];
	piece = plan->stream_behind ? trace_arguments_behind(arguments, plan->stream) : NULL;
	if (piece && plan->stream_at + sizeof(launch->stream) <= piece->size)
		memcpy(&launch->stream, piece->data + plan->stream_at, sizeof(launch->stream));
	return launch->kernel;
}
