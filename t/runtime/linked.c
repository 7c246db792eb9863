/* SPDX-License-Identifier: Apache-2.0 */
/* A library that a runtime is linked into. */
#include "t/runtime/runtime.h"

int linked_malloc(void **pointer, size_t size)
{
	int status = cudaMalloc(pointer, size);

	return status;
}

/* What compilers make of a call whose answer is returned, where they may. */
#ifdef __aarch64__
#define JUMP "b"
#else
#define JUMP "jmp"
#endif
__asm__("\t.text\n\t.globl linked_jump\n\t.type linked_jump, %function\nlinked_jump:\n\t" JUMP " cudaMalloc\n");
