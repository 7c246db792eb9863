/* SPDX-License-Identifier: Apache-2.0 */
/* Adds hooks, attaches and detaches them, and gives them back. */
#ifndef HOOKS_HOOK_H
#define HOOKS_HOOK_H

#include <cuaudit/hook.h>
#include <stdbool.h>

/* Context: call. A hook outside of this one answered the call for the driver. */
typedef void (*hook_answered_fn)(const struct cuaudit_call *call);

/* A hook as a list holds it. */
struct hook_entry {
	cuaudit_enter_fn enter;
	cuaudit_exit_fn exit;
	void *data;
	void *fast_path;	/* see fast_path.h; of a function that a runtime reports, its cells, see cell.h; NULL: none */
	hook_answered_fn answered;	/* NULL: none */
};

/* The fast path for a function, NULL for none. Context: setup, under record.h's lock. */
typedef void *(*hook_fast_path_fn)(const struct cuaudit_function *function);

/* What a hook is for: those of policies and of the core ignore CUAUDIT_FUNCTIONS. */
enum hook_owner { HOOK_MODULE, HOOK_POLICY, HOOK_CORE };

/* Context: setup. An exit hook of the core's own, innermost: all others see what it leaves behind. */
int hook_add_core(const char *name, const char *functions, cuaudit_exit_fn exit);

/*
 * Context: setup. cuaudit_hook_add of a hook that has fast paths, for where it is a function's only
 * hook: a timed exit hook, or an enter hook; of a function that a runtime reports, an enter hook alone.
 */
int hook_add_fast_path(const struct cuaudit_hook *hook, hook_fast_path_fn fast_path);

/*
 * Context: setup. The same for a hook that is inside of all others, also of
 * replacements, and so runs for calls of the driver alone. answered is called
 * for the other calls. Either may be NULL.
 */
int hook_add_innermost(const struct cuaudit_hook *hook, hook_fast_path_fn fast_path,
		       hook_answered_fn answered);

/*
 * Context: setup, before the first registry_attach. Hooks added from now on
 * are the module's, until another is named, NULL for none; policy: it enforces
 * something. drop takes the module's away.
 */
void hook_module(const void *module, bool policy);
void hook_drop(const void *module);

/* Context: setup. Gives detached hooks that no call is inside of back to their owners. */
void hook_reap(void);

#endif
