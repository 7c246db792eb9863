/* SPDX-License-Identifier: Apache-2.0 */
/* A numerical program: the bits of what the C library's functions answer, and the flags they raise. */
#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

enum { X87 = 10 };

static void bits(const void *from, int size)
{
	const unsigned char *bytes = from;

	while (size--)
		printf("%02x", bytes[size]);
	putchar(' ');
}

#define D(value) __extension__({ double v = (value); bits(&v, sizeof(v)); })
#define F(value) __extension__({ float v = (value); bits(&v, sizeof(v)); })
#define L(value) __extension__({ long double v = (value); bits(&v, X87); })

static void doubles(double y)
{
	double sine, cosine, whole;
	int number;

	D(sin(y)), D(exp(y)), D(log(fabs(y) + 1)), D(pow(fabs(y), 1.7)), D(atan2(y, 2));
	D(fmod(y, 0.3)), D(cbrt(y)), D(erf(y)), D(lgamma(fabs(y) + .5)), D(hypot(y, 2));
	D(fma(y, y, 1)), D(remquo(y, 0.7, &number)), printf("%d ", number);
	D(frexp(y, &number)), printf("%d ", number), D(ldexp(y, 3)), D(modf(y, &whole)), D(whole);
	D(nextafter(y, 9)), D(yn(2, fabs(y) + 1));
	sincos(y, &sine, &cosine);
	D(sine), D(cosine);
}

static void others(float f, long double l)
{
	float sine, cosine;
	long double wide_sine, wide_cosine;

	sincosf(f, &sine, &cosine);
	sincosl(l, &wide_sine, &wide_cosine);
	F(sine), F(cosine), L(wide_sine), L(wide_cosine);
	F(sinf(f)), F(powf(fabsf(f), 1.3f)), F(floorf(f)), F(fmaf(f, f, 2)), F(nexttowardf(f, 5));
	L(sinl(l)), L(powl(fabsl(l), 1.3L)), L(atan2l(l, 1)), L(fmodl(l, .3L)), L(ldexpl(l, 7));
}

static void complexes(double y)
{
	double complex z = csqrt(y + 1.5 * I) * cexp(y / 10 + 1.5 * I);
	float complex f = clogf((float)y + .5f * I);
	long double complex l = cpowl(y + 1.0L * I, .5L + .1L * I);

	D(creal(z)), D(cimag(z)), D(cabs(z)), D(carg(z)), F(crealf(f)), F(cimagf(f));
	L(creall(l)), L(cimagl(l));
}

int main(void)
{
	static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	for (int i = 0; i < 400; i++) {
		double y = 0.1 * (i % 100) - 7.3;

		fesetround(modes[i / 100]);
		doubles(y);
		others((float)y, y);
		complexes(y);
		printf("%ld %lld %d %d\n", lround(y), llrintf((float)y), ilogb(y),
		       fetestexcept(FE_ALL_EXCEPT));
		feclearexcept(FE_ALL_EXCEPT);
	}
	return 0;
}
