/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Like an OpenMP runtime: a constructor of a library asks everyone for
 * ompt_start_tool, and each one asked asks the next.
 */
#include <dlfcn.h>
#include <stddef.h>

typedef void *(*start_fn)(unsigned int version, const char *runtime);

void *ompt_start_tool(unsigned int version, const char *runtime);
int ompt_depth(void);

static int depth, deepest;

void *ompt_start_tool(unsigned int version, const char *runtime)
{
	start_fn next = (start_fn)dlsym(RTLD_NEXT, "ompt_start_tool");
	void *answer = NULL;

	if (++depth > deepest)
		deepest = depth;
	if (next && depth < 1000)
		answer = next(version, runtime);
	depth--;
	return answer;
}

int ompt_depth(void)
{
	return deepest;
}

static void __attribute__((constructor)) begin(void)
{
	start_fn any = (start_fn)dlsym(RTLD_DEFAULT, "ompt_start_tool");

	if (any)
		any(201811, "a runtime");
}
