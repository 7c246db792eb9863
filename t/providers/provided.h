/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a library that is no driver: arguments and results wherever the ABI has some. */
#ifndef T_PROVIDERS_PROVIDED_H
#define T_PROVIDERS_PROVIDED_H

#include <complex.h>
#include <setjmp.h>

struct small { double d; long l; };		/* one register of each kind */
struct pair { double a, b; };			/* two vector registers */
struct large { long words[70]; };		/* in memory */
struct aligned { _Alignas(64) long word; char more[3]; };
struct floats { float a, b, c; };

int add(int a, int b);
int add_again(int a, int b);			/* another name of it */
int chosen(int a);				/* an indirect function */
int versioned(int a);				/* of two versions */
int shared_more(int a);				/* of the other library */
double mixed(int i, double d, float f, long l, long double ld, double e, int a, int b, int c, int g,
	     double x1, double x2, double x3, double x4, double x5, double x6, double x7, double x8);
long thirty(long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9, long a10,
	    long a11, long a12, long a13, long a14, long a15, long a16, long a17, long a18, long a19,
	    long a20, long a21, long a22, long a23, long a24, long a25, long a26, long a27, long a28,
	    long a29, long a30, long a31, long a32, long a33, long a34);
struct small take_small(struct small s, struct pair p);
struct pair take_pair(struct pair p, double by);
struct large take_large(struct large l, long by);
long take_aligned(int before, struct aligned s, char after);
struct floats take_floats(struct floats f);
long double take_long_double(long double a, int b, long double c);
float complex take_float_complex(float complex z);
double complex take_complex(double complex z, double complex w);
long double complex take_long_complex(long double complex z);
double total(int count, ...);
char *text(char *to, const char *format, ...);
int with_callback(int (*callback)(int), int a);
void jump(jmp_buf *where, int value);
int savectx(void *where);			/* returns twice */

extern int data;
extern _Thread_local int own;

#endif
