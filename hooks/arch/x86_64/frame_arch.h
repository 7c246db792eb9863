/* SPDX-License-Identifier: Apache-2.0 */
/* The trampolines' view of a call: offsets that frame.h, thread.h and registry.h assert. */
#ifndef HOOKS_ARCH_X86_64_FRAME_ARCH_H
#define HOOKS_ARCH_X86_64_FRAME_ARCH_H

#define FRAME_THREAD		40
#define FRAME_DEPTH		52
#define FRAME_RESULT		56
#define FRAME_REAL		64
#define FRAME_LIST		72
#define FRAME_ANSWER		80
#define FRAME_REGS		112
#define FRAME_WINDOW		160
#define FRAME_VECTORS		352
#define FRAME_SIZE		736

#define FRAME_NREGS		6
#define FRAME_NWINDOW		24
#define FRAME_NVECTORS		8

#define LIST_EXIT		8
#define LIST_DATA		16
#define LIST_STACK_WORDS	24

#define THREAD_STATE		128

/* What dispatch_* answer, beside enum cuaudit_action: no hook runs. */
#define DISPATCH_STRAIGHT	0x5ca1ab1e	/* no hook answers this by chance */

#endif
