/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is no driver: see provided.h. */
#include "t/providers/provided.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

int data = 7;
_Thread_local int own = 8;

int add(int a, int b)
{
	return a + b;
}

extern __typeof__(add) add_again __attribute__((alias("add")));

static int first(int a)
{
	return a + 100;
}

static void *choose(void)
{
	return (void *)first;
}

int chosen(int a) __attribute__((ifunc("choose")));

int versioned_old(int a)
{
	return a + 1000;
}

int versioned_new(int a)
{
	return a + 2000;
}

__asm__(".symver versioned_old, versioned@PROVIDED_1");
__asm__(".symver versioned_new, versioned@@PROVIDED_2");

double mixed(int i, double d, float f, long l, long double ld, double e, int a, int b, int c, int g,
	     double x1, double x2, double x3, double x4, double x5, double x6, double x7, double x8)
{
	return i + 2 * d + 3 * f + 4 * l + 5 * (double)ld + 6 * e + 7 * a + 8 * b + 9 * c + 10 * g +
	       x1 / 2 + x2 / 4 + x3 / 8 + x4 / 16 + x5 / 32 + x6 / 64 + x7 / 128 + x8 / 256;
}

/* On AArch64 the last two are behind the words of the stack that are passed on. */
#ifdef __aarch64__
#define LAST(sum) (0 * (sum))
#else
#define LAST(sum) (sum)
#endif

long thirty(long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9, long a10,
	    long a11, long a12, long a13, long a14, long a15, long a16, long a17, long a18, long a19,
	    long a20, long a21, long a22, long a23, long a24, long a25, long a26, long a27, long a28,
	    long a29, long a30, long a31, long a32, long a33, long a34)
{
	return a1 + a2 * 2 + a3 * 3 + a4 * 4 + a5 * 5 + a6 * 6 + a7 * 7 + a8 * 8 + a9 * 9 + a10 * 10 +
	       a11 * 11 + a12 * 12 + a13 * 13 + a14 * 14 + a15 * 15 + a16 * 16 + a17 * 17 + a18 * 18 +
	       a19 * 19 + a20 * 20 + a21 * 21 + a22 * 22 + a23 * 23 + a24 * 24 + a25 * 25 + a26 * 26 +
	       a27 * 27 + a28 * 28 + a29 * 29 + a30 * 30 + a31 * 31 + a32 * 32 + LAST(a33 * 33 + a34 * 34);
}

struct small take_small(struct small s, struct pair p)
{
	return (struct small){ s.d * p.a, s.l + (long)p.b };
}

struct pair take_pair(struct pair p, double by)
{
	return (struct pair){ p.b * by, p.a * by };
}

struct large take_large(struct large l, long by)
{
	for (int i = 0; i < 70; i++)
		l.words[i] *= by + i;
	return l;
}

long take_aligned(int before, struct aligned s, char after)
{
	return (uintptr_t)&s % 64 * 1000000 + before + s.word * 10 + s.more[2] * 100 + after * 1000;
}

struct floats take_floats(struct floats f)
{
	return (struct floats){ f.c, f.a, f.b };
}

long double take_long_double(long double a, int b, long double c)
{
	return a * b + c;
}

float complex take_float_complex(float complex z)
{
	return z * (3 + 4 * I);
}

double complex take_complex(double complex z, double complex w)
{
	return z * w;
}

long double complex take_long_complex(long double complex z)
{
	return z * z;
}

double total(int count, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return sum;
}

char *text(char *to, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsprintf(to, format, list);
	va_end(list);
	return to;
}

int with_callback(int (*callback)(int), int a)
{
	return callback(a) + 1;
}

void jump(jmp_buf *where, int value)
{
	longjmp(*where, value);
}

#ifdef __x86_64__
__asm__(".text\n.globl savectx\n.type savectx, @function\nsavectx: jmp _setjmp@plt\n.size savectx, .-savectx");
#else
__asm__(".text\n.globl savectx\n.type savectx, %function\nsavectx: b _setjmp\n.size savectx, .-savectx");
#endif
