/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphs WHAT [MODE]: captures, and launches of what was captured, on the driver of t/limit/device.c. Prints how many
 * calls of others it saw amid captures, and what went wrong.
 * capture: a thousand launches are captured, in the mode of that number; launch: they are launched once, too; child: as
 * part of another graph; inside: as part of one that a launch of theirs was captured in; beside: while another
 * stream's work is on its way.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/limit/device.h"

enum { CAPTURED = 1000, BESIDE = 16 };

static CUstream stream, other;
static CUstreamCaptureMode mode;

static void check(CUresult result, const char *what)
{
	if (!result)
		return;
	printf("%s: %d\n", what, (int)result);
	exit(1);
}

static void launch(CUstream to)
{
	check(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, to, NULL, NULL), "cuLaunchKernel");
}

/* Of launches, or of a launch of a graph. */
static CUgraph capture(CUgraphExec exec)
{
	CUgraph graph;

	check(cuStreamBeginCapture_v2(stream, mode), "cuStreamBeginCapture");
	for (int i = 0; i < CAPTURED && !exec; i++)
		launch(stream);
	if (exec)
		check(cuGraphLaunch(exec, stream), "cuGraphLaunch");
	check(cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
	return graph;
}

static CUgraphExec instantiate(CUgraph graph)
{
	CUgraphExec exec;

	check(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate");
	return exec;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	CUgraph graph, outer;
	CUgraphNode node;
	CUcontext context;

	mode = argc > 2 ? (CUstreamCaptureMode)atoi(argv[2]) : CU_STREAM_CAPTURE_MODE_GLOBAL;
	check(cuInit(0), "cuInit");
	check(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
	check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
	check(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
	/* Not the first one that makes the device known. */
	launch(stream);
	check(cuStreamSynchronize(stream), "cuStreamSynchronize");
	for (int i = 0; i < BESIDE && !strcmp(what, "beside"); i++)
		launch(other);
	graph = capture(NULL);
	if (!strcmp(what, "child")) {
		check(cuGraphCreate(&outer, 0), "cuGraphCreate");
		check(cuGraphAddChildGraphNode(&node, outer, NULL, 0, graph), "cuGraphAddChildGraphNode");
		graph = outer;
	}
	if (!strcmp(what, "inside"))
		graph = capture(instantiate(graph));
	if (!strcmp(what, "launch") || !strcmp(what, "child") || !strcmp(what, "inside"))
		check(cuGraphLaunch(instantiate(graph), stream), "cuGraphLaunch");
	check(cuStreamSynchronize(stream), "cuStreamSynchronize");
	check(cuStreamSynchronize(other), "cuStreamSynchronize");
	printf("%d recorded, %d asked, %d ended\n", device_calls.captured, device_calls.amid, device_calls.unsafe);
	return 0;
}
