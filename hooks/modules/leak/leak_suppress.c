/* SPDX-License-Identifier: Apache-2.0 */
/* What a report is not to speak of: a file of lines "WHAT FUNCTION LIBRARY". */
#include "hooks/modules/leak/leak_suppress.h"

#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>

#include <cuaudit/hook.h>

#include "util/globs.h"
#include "util/io.h"

enum { TEXT = 64 * 1024, LINES = 512 };

static char text[TEXT];
static struct {
	const char *what, *function, *library;
} lines[LINES];
static uint32_t count;
static const struct cuaudit_library *program;

const char *leak_fault_text(enum leak_fault_type type)
{
	static const char *const texts[] = {
		[LEAK_DOUBLE_FREE] = "double-free",
		[LEAK_INVALID_FREE] = "invalid-free",
		[LEAK_USE_AFTER_FREE] = "use-after-free",
		[LEAK_WRONG_CONTEXT] = "wrong-context",
	};

	return texts[type];
}

static bool matches(const char *glob, const char *name)
{
	return glob_matches(glob, strlen(glob), name);
}

static bool is_caller(const char *glob, const struct cuaudit_library *library)
{
	return matches(glob, strchr(glob, '/') ? library->path : library->name) ||
	       (library == program && !strcmp(glob, "(main)"));
}

int leak_suppressed(const char *what, const struct leak_site *site)
{
	for (uint32_t i = 0; i < count; i++)
		if (matches(lines[i].what, what) &&
		    (matches(lines[i].function, site->function->name) ||
		     matches(lines[i].function, site->function->base)) &&
		    is_caller(lines[i].library, site->library))
			return 1;
	return 0;
}

/* Whether a report has something of that name; false after a message. */
static bool is_reported(const char *path, uint32_t number, const char *what)
{
	const char *names[LEAK_FAULT_TYPES + 2] = { LEAK_LEFT }, *near;

	for (int i = 0; i < LEAK_FAULT_TYPES; i++)
		names[i + 1] = leak_fault_text((enum leak_fault_type)i);
	for (const char **name = names; *name; name++)
		if (matches(what, *name))
			return true;
	near = cuaudit_nearest(what, names);
	cuaudit_log(CUAUDIT_WARN, "leak: %s:%u: no report has '%s'%s%s%s", path, number, what,
		    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return false;
}

/* False after a message. */
static bool take_line(const char *path, uint32_t number, char *line)
{
	static const char blank[] = " \t\r";
	char *rest = NULL, *what, *function, *library;

	line[strcspn(line, "#")] = '\0';
	what = strtok_r(line, blank, &rest);
	if (!what)
		return true;
	function = strtok_r(NULL, blank, &rest);
	library = strtok_r(NULL, blank, &rest);
	if (!library || strtok_r(NULL, blank, &rest)) {
		cuaudit_log(CUAUDIT_WARN, "leak: %s:%u: a line is WHAT FUNCTION LIBRARY",
			    path, number);
		return false;
	}
	if (!glob_is_one(function) || !glob_is_one(library)) {
		cuaudit_log(CUAUDIT_WARN, "leak: %s:%u: '%s' is no glob: its [ has no ]", path, number,
			    glob_is_one(function) ? library : function);
		return false;
	}
	if (!is_reported(path, number, what))
		return false;
	if (count == LINES) {
		cuaudit_log(CUAUDIT_WARN, "leak: %s:%u: there are more than %d lines", path, number,
			    LINES);
		return false;
	}
	lines[count].what = what;
	lines[count].function = function;
	lines[count++].library = library;
	return true;
}

int leak_suppress_setup(const char *path)
{
	long length = io_read_file(path, text, sizeof(text), IO_REPORT);
	char *line = text, *end;
	uint32_t number = 1;
	bool good = true;

	io_claim_name(path);
	count = 0;
	program = cuaudit_library_at((const void *)(uintptr_t)getauxval(AT_ENTRY));
	if (length < 0 || length == TEXT - 1) {
		cuaudit_log(CUAUDIT_WARN, "leak: suppress=%s cannot be read: %s", path,
			    length < 0 ? io_reason((int)length) : "it is too long");
		return 1;
	}
	for (; line; line = end, number++) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		good &= take_line(path, number, line);
	}
	return good ? 0 : 1;
}
