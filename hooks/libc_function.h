/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the C library that the auditor has given slots: see audit/libc.h. */
#ifndef HOOKS_LIBC_FUNCTION_H
#define HOOKS_LIBC_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

struct cuaudit_function;

/* Numbered as internal/libc_functions.def has them. */
enum libc_function {
#define LIBC_FUNCTION(name, how) LIBC_##name,
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
	LIBC_FUNCTIONS
};

/* Context: setup, once. */
void libc_function_setup(void);

/* Context: setup. The libraries of dbgmem as the auditor has read them. */
const char *libc_function_libraries(void);

/* Context: setup. Whether calls of other libraries than these may be seen as well, by CUAUDIT_LIBC. */
bool libc_function_others_see(void);

/* Context: setup. Whether the loader reports bindings of them, so that they have slots. */
bool libc_function_reported(void);

/* Context: call. Which of them a hooked function is; whether a slot is of one. */
enum libc_function libc_function_of(const struct cuaudit_function *function);
bool libc_function_is(uint32_t slot);

/* Context: call, of a hook. libc's own. */
void *libc_function_real(enum libc_function function);

/*
 * Context: call. Makes a thread known that has not called the driver yet: its stack and its Python
 * frames. for_python: only where the process has an interpreter.
 */
void libc_function_thread(bool for_python);

/* Context: setup. Whether none was bound, in a process that loaded a driver or a provider. */
bool libc_function_missed(void);

#endif
