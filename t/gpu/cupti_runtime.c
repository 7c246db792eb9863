/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts calls of the runtime by CUPTI's callbacks, for runtime.sh: CUDA_INJECTION64_PATH names it,
 * CUPTI_LIBRARY the library of CUPTI, and CUPTI_COUNTS the file for "NAME CALLS" lines at the end, behind
 * which each process has its number; without CUPTI_COUNTS the callback does nothing.
 */
#include <cupti.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLBACKS = 1024, NAME = 128 };

static _Atomic unsigned long calls[CALLBACKS];
static char names[CALLBACKS][NAME];

static void CUPTIAPI empty(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info)
{
	(void)data;
	(void)domain;
	(void)id;
	(void)info;
}

static void CUPTIAPI count(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info)
{
	const CUpti_CallbackData *call = info;

	(void)data;
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && id < CALLBACKS && call->callbackSite == CUPTI_API_ENTER)
		calls[id]++;
}

/* Without the version at its end. */
static void take_name(int id, const char *name)
{
	const char *version = strstr(name, "_v");

	for (const char *next = version; next; next = strstr(next + 1, "_v"))
		version = next;
	snprintf(names[id], NAME, "%.*s", version ? (int)(version - name) : (int)strlen(name), name);
}

static void print(void)
{
	const char *path = getenv("CUPTI_COUNTS");
	FILE *out = NULL;
	char own[4096];

	snprintf(own, sizeof(own), "%s.%d", path ? path : "", getpid());
	for (int i = 0; path && i < CALLBACKS; i++)
		if (calls[i] && (out || (out = fopen(own, "w"))))
			fprintf(out, "%s %lu\n", names[i], calls[i]);
	if (out)
		fclose(out);
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	CUptiResult (*subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
	CUptiResult (*enable)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain);
	CUptiResult (*name_of)(CUpti_CallbackDomain, uint32_t, const char **);
	const char *library = getenv("CUPTI_LIBRARY"), *name;
	void *cupti = dlopen(library ? library : "libcupti.so", RTLD_NOW);
	static CUpti_SubscriberHandle subscriber;

	if (!cupti) {
		fprintf(stderr, "cupti_runtime: %s\n", dlerror());
		return 0;
	}
	*(void **)&subscribe = dlsym(cupti, "cuptiSubscribe");
	*(void **)&enable = dlsym(cupti, "cuptiEnableDomain");
	*(void **)&name_of = dlsym(cupti, "cuptiGetCallbackName");
	if (!subscribe || !enable || !name_of ||
	    subscribe(&subscriber, getenv("CUPTI_COUNTS") ? count : empty, NULL) ||
	    enable(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API)) {
		fprintf(stderr, "cupti_runtime: CUPTI refuses\n");
		return 0;
	}
	for (int i = 1; i < CALLBACKS; i++)
		if (!name_of(CUPTI_CB_DOMAIN_RUNTIME_API, (uint32_t)i, &name) && name)
			take_name(i, name);
	atexit(print);
	return 1;
}
