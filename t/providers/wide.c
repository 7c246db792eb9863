/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose arguments and answers are wider than 16 bytes, and a program that calls them. */
#include <immintrin.h>
#include <stdio.h>
#include <string.h>

#define AVX __attribute__((target("avx")))
#define AVX512 __attribute__((target("avx512f")))

AVX __m256i mix_256(__m256i a, __m256i b, __m256i c, __m256i d, __m256i e, __m256i f, __m256i g,
		    __m256i h, __m256i on_stack, int first);
AVX __m256i give_256(int first);
AVX512 __m512i mix_512(__m512i a, __m512i b, __m512i c, __m512i d, __m512i e, __m512i f, __m512i g,
		       __m512i h, __m512i on_stack, int first);
AVX512 __m512i give_512(int first);

#ifdef LIBRARY
#define EACH(type, ...)                                                                            \
	do {                                                                                       \
		type all[] = { __VA_ARGS__ }, sum;                                                 \
		const unsigned char *from = (const unsigned char *)all;                            \
		unsigned char *to = (unsigned char *)&sum;                                         \
		for (unsigned i = 0; i < sizeof(sum); i++) {                                       \
			to[i] = (unsigned char)first;                                              \
			for (unsigned j = 0; j < sizeof(all) / sizeof(sum); j++)                   \
				to[i] = (unsigned char)(to[i] * 3 + from[j * sizeof(sum) + i]);    \
		}                                                                                  \
		return sum;                                                                        \
	} while (0)

AVX __m256i mix_256(__m256i a, __m256i b, __m256i c, __m256i d, __m256i e, __m256i f, __m256i g,
		    __m256i h, __m256i on_stack, int first)
{
	EACH(__m256i, a, b, c, d, e, f, g, h, on_stack);
}

AVX __m256i give_256(int first)
{
	EACH(__m256i, _mm256_set1_epi32(first * 12345));
}

AVX512 __m512i mix_512(__m512i a, __m512i b, __m512i c, __m512i d, __m512i e, __m512i f, __m512i g,
		       __m512i h, __m512i on_stack, int first)
{
	EACH(__m512i, a, b, c, d, e, f, g, h, on_stack);
}

AVX512 __m512i give_512(int first)
{
	EACH(__m512i, _mm512_set1_epi32(first * 12345));
}
#else
static void print(const void *from, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		printf("%02x", ((const unsigned char *)from)[i]);
	printf("\n");
}

AVX static void use_256(int first)
{
	__m256i a[9], sum;

	for (unsigned i = 0; i < sizeof(a); i++)
		((unsigned char *)a)[i] = (unsigned char)(i * 7 + 1);
	sum = mix_256(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], first);
	print(&sum, sizeof(sum));
	sum = give_256(first);
	print(&sum, sizeof(sum));
}

AVX512 static void use_512(int first)
{
	__m512i a[9], sum;

	for (unsigned i = 0; i < sizeof(a); i++)
		((unsigned char *)a)[i] = (unsigned char)(i * 7 + 1);
	sum = mix_512(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], first);
	print(&sum, sizeof(sum));
	sum = give_512(first);
	print(&sum, sizeof(sum));
}

int main(void)
{
	for (int i = 1; i <= 3; i++) {
		if (__builtin_cpu_supports("avx"))
			use_256(i);
		if (__builtin_cpu_supports("avx512f"))
			use_512(i);
	}
	return 0;
}
#endif
