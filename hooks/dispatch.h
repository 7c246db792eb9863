/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the hooks of a call: the C half of the trampolines. Context: call. */
#ifndef HOOKS_DISPATCH_H
#define HOOKS_DISPATCH_H

#include <stdbool.h>

#include "hooks/frame.h"

struct entry;
struct hook_list;

/* The trampolines: what of a call needs care. */
enum { DISPATCH_REGISTERS, DISPATCH_STACK, DISPATCH_FULL };

/* What dispatch() answers, beside enum cuaudit_action: no hook runs. No hook answers this by chance. */
enum { DISPATCH_STRAIGHT = 0x5ca1ab1e };

/*
 * Fills in a frame that has the argument registers (the vector registers too
 * for DISPATCH_FULL), and goes on as the enter hook. kind: DISPATCH_*, what
 * trampoline it is. The answer is the hook's, or DISPATCH_STRAIGHT.
 */
int dispatch(struct frame *frame, const struct entry *entry, const void *caller, uint32_t kind);

/* How many words of its stack, at most FRAME_WIDE_WORDS, the caller may have given to the function. */
uint32_t dispatch_wide(struct frame *frame);

/* A hook answered for the driver: runs the exit hooks due, returns the answer. */
uint64_t dispatch_skipped(struct frame *frame);

/* The driver came back on another thread: runs the exit hooks there, returns the answer. */
uint64_t dispatch_moved(struct frame *frame);

/* The same, where the thread it began on has been notified. */
uint64_t dispatch_exit_moved(struct frame *frame);

/* The driver will be jumped to: edited stack words go back to the caller's. */
void dispatch_give_back(struct frame *frame);

/* Context: setup. Fills in a list that has its hooks. timed: one of them wants times. */
void dispatch_prepare(struct hook_list *list, const struct entry *entry, bool timed);

#endif
