/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the CUAUDIT_ variables, once, before the program runs. Context: bind. */
#ifndef AUDIT_ENV_H
#define AUDIT_ENV_H

#include <stdbool.h>

#include <internal/link.h>

#include "audit/sys.h"

extern bool env_disabled;

enum env_kind {
	ENV_BOOL,
	ENV_BYTES,
	ENV_DOMAINS,
	ENV_DRIVER,
	ENV_FILE,
	ENV_DIRECTORIES,
	ENV_FILES,
	ENV_GLOBS,
	ENV_HOOKS,
	ENV_LEVEL,
	ENV_NUMBER,
	ENV_PROVIDERS,
	ENV_SELECTOR,
	ENV_STRICT,
	ENV_TEMPLATE
};

enum {
#define VARIABLE(name, field, kind, fallback, values, summary) ENV_INDEX_##name,
#include <cuaudit/variables.def>
#undef VARIABLE
	ENV_VARIABLES,
	ENV_UNKNOWN = 8		/* unknown CUAUDIT_ variables kept for the message */
};

/* The table of variables.def. */
struct env_variable {
	const char *name;	/* without CUAUDIT_ */
	const char *fallback;
	const char *values;
	size_t field;
	enum env_kind kind;
};

extern const struct env_variable env_variables[ENV_VARIABLES];

/* What the process was given, right or wrong, for judge.c. */
extern struct env_given {
	const char *values[ENV_VARIABLES];	/* copies; NULL: not set */
	uint32_t refused;	/* bit n: the n-th variable's value did not parse */
	uint32_t repeated;	/* the same for one that was set again to another value */
	uint32_t nunknown;	/* all of them, more than kept perhaps */
	const char *unknown[ENV_UNKNOWN];	/* "CUAUDIT_X=...", "CUADIT_HOOKS=...", of the process */
} env_given;

/* What the loader's own variables ask of it. */
struct env_loader {
	uint32_t auditors;	/* named in LD_AUDIT */
	bool cut;		/* the list may go on behind what the loader left of it */
	bool profile;
	bool bind_not;		/* to leave the slots of PLTs as they are */
};

/*
 * Fills loader, which is all zero.
 * after: where the text behind the last of the process's environment begins.
 */
void env_read_loader(struct env_loader *loader, char **envp, const char *after);

/* Where the name of one of our variables begins behind "CUAUDIT_", misspelt perhaps; 0: it is none. */
size_t env_own_name(const char *entry);

/* Fills environment from the process's envp, which stays in use. */
void env_read(struct link_environment *environment, char **envp);

/* Whether a list that are domains has one of them. */
static inline bool env_has_domain(const char *list, const char *domain)
{
	size_t length = sys_strlen(domain);

	while (!sys_starts(list, domain) || (list[length] && list[length] != ',')) {
		while (*list && *list != ',')
			list++;
		if (!*list++)
			return false;
	}
	return true;
}

/* Takes the auditor out of envp's LD_AUDIT, which the loader does not read any more. */
void env_unfollow(char **envp);

#endif
