/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks there are: added, attached, detached, given back. */
#ifndef HOOKS_HOOK_H
#define HOOKS_HOOK_H

#include <cuaudit/hook.h>
#include <signal.h>
#include <stdbool.h>

/* A hook as a list holds it. */
struct hook_entry {
	cuaudit_enter_fn enter;
	cuaudit_exit_fn exit;
	void *data;
};

/* What a hook is for: hooks of the core ignore CUAUDIT_FUNCTIONS. */
enum hook_owner { HOOK_MODULE, HOOK_CORE };

/* Context: setup. cuaudit_hook_add for an owner. */
int hook_add(const struct cuaudit_hook *hook, enum hook_owner owner);

/*
 * Context: setup, before the first registry_attach. Hooks added from now on
 * are the module's, until another is named, NULL for none; drop takes the
 * module's away.
 */
void hook_module(const void *module);
void hook_drop(const void *module);

/* Context: setup. Gives detached hooks that no call is inside of back to their owners. */
void hook_reap(void);

/* Around what adds hooks or functions. */
void hook_begin_setup(void);
void hook_end_setup(void);

/* Around what changes the hooks of functions, with signals blocked. */
void hook_take_lock(sigset_t *saved);
void hook_give_lock(const sigset_t *saved);

/* In setup: all hooks choose among the functions of slots from .. end - 1. False without memory. */
bool hook_select_all(uint32_t from, uint32_t end);

/*
 * Under the lock: the hooks of a slot, outermost first, and whether one wants
 * times. More than there is room for: CUAUDIT_HOOKS_MAX + 1.
 */
uint32_t hook_choose(uint32_t slot, struct hook_entry entries[CUAUDIT_HOOKS_MAX], bool *timed);

/* Context: call. Around fork: no hook is half attached in the child. */
void hook_fork(void);
void hook_parent(void);
void hook_forked(void);

#endif
