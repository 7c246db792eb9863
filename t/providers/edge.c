/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function of three parameters, also as the first of a stack, so far below the stack's end; with -DLIBRARY it. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int few(int a, int b, int c);

#ifdef LIBRARY
int few(int a, int b, int c)
{
	return a + b + c == 6 ? 7 : 0;
}
#else
enum { PAGE = 4096, PAGES = 16, CALLS = 3, TURNS = 33 };

#ifdef __x86_64__
double edge_call(void *function, void *top, double x);
void last(void);

/* It jumps: what few returns to is who called this, with nothing above it. */
__asm__("last:\n"
	"	movl	$1, %edi\n"
	"	movl	$2, %esi\n"
	"	movl	$3, %edx\n"
	"	jmp	*few@GOTPCREL(%rip)\n");

static int at_the_end(void)
{
	char *stack = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int right = 0;

	munmap(stack + PAGES * PAGE, PAGE);
	for (int above = 0; above < 16 * TURNS; above += 16) {
		memset(stack, 0x5a, PAGES * PAGE);
		right += edge_call((void *)last, stack + PAGES * PAGE - above, 8) == 8;
	}
	return right;
}
#else
static int at_the_end(void)
{
	int right = 0;

	for (int i = 0; i < TURNS; i++)
		right += few(1, 2, 3) == 7;
	return right;
}
#endif

int main(void)
{
	int right = 0;

	for (int i = 0; i < CALLS; i++)
		right += few(1, 2, 3) == 7;
	right += at_the_end();
	printf("%d of %d are right\n", right, CALLS + TURNS);
	return 0;
}
#endif
