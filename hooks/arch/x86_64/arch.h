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
void trampoline_wide(void);

/* The first word of a thread's data is its own address (ELF Handling For TLS, 3.4.6). */
static inline void *arch_thread_pointer(void)
{
	void *pointer;

	__asm__("movq %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* A call pushes where it returns to: it is the last word of the function's frame. */
enum { ARCH_CALL_PUSHES = 1 };

/* A return address as the stack has it, without a signature. */
static inline const void *arch_plain_address(const void *address)
{
	return address;
}

/* Fast paths for hook_add_fast_path, in *_fast_path_x86_64.S; only stubs jump there. */
#define ARCH_FAST_PATH 1

void stat_fast_path(void);
void stat_fast_path_query(void);
void stat_fast_path_launch(void);

void trace_fast_path(void);
void trace_fast_path_int(void);
void trace_fast_path_no_args(void);
void trace_fast_path_launch(void);
void trace_fast_path_launch_no_args(void);

#endif
