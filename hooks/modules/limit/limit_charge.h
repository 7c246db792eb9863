/* SPDX-License-Identifier: Apache-2.0 */
/* A charge: what was taken, of which device and pool, in one word. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_CHARGE_H
#define HOOKS_MODULES_LIMIT_LIMIT_CHARGE_H

#include "hooks/modules/limit/limit_account.h"
#include "hooks/modules/limit/limit_pool.h"

#define CHARGE_MAX ((UINT64_C(1) << 47) - 1)

/* pool 0: none. foreign: see limit_account.h. A charge of no bytes is 0. */
static inline uint64_t charge_make(uint32_t device, uint32_t pool, bool foreign, uint64_t bytes)
{
	return bytes ? (uint64_t)device << 56 | (uint64_t)pool << 48 | (uint64_t)foreign << 47 |
		       bytes : 0;
}

static inline uint64_t charge_bytes(uint64_t charge)
{
	return charge & CHARGE_MAX;
}

static inline uint32_t charge_device(uint64_t charge)
{
	return (uint32_t)(charge >> 56);
}

static inline uint32_t charge_pool(uint64_t charge)
{
	return charge >> 48 & 0xff;
}

static inline bool charge_foreign(uint64_t charge)
{
	return charge >> 47 & 1;
}

/* Context of both: call. As account_take and account_give. */
static inline struct account *charge_take(uint64_t charge, bool force)
{
	if (charge_pool(charge))
		return pool_take(charge_pool(charge), charge_bytes(charge), force);
	return account_take(charge_device(charge), charge_bytes(charge), charge_foreign(charge),
			    force);
}

static inline void charge_give(uint64_t charge)
{
	if (charge_pool(charge))
		pool_give(charge_pool(charge), charge_bytes(charge));
	else if (charge)
		account_give(charge_device(charge), charge_bytes(charge), charge_foreign(charge));
}

#endif
