/* SPDX-License-Identifier: Apache-2.0 */
/* Modules out of shared objects. Context: setup. */
#ifndef HOOKS_PLUGIN_H
#define HOOKS_PLUGIN_H

#include <cuaudit/hook.h>
#include <stddef.h>

/*
 * The file a plug-in of that name is in: a name with a slash is its path, any
 * other, with .so appended, is looked for in the directory `hooks` beside the core
 * and in those of CUAUDIT_PATH. 0, -ENOENT, -ENAMETOOLONG.
 */
int plugin_find(const char *name, char *path, size_t size);

/*
 * Loads it and copies its module, what an older one lacks being zero; the
 * name stands for one it lacks. Returns the plug-in's own structure, or NULL
 * after a message.
 */
const struct cuaudit_module *plugin_open(const char *path, const char *name,
					 struct cuaudit_module *module);

#endif
