/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls a function of three parameters, also as the first of a stack, so far below the stack's end, and
 * one of fifty; with -DLIBRARY these.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define TEN(p) int p##0, int p##1, int p##2, int p##3, int p##4, int p##5, int p##6, int p##7, int p##8, int p##9

int few(int a, int b, int c);
int fifty(TEN(a), TEN(b), TEN(c), TEN(d), TEN(e));

#ifdef LIBRARY
int few(int a, int b, int c)
{
	return a + b + c == 6 ? 7 : 0;
}

int fifty(TEN(a), TEN(b), TEN(c), TEN(d), TEN(e))
{
	return c4 * 10000 + d4 * 100 + e9;
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
	right += fifty(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
		       25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,
		       47, 48, 49) == 243449;
	printf("%d of %d are right\n", right, CALLS + TURNS + 1);
	return 0;
}
#endif
