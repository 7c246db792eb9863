/* SPDX-License-Identifier: Apache-2.0 */
/* What settings can name: functions, classes, hooks, variables. */
#ifndef TOOLS_CATALOGUE_H
#define TOOLS_CATALOGUE_H

#include <stdbool.h>

#include <cuaudit/call.h>
#include <cuaudit/hook.h>

struct entry {
	struct cuaudit_function names;	/* name, base and classes, which selectors go by */
	const char *first, *second;	/* a version and classes, or a default and values; or "" */
	const char *summary;
	const struct cuaudit_option *options; /* of a hook module; ends with key NULL */
};

typedef void (*catalogue_fn)(const struct entry *entry, void *data);

/* The kinds by name, "functions" the first; ends with NULL. */
extern const char *const catalogue_kinds[];

/*
 * Calls each with every entry of a kind. 0, or -1 after a message: hook modules
 * are asked of the core, which may not be there; with quiet, no message.
 */
int catalogue_each(const char *kind, int quiet, catalogue_fn each, void *data);

/*
 * The index-th function of the tables: the driver's, the runtime's, of export tables; false past
 * the last one.
 */
bool catalogue_function(uint32_t index, struct cuaudit_function *function);

#endif
