/* SPDX-License-Identifier: Apache-2.0 */
/* What the core knows of x86-64: its trampolines. */
#ifndef HOOKS_ARCH_X86_64_ARCH_H
#define HOOKS_ARCH_X86_64_ARCH_H

/* In trampoline.S; jumped to by stubs only, never called. */
void trampoline_two(void);
void trampoline_two_timed(void);
void trampoline_registers(void);
void trampoline_registers_timed(void);
void trampoline_stack(void);
void trampoline_full(void);

#endif
