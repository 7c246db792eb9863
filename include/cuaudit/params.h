/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of any function of the table, and what a call gave them. C11 and C++. */
#ifndef CUAUDIT_PARAMS_H
#define CUAUDIT_PARAMS_H

#include <cuaudit/call.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cuaudit_direction {
	CUAUDIT_VALUE,
	CUAUDIT_IN,		/* a pointer through which the driver reads */
	CUAUDIT_OUT,		/* ... writes */
	CUAUDIT_INOUT,
	CUAUDIT_ADDRESS		/* an address that nobody reads through */
};

/* A parameter; its value begins at call->words[word]. Strings are the core's. */
struct cuaudit_param {
	const char *name;
	const char *type;	/* in C */
	enum cuaudit_direction direction;
	uint32_t word;
	uint32_t words;
};

/* Context: call. Parameter index of a function, from 0. 0, or -ENOENT past the last one. */
CUAUDIT_PUBLIC int cuaudit_param_get(const struct cuaudit_function *function, uint32_t index,
				     struct cuaudit_param *param);

enum cuaudit_print {
	CUAUDIT_PRINT_AFTER = 1,	/* the driver has answered: exit hooks */
	CUAUDIT_PRINT_RAW = 2,		/* handles by value, not as stream#2 */
	CUAUDIT_PRINT_STABLE = 4	/* addresses as address#2, too */
};

/*
 * Context: call. Writes a parameter's value (cuaudit_call_print: the whole
 * call, with its result after) into the buffer, cut to size - 1 bytes and
 * ended by a 0. Returns the length of the whole text, SIZE_MAX from
 * cuaudit_param_print if there is no such parameter. flags: cuaudit_print.
 * What a pointer leads to is read by the kernel, which refuses a bad one: then,
 * as before an output is there and after a call that failed, its address is
 * printed. After cuaudit_kernel_prepare a kernel's handle has its name behind it,
 * function#1<_Z6kernelv>, of which 128 bytes are written.
 */
CUAUDIT_PUBLIC size_t cuaudit_param_print(const struct cuaudit_call *call, uint32_t index,
					  unsigned int flags, char *buffer, size_t size);
CUAUDIT_PUBLIC size_t cuaudit_call_print(const struct cuaudit_call *call, unsigned int flags,
					 char *buffer, size_t size);

/* Context: call. The enumerator of a CUresult, NULL for one newer than the table. */
CUAUDIT_PUBLIC const char *cuaudit_result_name(int32_t result);

#ifdef __cplusplus
}
#endif
#endif
