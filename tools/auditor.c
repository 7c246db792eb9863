/* SPDX-License-Identifier: Apache-2.0 */
/* Where libcuaudit.so is, and the environment that has it audit a program. */
#include "tools/auditor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define AUDITOR "libcuaudit.so"
#define TUNABLE "glibc.rtld.optional_static_tls="

enum { PATH = PATH_MAX + 64 };

/* The directory of this program's file; where /proc is not there, by the name it was started by. */
static bool own_directory(char directory[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);

	if (length > 0)
		directory[length] = '\0';
	else if (!realpath((const char *)getauxval(AT_EXECFN), directory))
		return false;
	*strrchr(directory, '/') = '\0';
	return true;
}

/* From BINDIR to LIBDIR, as "../lib": right also where the whole tree was moved. */
static const char *to_libdir(char path[PATH_MAX])
{
	static const char from[] = BINDIR, to[] = LIBDIR;
	size_t same = 0, used = 0;

	for (size_t i = 0; from[i] == to[i] && to[i]; i++)
		if (to[i] == '/')
			same = i + 1;
	for (const char *at = from + same; at; at = strchr(at + 1, '/'))
		used += (size_t)snprintf(path + used, PATH_MAX - used, "../");
	snprintf(path + used, PATH_MAX - used, "%s", to + same);
	return path;
}

static bool at(char path[PATH], const char *directory, const char *more)
{
	char raw[2 * PATH], *real;

	snprintf(raw, sizeof(raw), "%s%s%s/" AUDITOR, directory, *more ? "/" : "", more);
	real = realpath(raw, NULL);
	if (!real)
		return false;
	snprintf(path, PATH, "%s", real);
	free(real);
	return true;
}

const char *auditor_path(enum finding *finding, const char **first)
{
	static char path[PATH];
	char directory[PATH_MAX], libdir[PATH_MAX];

	/* Installed, or moved as a whole; a build directory; installed, this file alone moved. */
	if (!(own_directory(directory) && (at(path, directory, to_libdir(libdir)) ||
				     at(path, directory, "../lib"))) &&
	    !at(path, LIBDIR, "")) {
		*finding = FINDING_NO_AUDITOR;
		*first = LIBDIR;
		return NULL;
	}
	if (strchr(path, ':')) {
		*finding = FINDING_COLON;
		*first = path;
		return NULL;
	}
	return path;
}

const char *auditor_beside(const char *auditor, const char *name)
{
	static char path[PATH + 64];
	int directory = (int)(strrchr(auditor, '/') - auditor);

	snprintf(path, sizeof(path), "%.*s/cuaudit/%s", directory, auditor, name);
	return path;
}

static bool is_ours(const char *entry, size_t length)
{
	static const char own[] = AUDITOR;
	size_t size = sizeof(own) - 1;

	return length >= size && !memcmp(entry + length - size, own, size) &&
	       (length == size || entry[length - size - 1] == '/');
}

const char *auditor_given(bool *first)
{
	const char *list = getenv("LD_AUDIT");

	*first = true;
	for (size_t length; list && *list; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		if (length && is_ours(list, length))
			return strndup(list, length);
		*first &= !length;
	}
	return NULL;
}

const char *auditor_others(void)
{
	const char *list = getenv("LD_AUDIT");
	char *others;
	size_t used = 0;

	if (!list || !(others = malloc(strlen(list) + 1)))
		return NULL;
	while (*list) {
		size_t length = strcspn(list, ":");

		if (length && !is_ours(list, length)) {
			if (used)
				others[used++] = ':';
			memcpy(others + used, list, length);
			used += length;
		}
		list += length + (list[length] == ':');
	}
	others[used] = '\0';
	if (used)
		return others;
	free(others);
	return NULL;
}

void auditor_first(const char *auditor)
{
	const char *others = auditor_others();
	char *list = NULL;

	if (others && asprintf(&list, "%s:%s", auditor, others) > 0)
		auditor = list;
	setenv("LD_AUDIT", auditor, 1);
	free(list);
	free((void *)others);
}

bool auditor_tls_given(void)
{
	const char *tunables = getenv("GLIBC_TUNABLES");

	return tunables && strstr(tunables, TUNABLE);
}

void auditor_tls_set(const char *bytes)
{
	const char *old = getenv("GLIBC_TUNABLES");
	const char *own = old ? strstr(old, TUNABLE) : NULL;
	int before = own ? (int)(own - old) : old && *old ? (int)strlen(old) : 0;
	char *value;

	/* One that was set here comes last. */
	if (before && old[before - 1] == ':')
		before--;
	if (asprintf(&value, "%.*s%s" TUNABLE "%s", before, old ? old : "", before ? ":" : "",
		     bytes) < 0)
		return;
	setenv("GLIBC_TUNABLES", value, 1);
	free(value);
}
