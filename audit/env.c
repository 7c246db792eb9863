/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the CUAUDIT_ variables, once, before the program runs. */
#include "audit/env.h"

#include "audit/sys.h"

static const char prefix[] = "CUAUDIT_";
static const char own_name[] = "libcuaudit.so";

bool env_disabled;

enum { PATH = 4096, NAME = 1024 };
enum kind { BOOL, DRIVER, FOLDERS, GLOBS, HOOKS, LEVEL, SELECTOR, SIM, TEMPLATE };

static const struct variable {
	const char *name;
	const char *fallback;
	size_t field;
	enum kind kind;
} variables[] = {
#define VARIABLE(name, field, kind, fallback, values, summary) \
	{ #name, fallback, offsetof(struct link_environment, field), kind },
#include <cuaudit/variables.def>
#undef VARIABLE
};

enum { NVARIABLES = sizeof(variables) / sizeof(variables[0]) };

static const char **field(struct link_environment *environment, int i)
{
	return (const char **)((char *)environment + variables[i].field);
}

/* The kinds whose values the auditor itself needs; the core judges the others. */
static bool parses(enum kind kind, const char *value)
{
	switch (kind) {
	case BOOL:
		return (value[0] == '0' || value[0] == '1') && !value[1];
	case LEVEL:
		return sys_equal(value, "error") || sys_equal(value, "warn") ||
		       sys_equal(value, "info") || sys_equal(value, "debug");
	default:
		return true;
	}
}

/* entry is "CUAUDIT_NAME=value". */
static void take(struct link_environment *environment, const char *entry)
{
	const char *name = entry + sizeof(prefix) - 1;

	for (int i = 0; i < NVARIABLES; i++) {
		const char *value = name + sys_strlen(variables[i].name);

		if (!sys_starts(name, variables[i].name) || *value != '=')
			continue;
		/* Kept apart: a program may write over its environment. */
		if (parses(variables[i].kind, ++value) &&
		    (value = sys_copy(value, sys_strlen(value))))
			*field(environment, i) = value;
		else
			environment->refused |= 1u << i;
		return;
	}
	if (environment->nunknown < LINK_UNKNOWN)
		environment->unknown[environment->nunknown] = entry;
	environment->nunknown++;
}

/* Takes every entry of ours out of a colon-separated list, in place. */
static void drop_ourselves(char *list)
{
	char *to = list;

	for (char *from = list; *from;) {
		size_t length = 0;
		char end;

		while (from[length] && from[length] != ':')
			length++;
		end = from[length];
		from[length] = '\0';
		if (!sys_equal(sys_basename(from), own_name)) {
			if (to != list)
				*to++ = ':';
			for (size_t i = 0; i < length; i++)
				to[i] = from[i];
			to += length;
		}
		from += length + (end == ':');
		if (!end)
			break;
	}
	*to = '\0';
}

/*
 * The texts are shortened where they are and envp keeps its length: programs
 * that look for the auxiliary vector behind it (Go's runtime) still find it.
 * An empty LD_AUDIT means none.
 */
void env_unfollow(char **envp)
{
	static const char ld_audit[] = "LD_AUDIT=";

	for (; *envp; envp++)
		if (sys_starts(*envp, ld_audit))
			drop_ourselves(*envp + sizeof(ld_audit) - 1);
}

static bool is_entry(char **envp, const char *text)
{
	while (*envp && *envp != text)
		envp++;
	return *envp;
}

void env_read_loader(struct env_loader *loader, char **envp, const char *after)
{
	static const char ld_audit[] = "LD_AUDIT=", ld_bind_not[] = "LD_BIND_NOT=",
			  ld_profile[] = "LD_PROFILE=";

	for (char **entry = envp; *entry; entry++) {
		const char *at = *entry + sizeof(ld_audit) - 1;

		loader->profile |= sys_starts(*entry, ld_profile);
		loader->bind_not |= sys_starts(*entry, ld_bind_not);
		if (!sys_starts(*entry, ld_audit))
			continue;
		for (; *at; at++)
			loader->auditors += *at != ':' && (at[1] == ':' || !at[1]);
		/* Before glibc 2.26 the loader ends the text at its first colon. */
		loader->cut |= !(at + 1 == after || is_entry(envp, at + 1));
	}
}

/* A relative template means where the program started, wherever it goes. */
static const char *absolute(const char *template)
{
	char folder[PATH], path[2 * PATH + NAME];
	const char *copy;
	size_t used = 0;

	if (!template[0] || template[0] == '/' || !sys_folder(folder, sizeof(folder)))
		return template;
	for (const char *from = folder; *from; from++) {
		path[used++] = *from;
		if (*from == '%')
			path[used++] = '%';
	}
	path[used++] = '/';
	if (sys_strlen(template) >= sizeof(path) - used)
		return template;
	for (const char *from = template; *from; from++)
		path[used++] = *from;
	copy = sys_copy(path, used);
	return copy ? copy : template;
}

void env_read(struct link_environment *environment, char **envp)
{
	for (int i = 0; i < NVARIABLES; i++)
		*field(environment, i) = variables[i].fallback;
	for (char **entry = envp; *entry; entry++)
		if (sys_starts(*entry, prefix))
			take(environment, *entry);
	environment->output = absolute(environment->output);
	env_disabled = environment->disable[0] == '1';
}
