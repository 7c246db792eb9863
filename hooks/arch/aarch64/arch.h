/* SPDX-License-Identifier: Apache-2.0 */
/* What the core knows of AArch64: its trampolines. */
#ifndef HOOKS_ARCH_AARCH64_ARCH_H
#define HOOKS_ARCH_AARCH64_ARCH_H

/* In trampoline.S; jumped to by stubs only, never called. */
void trampoline_two(void);
void trampoline_registers(void);
void trampoline_stack(void);
void trampoline_full(void);
void trampoline_wide(void);

/* No fast paths. */
#define trampoline_two_timed trampoline_two
#define trampoline_registers_timed trampoline_registers

static inline void *arch_thread_pointer(void)
{
	return __builtin_thread_pointer();
}

/* A call leaves where it returns to in a register, which the function keeps anywhere in its frame. */
enum { ARCH_CALL_PUSHES = 0 };

/* A return address as the stack has it, without its signature. */
static inline const void *arch_plain_address(const void *address)
{
	register const void *link __asm__("x30") = address;

	/* xpaclri, which older processors take for a nop */
	__asm__("hint #7" : "+r"(link));
	return link;
}

#endif
