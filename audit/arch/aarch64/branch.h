/* SPDX-License-Identifier: Apache-2.0 */
/* Branch protection in assembly, as -mbranch-protection asks for it. */
#ifndef AUDIT_ARCH_AARCH64_BRANCH_H
#define AUDIT_ARCH_AARCH64_BRANCH_H

/* With -mbranch-protection the return address is signed while it lies on the stack. */
#ifdef __ARM_FEATURE_PAC_DEFAULT
	.macro	SIGN
	paciasp
	.cfi_negate_ra_state
	.endm
	.macro	AUTHENTICATE
	autiasp
	.cfi_negate_ra_state
	.endm
#define FEATURES 3	/* BTI | PAC */
#else
	.macro	SIGN
	.endm
	.macro	AUTHENTICATE
	.endm
#define FEATURES 1	/* BTI */
#endif

#endif
