/* SPDX-License-Identifier: Apache-2.0 */
/* What hooks cannot see: calls that are lost, callers that nobody can find out. */
#ifndef HOOKS_UNSEEN_H
#define HOOKS_UNSEEN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Context: setup, or the first call of a child of fork. By that bit of that word calls that hooks lose are told at
 * once: of a process that is killed nobody counts them. NULL: no more.
 */
void unseen_tell(_Atomic uint32_t *word, uint32_t bit);

/*
 * The same of NVTX ranges: of losses of the kinds in mask, enum cuaudit_range_loss by bit, those too that there were
 * before.
 */
void unseen_tell_ranges(_Atomic uint32_t *word, uint32_t bit, uint32_t mask);

/* Context: call. Whether there is no unwinder, so that of a call its caller alone is known. */
bool unseen_callers(void);

/* Context: setup, or a hook of the process's end. Whether the calling thread ends it from inside of a call, which never returns. */
bool unseen_inside(void);

#endif
