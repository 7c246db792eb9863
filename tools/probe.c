/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor's child does: the least a program does with a driver. */
#include "tools/probe.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "tools/tool.h"

#define VERSION(symbol) static const char version_name[] = #symbol;
#define INIT(symbol) static const char init_name[] = #symbol;
#define DEVICES(symbol) static const char devices_name[] = #symbol;
#include "tools/driver.def"
#undef VERSION
#undef INIT
#undef DEVICES

typedef int (*version_fn)(int *version);
typedef int (*init_fn)(unsigned int flags);
typedef int (*devices_fn)(int *count);

static void print_devices(void *handle)
{
	init_fn init = (init_fn)dlsym(handle, init_name);
	devices_fn devices = (devices_fn)dlsym(handle, devices_name);
	int count;

	fflush(stdout);
	if (init && devices && !init(0) && !devices(&count))
		printf("devices %d\n", count);
}

int probe(const char *driver, bool devices)
{
	struct link_map *map;
	void *handle, *function;
	Dl_info info;
	int version, failed;

	printf("libc %s\n", gnu_get_libc_version());
	handle = dlopen(driver, RTLD_NOW);
	if (!handle) {
		printf("fault %s\n", dlerror());
		return TOOL_FOUND;
	}
	if (!dlinfo(handle, RTLD_DI_LINKMAP, &map))
		printf("path %s\n", map->l_name);
	function = dlsym(handle, version_name);
	if (!function)
		return TOOL_FOUND;
	if (dladdr(function, &info) && strstr(info.dli_fname, "libcuaudit.so"))
		puts("intercepted");
	/* It may be no driver and not come back. */
	fflush(stdout);
	failed = ((version_fn)function)(&version);
	if (!failed)
		printf("version %d\n", version);
	if (!failed && devices)
		print_devices(handle);
	/* The call before loaded it, if nothing was wrong; a hook may have refused the call. */
	if (dlopen("cuaudit-core.so", RTLD_NOW | RTLD_NOLOAD))
		puts("core");
	return failed ? TOOL_FOUND : TOOL_OK;
}
