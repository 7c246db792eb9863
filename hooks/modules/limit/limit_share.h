/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that goes with the last of its handles and mappings. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_SHARE_H
#define HOOKS_MODULES_LIMIT_LIMIT_SHARE_H

#include "hooks/modules/limit/limit_charge.h"
#include "hooks/modules/limit/limit_table.h"

struct block;

/*
 * All here: context call, any thread. One more handle, or opening, of what
 * value stands for; false: it is not the first one, and is not charged again.
 * context: with which an opening goes, or 0. device: of an import, whose
 * size its mappings tell; charge is 0.
 */
bool share_add(enum table_kind kind, uint64_t value, uint64_t charge, uint32_t device,
	       uint64_t context, uint32_t library);

/* A handle of what is mapped at an address. */
void share_retain(uint64_t handle, uint64_t address);

/* Before the driver takes a handle or an opening back; then whether it has. */
struct slot *share_leave(enum table_kind kind, uint64_t value);
void share_left(struct slot *slot, bool gone);

/*
 * Before the driver maps, as far as end; *refuses is who does not allow it.
 * NULL: unknown or refused. Then whether it is mapped at address.
 */
struct block *share_map(uint64_t handle, uint64_t end, bool force, struct account **refuses,
			uint32_t *device);
void share_mapped(struct block *block, bool mapped, uint64_t address, uint64_t size);

/*
 * Before the driver unmaps a range, which another thread may then map anew:
 * what is mapped there. Then whether it is gone.
 */
struct slot *share_unmap(uint64_t address, uint64_t size);
void share_unmapped(struct slot *chain, bool gone);

/* A context is gone, with what was opened in it. */
void share_context_gone(uint64_t context);

/* In the child of fork. */
void share_forked(void);

#endif
