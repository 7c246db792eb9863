/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that return twice: a library's, and a program that calls them and one beside. */
#ifdef LIBRARY
#ifdef __x86_64__
__asm__(".text\n"
	".globl twice, twice_too, hidden_twice, savectx\n"
	".type twice, @function\n.type twice_too, @function\n"
	".type hidden_twice, @function\n.type savectx, @function\n"
	"twice: twice_too:\n"
	"	endbr64\n	mov (%rsp), %rax\n	mov %rax, (%rdi)\n	lea 8(%rsp), %rax\n"
	"	mov %rax, 8(%rdi)\n	mov %rbx, 16(%rdi)\n	mov %rbp, 24(%rdi)\n	mov %r12, 32(%rdi)\n"
	"	mov %r13, 40(%rdi)\n	mov %r14, 48(%rdi)\n	mov %r15, 56(%rdi)\n	xor %eax, %eax\n	ret\n"
	".size twice, . - twice\n.size twice_too, . - twice_too\n"
	"hidden_twice: savectx:\n"
	"	endbr64\n	jmp twice@PLT\n"
	".size hidden_twice, . - hidden_twice\n.size savectx, . - savectx\n"
	".globl back\n.type back, @function\n"
	"back:\n"
	"	endbr64\n	mov 16(%rdi), %rbx\n	mov 24(%rdi), %rbp\n	mov 32(%rdi), %r12\n"
	"	mov 40(%rdi), %r13\n	mov 48(%rdi), %r14\n	mov 56(%rdi), %r15\n"
	"	mov 8(%rdi), %rsp\n	mov %esi, %eax\n	jmp *(%rdi)\n"
	".size back, . - back\n");
#else
__asm__(".text\n"
	".globl twice, twice_too, hidden_twice, savectx\n"
	".type twice, @function\n.type twice_too, @function\n"
	".type hidden_twice, @function\n.type savectx, @function\n"
	"twice: twice_too:\n"
	"	hint #34\n	mov x1, sp\n	stp x30, x1, [x0]\n	stp x19, x20, [x0, 16]\n"
	"	stp x21, x22, [x0, 32]\n	stp x23, x24, [x0, 48]\n	stp x25, x26, [x0, 64]\n"
	"	stp x27, x28, [x0, 80]\n	str x29, [x0, 96]\n	mov w0, 0\n	ret\n"
	".size twice, . - twice\n.size twice_too, . - twice_too\n"
	"hidden_twice: savectx:\n"
	"	hint #34\n	b twice\n"
	".size hidden_twice, . - hidden_twice\n.size savectx, . - savectx\n"
	".globl back\n.type back, @function\n"
	"back:\n"
	"	hint #34\n	ldp x30, x2, [x0]\n	mov sp, x2\n	ldp x19, x20, [x0, 16]\n"
	"	ldp x21, x22, [x0, 32]\n	ldp x23, x24, [x0, 48]\n	ldp x25, x26, [x0, 64]\n"
	"	ldp x27, x28, [x0, 80]\n	ldr x29, [x0, 96]\n	mov w0, w1\n	ret\n"
	".size back, . - back\n");
#endif

int beside(int value)
{
	return value;
}
#else
#include <stdio.h>

int twice(long *saved) __attribute__((returns_twice));
int hidden_twice(long *saved) __attribute__((returns_twice));
void back(long *saved, int value) __attribute__((noreturn));
int beside(int value);

static long saved[16];

/* Over the frames of whatever was between the caller and its call. */
static __attribute__((noinline)) int deep(int left)
{
	volatile char bytes[400];

	bytes[0] = (char)left;
	if (!left)
		back(saved, 9);
	return deep(left - 1) + bytes[0];
}

int main(int argc, char **argv)
{
	volatile int sum = 0;

	(void)argv;
	for (int i = 0; i < 5; i++) {
		int value = argc > 1 ? hidden_twice(saved) : twice(saved);

		beside(3);
		if (!value)
			deep(5);
		sum += value;
	}
	printf("%d\n", sum);
	return 0;
}
#endif
