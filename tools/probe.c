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
#include "tools/driver.def"
#undef VERSION

typedef int (*version_fn)(int *version);

int probe(const char *driver)
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
	/* The call before loaded it, if nothing was wrong; a hook may have refused the call. */
	if (dlopen("cuaudit-core.so", RTLD_NOW | RTLD_NOLOAD))
		puts("core");
	return failed ? TOOL_FOUND : TOOL_OK;
}
