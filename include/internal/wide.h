/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the processor tells which of its vector registers are in use: WIDE_IN_USE of asm.h. */
#ifndef INTERNAL_WIDE_H
#define INTERNAL_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Read by assembly: functions whose arguments may be in more than xmm0-7 are called, and it tells. */
extern uint8_t wide_vectors __attribute__((visibility("hidden")));

#ifdef __x86_64__
#include <cpuid.h>

static inline bool wide_vectors_told(void)
{
	enum { LEAF_XSAVE = 0xd, XGETBV_OF_1 = 1 << 2 };
	uint32_t eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_OSXSAVE) &&
	       __get_cpuid_count(LEAF_XSAVE, 1, &eax, &ebx, &ecx, &edx) && (eax & XGETBV_OF_1);
}
#else
static inline bool wide_vectors_told(void)
{
	return false;
}
#endif

#endif
