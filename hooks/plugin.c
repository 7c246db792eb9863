/* SPDX-License-Identifier: Apache-2.0 */
/* Modules out of shared objects. */
#include "hooks/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/core_link.h"
#include "hooks/crash.h"

#define SYMBOL "cuaudit_module"

enum { ABI_OLDEST = 1, LEAST = offsetof(struct cuaudit_module, options) };

/* "", or what to put before a relative path: where the program was started, with a slash. */
static const char *before(const char *path)
{
	static char directory[PATH_MAX + 2];

	if (*path == '/')
		return "";
	snprintf(directory, sizeof(directory), "%s/", cuaudit_directory());
	return directory;
}

static int fits(int written, size_t size)
{
	return written < 0 || (size_t)written >= size ? -ENAMETOOLONG : 0;
}

/* DIRECTORY/name.so, of a directory's length, or what is beneath it. */
static int look(const char *directory, size_t length, const char *beneath, const char *name, char *path,
		size_t size)
{
	size_t end = strlen(name);
	bool has = end > 3 && !strcmp(name + end - 3, ".so");
	int error = fits(snprintf(path, size, "%s%.*s%s/%s%s", before(directory), (int)length, directory,
				  beneath, name, has ? "" : ".so"), size);

	return error ? error : access(path, F_OK) ? -ENOENT : 0;
}

static int look_beside(const char *name, char *path, size_t size)
{
	const char *slash;
	Dl_info own;

	if (!dladdr(&cuaudit_core_link, &own) || !(slash = strrchr(own.dli_fname, '/')))
		return -ENOENT;
	return look(own.dli_fname, (size_t)(slash - own.dli_fname), "/hooks", name, path, size);
}

int plugin_find(const char *name, char *path, size_t size)
{
	const char *directories = cuaudit_core_link->environment.path;
	int result;

	if (strchr(name, '/'))
		return fits(snprintf(path, size, "%s%s", before(name), name), size);
	result = look_beside(name, path, size);
	while (result && *directories) {
		size_t length = strcspn(directories, ":");

		if (length)
			result = look(directories, length, "", name, path, size);
		directories += length + (directories[length] == ':');
	}
	return result;
}

static bool all_zero(const char *from, size_t size)
{
	while (size && !*from)
		from++, size--;
	return !size;
}

/* Whether the structure is one this core knows what to do with. */
static bool usable(const struct cuaudit_module *given, const char *path)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;
	void *extra = NULL;

	if (dladdr1(given, &info, &extra, RTLD_DL_SYMENT))
		symbol = extra;
	if (symbol && (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT ||
		       symbol->st_size < LEAST)) {
		cuaudit_log(CUAUDIT_ERROR, "%s is left out: its " SYMBOL " is no struct "
			    SYMBOL, path);
		return false;
	}
	if (given->abi > CUAUDIT_ABI) {
		cuaudit_log(CUAUDIT_ERROR, "%s is left out: it is for a newer cuaudit (ABI %u, here %u)",
			    path, given->abi, CUAUDIT_ABI);
		return false;
	}
	if (given->abi < ABI_OLDEST) {
		cuaudit_log(CUAUDIT_ERROR, "%s is left out: it is for an older cuaudit (ABI %u, here "
			    "from %u on)", path, given->abi, ABI_OLDEST);
		return false;
	}
	if (given->size < LEAST || (symbol && symbol->st_size < given->size)) {
		cuaudit_log(CUAUDIT_ERROR, "%s is left out: the size of its " SYMBOL " is wrong (%u)",
			    path, given->size);
		return false;
	}
	if (given->size > sizeof(*given) &&
	    !all_zero((const char *)given + sizeof(*given), given->size - sizeof(*given))) {
		cuaudit_log(CUAUDIT_ERROR, "%s is left out: it wants what only a newer cuaudit has",
			    path);
		return false;
	}
	return true;
}

const struct cuaudit_module *plugin_open(const char *path, const char *name,
					 struct cuaudit_module *module)
{
	const struct cuaudit_module *given;
	struct statx file;
	void *handle;

	/* The loader would wait for a FIFO's writer, for ever. */
	if (!statx(AT_FDCWD, path, 0, STATX_TYPE, &file) && S_ISFIFO(file.stx_mode)) {
		cuaudit_log(CUAUDIT_ERROR, "%s is left out: it is a FIFO", path);
		return NULL;
	}
	/* An unbound symbol is found now, not in the middle of a call. */
	crash_name(path);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	crash_name(NULL);
	if (!handle) {
		cuaudit_log(CUAUDIT_ERROR, "%s is left out: %s", name, dlerror());
		return NULL;
	}
	given = dlsym(handle, SYMBOL);
	if (!given) {
		cuaudit_log(CUAUDIT_ERROR, "%s is left out: it has no " SYMBOL, path);
		dlclose(handle);
		return NULL;
	}
	if (!usable(given, path)) {
		dlclose(handle);
		return NULL;
	}
	*module = (struct cuaudit_module){ .size = 0 };
	memcpy(module, given, given->size < sizeof(*module) ? given->size : sizeof(*module));
	if (!module->name)
		module->name = name;
	return given;
}
