/* SPDX-License-Identifier: Apache-2.0 */
/* A stack for what may need more than a thread has left of its own. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_STACK_H
#define HOOKS_MODULES_LIMIT_LIMIT_STACK_H

#include <stdint.h>

/* Context: call. All signals blocked, those of libc too; then as they were. errno is kept. */
uint64_t stack_block_signals(void);
void stack_restore_signals(uint64_t signals);

/* Context: call, by one thread at a time, its signals blocked. Calls run there, or where there is no memory for it, here. */
void stack_call(void (*run)(void));

#endif
