/* SPDX-License-Identifier: Apache-2.0 */
/* The registers AArch64 passes arguments in (AAPCS64, 6.8.2). */
#ifndef HOOKS_ARCH_AARCH64_FRAME_ARCH_H
#define HOOKS_ARCH_AARCH64_FRAME_ARCH_H

enum {
	FRAME_NREGS = 8,	/* x0-x7 */
	FRAME_NVECTORS = 8,	/* v0-v7 */
	FRAME_NANSWERS = 4,	/* v0-v3, of what is returned */
	FRAME_ANSWER_POINTERS = 0	/* x8 is where the caller wants a structure in memory that is returned */
};

#endif
