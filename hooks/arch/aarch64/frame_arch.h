/* SPDX-License-Identifier: Apache-2.0 */
/* The trampolines' view of a call: offsets that frame.h, thread.h, entry.h and registry.h assert. */
#ifndef HOOKS_ARCH_AARCH64_FRAME_ARCH_H
#define HOOKS_ARCH_AARCH64_FRAME_ARCH_H

#define FRAME_FUNCTION		0
#define FRAME_WORDS		8
#define FRAME_CALLER		24
#define FRAME_CORRELATION	32
#define FRAME_THREAD		40
#define FRAME_NWORDS		48
#define FRAME_DEPTH		52
#define FRAME_RESULT		56
#define FRAME_START		64
#define FRAME_END		72
#define FRAME_LIST		80
#define FRAME_ANSWER		96
#define FRAME_REGS		112
#define FRAME_STACK_ARGS		176
#define FRAME_VECTORS		368
#define FRAME_OUTER		752
#define FRAME_OWN		760
#define FRAME_SIZE		768

#define FRAME_NREGS		8
#define FRAME_NSTACK_ARGS		24
#define FRAME_NVECTORS		8

#define LIST_ENTER		0
#define LIST_EXIT		8
#define LIST_DATA		16
#define LIST_STACK_WORDS	24
#define LIST_KIND		28
#define LIST_BEGIN		32

#define ENTRY_SHIFT		6
#define ENTRY_LIST		0
#define ENTRY_REAL		8
#define ENTRY_FUNCTION		16
#define ENTRY_SELF		60

#define THREAD_STATE		96
#define THREAD_CORRELATION	104
#define THREAD_POINTER		112
#define THREAD_DEPTH		376
#define THREAD_INSIDE_BIT	1

/* Of what kind: call->start and end are wanted and there is an exit hook, only that, neither. */
#define LIST_TIMES		0
#define LIST_EXITS		1
#define LIST_ENTERS		2

/* The trampolines, for dispatch(): what of a call needs care. */
#define DISPATCH_REGISTERS	0
#define DISPATCH_STACK		1
#define DISPATCH_FULL		2

/* What dispatch() answers, beside enum cuaudit_action: no hook runs. */
#define DISPATCH_STRAIGHT	0x5ca1ab1e	/* no hook answers this by chance */

#endif
