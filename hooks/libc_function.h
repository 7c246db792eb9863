/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the C library that the auditor has bound to stubs: see audit/libc.h. */
#ifndef HOOKS_LIBC_FUNCTION_H
#define HOOKS_LIBC_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

/* Numbered as internal/libc_functions.def has them. */
enum libc_function {
#define LIBC_FUNCTION(name, how) LIBC_##name,
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
	LIBC_FUNCTIONS
};

/* Context: setup. The libraries of dbgmem as the auditor has read them. */
const char *libc_function_libraries(void);

/* Context: setup. Whether the loader reports bindings of them. */
bool libc_function_reported(void);

/* Context: setup. Has the stub lead to check from now on. */
void libc_function_check(enum libc_function function, void *check);

/* Context: call, of a check. libc's own. */
void *libc_function_real(enum libc_function function);

/*
 * Context: call. Makes a thread known that has not called the driver yet: its stack and its Python
 * frames. for_python: only where the process has an interpreter.
 */
void libc_function_thread(bool for_python);

/* Context: setup. Whether none was bound, in a process that loaded a driver or a provider. */
bool libc_function_missed(void);

/* Context: setup. Bindings of another function of the same name, which is not checked. */
uint32_t libc_function_others(void);

#endif
