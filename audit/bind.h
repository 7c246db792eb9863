/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what a binding is given: the stub or the function itself. Context: bind. */
#ifndef AUDIT_BIND_H
#define AUDIT_BIND_H

#include <stdbool.h>

#include "audit/object.h"

/*
 * The address for a binding of from (NULL: unknown, the auditor's own) to
 * symbol of to. value: what the loader found, returned where nothing is to
 * be intercepted. Lock-free: runs in lazy bindings of any thread.
 */
uintptr_t bind_symbol(struct link_object *from, struct link_object *to,
		      unsigned int symbol, uintptr_t value, bool by_dlsym, const char *name);

/*
 * Counts that from came by the function of a slot by route (LINK_PLT, ...).
 * Whether it is to be the stub; else the function itself. Lock-free.
 */
bool bind_slot(struct link_object *from, uint32_t number, uint32_t route);

#endif
