/* SPDX-License-Identifier: Apache-2.0 */
/* The registers x86-64 passes arguments in (System V ABI, 3.2.3). */
#ifndef HOOKS_ARCH_X86_64_FRAME_ARCH_H
#define HOOKS_ARCH_X86_64_FRAME_ARCH_H

enum {
	FRAME_NREGS = 6,	/* rdi, rsi, rdx, rcx, r8, r9 */
	FRAME_NVECTORS = 8,	/* xmm0-7 */
	FRAME_NANSWERS = 2,	/* xmm0, xmm1, of what is returned */
	FRAME_ANSWER_POINTERS = 1	/* rdi is where the caller wants a structure in memory that is returned */
};

#endif
