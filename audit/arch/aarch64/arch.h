/* SPDX-License-Identifier: Apache-2.0 */
/* What the auditor knows of AArch64: system calls and relocation types. */
#ifndef AUDIT_ARCH_AARCH64_ARCH_H
#define AUDIT_ARCH_AARCH64_ARCH_H

#include <elf.h>

#include <internal/link.h>

enum {
	ARCH_STUB_SIZE = 32,
	ARCH_R_JUMP_SLOT = R_AARCH64_JUMP_SLOT,
	ARCH_R_GLOB_DAT = R_AARCH64_GLOB_DAT,
	ARCH_R_ABSOLUTE = R_AARCH64_ABS64
};

static inline long arch_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

/* Functions that pass more, by SVE, say so in their symbols: STO_AARCH64_VARIANT_PCS. */
static inline enum link_wide arch_wide_vectors(void)
{
	return LINK_WIDE_NONE;
}

#endif
