/* SPDX-License-Identifier: Apache-2.0 */
/* The calls the limit hook sees, for those who do the work. Context of all: call. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_CALLS_H
#define HOOKS_MODULES_LIMIT_LIMIT_CALLS_H

#include <cuaudit/cuda_types.h>

#include "hooks/modules/limit/limit.h"

/* The selector of all functions with a kind. */
extern const char *const calls_functions;

/* The columns of limit.def. */
enum limit_width { ABI64, ABI32, PTSZ };
enum limit_kind calls_kind(const struct cuaudit_call *call);
bool calls_is(const struct cuaudit_call *call, enum limit_width width);

/* An argument as wide as the function's addresses; one that is a pointer or a handle. */
uint64_t calls_word(const struct cuaudit_call *call, uint32_t index);
void *calls_pointer(const struct cuaudit_call *call, uint32_t index);
CUstream calls_stream(const struct cuaudit_call *call, uint32_t index);

/* What stands where an argument leads, as wide as addresses; the handle of the first one. */
uint64_t calls_read(const struct cuaudit_call *call, uint32_t index);
void calls_write(const struct cuaudit_call *call, uint32_t index, uint64_t value);
uint64_t calls_handle(const struct cuaudit_call *call);

/* The place of the calling library. */
uint32_t calls_library(const struct cuaudit_call *call);

/*
 * Counts and says that an account does not allow so many bytes. Whether the
 * call is to fail, which it then does; or what its enter hook answers.
 */
bool calls_refuse(struct cuaudit_call *call, struct account *refuses, uint32_t device,
		  uint64_t bytes);
int calls_skip(struct cuaudit_call *call, struct account *refuses, uint32_t device,
	       uint64_t bytes);

/* limit_take.c, limit_give.c: around the calls of their kinds. */
int take_enter(struct cuaudit_call *call, enum limit_kind kind);
void take_exit(struct cuaudit_call *call, enum limit_kind kind);
void give_enter(struct cuaudit_call *call, enum limit_kind kind);
void give_exit(const struct cuaudit_call *call, enum limit_kind kind);
void give_forked(void);

#endif
