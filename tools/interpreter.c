/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the frames of a program's Python interpreter can be read, told from its file. */
#include "tools/interpreter.h"

#include <stdio.h>
#include <string.h>

#include "tables/cpython.h"
#include "tools/child.h"
#include "tools/elf_file.h"
#include "tools/tls.h"

static const bool known[PYTHON_NEWEST + 1] = {
#define PYTHON_LAYOUT(minor, ...) [minor] = true,
#include "tables/cpython.def"
#undef PYTHON_LAYOUT
};

static char path[PATH_MAX], says[128];

/* As hooks/python_find.c tells it of one that is loaded; 0: another Python, or none that can be told. */
static uint32_t find_minor(const struct elf_file *file)
{
	uint64_t address;
	uint32_t version;

	if (elf_file_symbol(file, "Py_Version", &address))
		return elf_file_read(file, address, &version, sizeof(version)) && version >> 24 == 3 ?
		       version >> 16 & 255 : 0;
	for (size_t i = 0; i < sizeof(python_since) / sizeof(python_since[0]); i++)
		if (elf_file_symbol(file, python_since[i].symbol, &address))
			return python_since[i].minor;
	return 0;
}

static bool has_lock(const struct elf_file *file, uint64_t runtime)
{
	char cookie[sizeof(PYTHON_COOKIE) - 1];
	uint64_t free_threaded;

	return elf_file_read(file, runtime, cookie, sizeof(cookie)) &&
	       !memcmp(cookie, PYTHON_COOKIE, sizeof(cookie)) &&
	       elf_file_read(file, runtime + PYTHON_FREE_THREADED, &free_threaded,
			     sizeof(free_threaded)) &&
	       !free_threaded;
}

static enum finding judge_version(const struct elf_file *file, uint64_t runtime)
{
	uint32_t minor = find_minor(file);

	if (!minor) {
		snprintf(says, sizeof(says), "it is not CPython 3.9 or newer");
		return FINDING_PYTHON_UNREADABLE;
	}
	if (minor > PYTHON_NEWEST) {
		snprintf(says, sizeof(says), "it is Python 3.%u, newer than this cuaudit", minor);
		return FINDING_PYTHON_UNREADABLE;
	}
	if (!known[minor] || (minor >= PYTHON_DEBUG && !has_lock(file, runtime))) {
		snprintf(says, sizeof(says), "it is Python 3.%u of a layout that is not known, as without GIL",
			 minor);
		return FINDING_PYTHON_UNREADABLE;
	}
	if (minor >= PYTHON_DEBUG)
		snprintf(says, sizeof(says), "CPython 3.%u, by the table that it has itself", minor);
	else
		snprintf(says, sizeof(says), "CPython 3.%u, by cuaudit's table of 3.%u", minor, minor);
	return FINDING_PYTHON;
}

/* The file at path. False: no interpreter is in it. */
static bool judge_file(enum finding *finding)
{
	struct elf_file file;
	uint64_t address;
	bool is_python = false;

	if (elf_file_open(&file, path))
		return false;
	if (!elf_file_is_native(&file) || !elf_file_is_whole(&file)) {
		is_python = false;
	} else if (elf_file_symbol(&file, "_PyRuntime", &address)) {
		is_python = true;
		*finding = judge_version(&file, address);
	} else if (elf_file_symbol(&file, "pypy_main_startup", &address) ||
		   elf_file_symbol(&file, "Py_GetVersion", &address)) {
		is_python = true;
		snprintf(says, sizeof(says), "it is not CPython 3.9 or newer");
		*finding = FINDING_PYTHON_UNREADABLE;
	}
	elf_file_close(&file);
	return is_python;
}

/* Of the libraries that it is linked to, which the loader lists as "\tNAME => PATH (ADDRESS)". */
static bool judge_libraries(const struct program *program, enum finding *finding)
{
	struct child child;
	char *rest = NULL;
	bool is_python = false;

	if (tls_libraries(program, &child))
		return false;
	for (char *line = strtok_r(child.out, "\n", &rest); line && !is_python;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *found = strstr(line, " => /"), *end = found ? strstr(found, " (0x") : NULL;

		if (!end)
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)(end - found) - 4, found + 4);
		is_python = judge_file(finding);
	}
	child_free(&child);
	return is_python;
}

static bool names_python(const struct program *program)
{
	struct elf_file file;
	bool names;

	if (elf_file_open(&file, program->binary))
		return false;
	names = elf_file_holds(&file, "libpython") || elf_file_holds(&file, "libpypy");
	elf_file_close(&file);
	return names;
}

bool interpreter_judge(const struct program *program, enum finding *finding, const char **first,
		  const char **second)
{
	*first = path;
	*second = says;
	strcpy(path, program->binary);
	if (judge_file(finding))
		return true;
	if (tls_can_ask(program))
		return judge_libraries(program, finding);
	if (!names_python(program))
		return false;
	*first = program->binary;
	*second = program->loader;
	*finding = FINDING_PYTHON_UNKNOWN;
	return true;
}
