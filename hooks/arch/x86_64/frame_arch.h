/* SPDX-License-Identifier: Apache-2.0 */
/* The trampolines' view of a call: offsets that frame.h, thread.h, entry.h and registry.h assert. */
#ifndef HOOKS_ARCH_X86_64_FRAME_ARCH_H
#define HOOKS_ARCH_X86_64_FRAME_ARCH_H

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
#define FRAME_STACK_ARGS		160
#define FRAME_VECTORS		352
#define FRAME_OUTER		736
#define FRAME_OWN		744
#define FRAME_SIZE		752

#define FRAME_NREGS		6
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
#define ENTRY_GENERATION	56
#define ENTRY_SELF		60

#define THREAD_STATE		96
#define THREAD_CORRELATION	104
#define THREAD_POINTER		112
#define THREAD_DEPTH		376
#define THREAD_BYPASSED		384
#define THREAD_INSIDE_BIT	1

/* struct fast_call, of fast_path.h. */
#define FAST_START		0
#define FAST_CORRELATION	8
#define FAST_THREAD		16
#define FAST_FUNCTION		24
#define FAST_WORDS		32
#define FAST_MEMORY		80
#define FAST_STACK		5	/* words on the stack, of a launch */

/* The first block of a thread. */
#define THREAD_INLINE		768

/* Statistics', which stat_fast_path_x86_64.S adds to. */
#define FUNCTION_SLOT		20
#define STAT_THREAD_LAST	16
#define STAT_CELL_CALLER	48
#define STAT_CELL_GENERATION	56
#define STAT_CELL_CALLS		72
#define STAT_CELL_TOTAL		96
#define STAT_CELL_SQUARES	104
#define STAT_CELL_MIN		112
#define STAT_CELL_MAX		120
#define STAT_CELL_BUCKETS	128
#define STAT_BUCKETS		304

/* A trace's, which trace_fast_path_x86_64.S writes records with. */
#define TRACE_WRITER_AT		0
#define TRACE_WRITER_LIMIT	8
#define TRACE_WRITER_END	16
#define TRACE_WRITER_CORRELATION 24
#define TRACE_WRITER_CALLS	32
#define TRACE_WRITER_EPOCH	40
#define TRACE_WRITER_SITES	64
#define TRACE_WRITER_KERNELS	32896
#define TRACE_SITE_CALLER	0
#define TRACE_SITE_FUNCTION	8
#define TRACE_SITE_GENERATION	16
#define TRACE_SITE_NUMBER	20
#define TRACE_SITE_FAST	24
#define TRACE_SITE_FACTOR	0x9e3779b9
#define TRACE_LAST_RECORD	40
#define TRACE_LAST_WORD		48
#define TRACE_LAST_SMALL	56
#define TRACE_LAST_MASKS	48
#define TRACE_COLD		16384	/* from a site */
#define TRACE_COLD_WORDS	(TRACE_COLD + 0)
#define TRACE_COLD_SMALL	(TRACE_COLD + 16)
#define TRACE_KERNELS_MASK	0xfe
#define TRACE_RECORD_AHEAD	1024
#define TRACE_RECORD_LAUNCH	0x1008	/* the lowest bytes */

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
