/* SPDX-License-Identifier: Apache-2.0 */
/* What memory pools hold, beyond what was allocated from them too. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_POOL_H
#define HOOKS_MODULES_LIMIT_LIMIT_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/cuda_types.h>

#include "hooks/modules/limit/limit_account.h"

enum { POOLS = 256, POOL_ON_HOST = POOLS };

/*
 * All here: context call, any thread. The number of a pool; POOL_ON_HOST; 0:
 * there are too many. device: where a pool that was never seen before is,
 * unless it is a device's first one.
 */
uint32_t pool_find(CUmemoryPool pool, int device);

/* The number that stands for the memory of a device's graphs. */
uint32_t pool_of_graphs(uint32_t device);

/* A new pool; device -1: on the host. */
void pool_create(CUmemoryPool pool, int device);

/* Before the driver destroys it, the number; then whether it has. */
uint32_t pool_leave(CUmemoryPool pool);
void pool_left(uint32_t number, CUmemoryPool pool, bool destroyed);

uint32_t pool_device(uint32_t number);

/* As account_take: first of what the pool has and does not need. */
struct account *pool_take(uint32_t number, uint64_t bytes, bool force);
void pool_give(uint32_t number, uint64_t bytes);

/* After an allocation: takes for what the pool grew beyond it. NULL, or who refuses. */
struct account *pool_grown(uint32_t number, bool force);

/* Asks the driver what the pools hold now; trim: has it give back first what it can. */
void pool_settle(bool trim);

/* Whether nothing is left of a pool by the driver's account. */
bool pool_is_empty(uint32_t number);

/* What the pools of a device hold and nobody uses. */
uint64_t pool_spare(uint32_t device);

/* In the child of fork. */
void pool_forked(void);

#endif
