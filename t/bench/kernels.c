/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the name of a call's kernel costs a hook that asks for it, beside the same hook that does not: one
 * JSON line. The functions are of the simulated driver.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cuaudit/hook.h>

#include "times.h"

enum { CALLS = 20000, ROUNDS = 41 };

typedef int (*attribute_fn)(int *value, int attribute, void *function);

void *bench_raw(const char *name);
int cuInit(unsigned int flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncGetAttribute(int *value, int attribute, void *function);

static const char image[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
			    ".visible .entry one()\n{\n ret;\n}\n";

static const char *(*kernel_of)(const struct cuaudit_call *call);
static const char *volatile seen;
static bool asks;

static int enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	if (asks)
		seen = kernel_of(call);
	return CUAUDIT_CONTINUE;
}

static double time_calls(attribute_fn ask, void *function)
{
	double start = now();
	int value;

	for (int i = 0; i < CALLS; i++)
		ask(&value, 0, function);
	return (now() - start) / CALLS;
}

int main(void)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "bench", .functions = "cuFuncGetAttribute", .enter = enter,
	};
	double plain_ns[ROUNDS], empty_ns[ROUNDS], named_ns[ROUNDS];
	int (*add)(const struct cuaudit_hook *), (*prepare)(void);
	attribute_fn plain = (attribute_fn)bench_raw("cuFuncGetAttribute");
	void *core, *context, *module, *function;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
		return 1;
	core = dlopen("cuaudit-core.so", RTLD_LAZY | RTLD_NOLOAD);
	if (!core) {
		fprintf(stderr, "not audited\n");
		return 1;
	}
	*(void **)&add = dlsym(core, "cuaudit_hook_add");
	*(void **)&prepare = dlsym(core, "cuaudit_kernel_prepare");
	*(void **)&kernel_of = dlsym(core, "cuaudit_call_kernel");
	if (prepare() || add(&hook) < 0 || cuModuleLoadData(&module, image) ||
	    cuModuleGetFunction(&function, module, "one") || !function)
		return 1;
	asks = true;
	time_calls(cuFuncGetAttribute, function);
	if (!seen) {
		fprintf(stderr, "no kernel has a name\n");
		return 1;
	}
	for (int i = 0; i < ROUNDS; i++) {
		plain_ns[i] = time_calls(plain, function);
		asks = false;
		empty_ns[i] = time_calls(cuFuncGetAttribute, function);
		asks = true;
		named_ns[i] = time_calls(cuFuncGetAttribute, function);
	}
	printf("{\"measure\":\"the name of a call's kernel, for a hook\",\"plain_ns\":%.2f,"
	       "\"empty_hook_ns\":%.2f,\"ns\":%.2f,\"added_ns\":%.2f}\n",
	       median(plain_ns, ROUNDS), median(empty_ns, ROUNDS), median(named_ns, ROUNDS),
	       median(named_ns, ROUNDS) - median(empty_ns, ROUNDS));
	return 0;
}
