/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: how often the unwinder looks for what a frame's code is, printed at the end. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_ulong looks;

int _dl_find_object(void *address, struct dl_find_object *result)
{
	static int (*next)(void *address, struct dl_find_object *result);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "_dl_find_object");
	atomic_fetch_add(&looks, 1);
	return next ? next(address, result) : -1;
}

static __attribute__((destructor)) void end(void)
{
	fprintf(stderr, "looks %lu\n", atomic_load(&looks));
}
