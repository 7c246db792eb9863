/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a program's libraries CUAUDIT_PROVIDERS takes. */
#include "tools/doctor_providers.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/child.h"
#include "tools/elf_file.h"
#include "tools/tls.h"
#include "util/globs.h"

/* Whether a name is what one of the globs means. */
static bool is_listed(const char *list, const char *name)
{
	for (size_t length; *list; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		if (length && glob_matches(list, length, name))
			return true;
	}
	return false;
}

/* The library at path, by that and by its SONAME as the auditor does; whether it is one. */
static bool judge(const char *list, const char *path)
{
	const char *slash = strrchr(path, '/'), *soname;
	struct elf_file object;
	char count[32];
	bool is;

	if (elf_file_open(&object, path))
		return false;
	soname = elf_file_text(&object, DT_SONAME);
	is = is_listed(list, path) || is_listed(list, slash ? slash + 1 : path) ||
	     (soname && is_listed(list, soname));
	if (is) {
		snprintf(count, sizeof(count), "%zu", elf_file_functions(&object));
		finding_print(FINDING_PROVIDER, path, count);
	}
	elf_file_close(&object);
	return is;
}

void doctor_providers(const struct program *program)
{
	const char *list = getenv("CUAUDIT_PROVIDERS");
	struct child child;
	char *rest = NULL;
	bool any = false;

	if (!list || !*list || !globs_are(list) || tls_libraries(program, &child))
		return;
	for (char *line = strtok_r(child.out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *path = strstr(line, " => /"), *end = path ? strstr(path, " (0x") : NULL;

		if (!end)
			continue;
		*end = '\0';
		any |= judge(list, path + strlen(" => "));
	}
	if (!any)
		finding_print(FINDING_NO_PROVIDER, program->binary, list);
	child_free(&child);
}
