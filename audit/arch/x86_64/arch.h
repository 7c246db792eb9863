/* SPDX-License-Identifier: Apache-2.0 */
/* What the auditor knows of x86-64: system calls and relocation types. */
#ifndef AUDIT_ARCH_X86_64_ARCH_H
#define AUDIT_ARCH_X86_64_ARCH_H

#include <cpuid.h>
#include <elf.h>

#include <internal/link.h>

enum {
	ARCH_STUB_SIZE = 16,
	ARCH_R_JUMP_SLOT = R_X86_64_JUMP_SLOT,
	ARCH_R_GLOB_DAT = R_X86_64_GLOB_DAT,
	ARCH_R_ABSOLUTE = R_X86_64_64
};

static inline long arch_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* Which vector registers have more than 16 bytes (Intel's manual, volume 1, 13.2 and 13.3). */
static inline enum link_wide arch_wide_vectors(void)
{
	enum { YMM = 1 << 2, STATES = 0xd, XGETBV_IN_USE = 1 << 2 };
	uint32_t eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
		return LINK_WIDE_NONE;
	__asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	if (!(eax & YMM))
		return LINK_WIDE_NONE;
	return __get_cpuid_count(STATES, 1, &eax, &ebx, &ecx, &edx) && eax & XGETBV_IN_USE ?
		       LINK_WIDE_IN_USE : LINK_WIDE_ENABLED;
}

#endif
