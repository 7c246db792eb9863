/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose arguments and answers are wider than 16 bytes, a program that calls them, on a stack of
 * so many bytes if it is told how many, and a plug-in whose hooks leave all of these registers filled.
 */
#ifdef PLUGIN
#include <cuaudit/hook.h>

#define FILL "vpcmpeqd %%ymm0, %%ymm0, %%ymm0\n" FILL_REST
#define COPY(to) "vmovdqa %%ymm0, %%ymm" #to "\n"
#define FILL_REST COPY(1) COPY(2) COPY(3) COPY(4) COPY(5) COPY(6) COPY(7) COPY(8)
#define COPY_512(to) "vmovdqa64 %%zmm0, %%zmm" #to "\n"
#define FILL_512 "vpternlogd $255, %%zmm0, %%zmm0, %%zmm0\n" COPY_512(1) COPY_512(2) COPY_512(3) \
		COPY_512(4) COPY_512(5) COPY_512(6) COPY_512(7) COPY_512(8)

static void fill(void)
{
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile(FILL_512 : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
				 "xmm7", "xmm8");
	else if (__builtin_cpu_supports("avx2"))
		__asm__ volatile(FILL : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
				 "xmm7", "xmm8");
}

static int enter(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	fill();
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	fill();
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "fills", .enter = enter, .exit = leave,
		.flags = CUAUDIT_HOOK_PROVIDERS,
	};

	(void)options;
	return cuaudit_hook_add(&hook);
}

CUAUDIT_PUBLIC const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "fills", .init = init,
};
#else
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define AVX __attribute__((target("avx")))
#define AVX512 __attribute__((target("avx512f")))

AVX __m256i mix_256(__m256i a, __m256i b, __m256i c, __m256i d, __m256i e, __m256i f, __m256i g,
		    __m256i h, __m256i on_stack, int first);
AVX __m256i give_256(int first);
AVX512 __m512i mix_512(__m512i a, __m512i b, __m512i c, __m512i d, __m512i e, __m512i f, __m512i g,
		       __m512i h, __m512i on_stack, int first);
AVX512 __m512i give_512(int first);

#ifdef LIBRARY
#define SUM(type, ...)                                                                             \
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
	SUM(__m256i, a, b, c, d, e, f, g, h, on_stack);
}

AVX __m256i give_256(int first)
{
	SUM(__m256i, _mm256_set1_epi32(first * 12345));
}

AVX512 __m512i mix_512(__m512i a, __m512i b, __m512i c, __m512i d, __m512i e, __m512i f, __m512i g,
		       __m512i h, __m512i on_stack, int first)
{
	SUM(__m512i, a, b, c, d, e, f, g, h, on_stack);
}

AVX512 __m512i give_512(int first)
{
	SUM(__m512i, _mm512_set1_epi32(first * 12345));
}
#else
enum { TURNS = 3, GUARD = 4096 };

static unsigned char sums_256[TURNS][3][32], sums_512[TURNS][3][64];
static ucontext_t main_context, context;

AVX static void use_256(int turn)
{
	__m256i a[9], sum;
	__m128i low;

	for (unsigned i = 0; i < sizeof(a); i++)
		((unsigned char *)a)[i] = (unsigned char)(i * 7 + 1);
	sum = mix_256(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], turn);
	memcpy(sums_256[turn][0], &sum, sizeof(sum));
	sum = give_256(turn);
	memcpy(sums_256[turn][1], &sum, sizeof(sum));
	/* Their upper halves are zero, and no register's is in use. */
	low = _mm256_castsi256_si128(a[0]);
	_mm256_zeroupper();
	a[0] = _mm256_set_m128i(_mm_setzero_si128(), low);
	sum = mix_256(a[0], a[0], a[0], a[0], a[0], a[0], a[0], a[0], a[0], turn);
	memcpy(sums_256[turn][2], &sum, sizeof(sum));
}

AVX512 static void use_512(int turn)
{
	__m512i a[9], sum;

	for (unsigned i = 0; i < sizeof(a); i++)
		((unsigned char *)a)[i] = (unsigned char)(i * 7 + 1);
	sum = mix_512(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], turn);
	memcpy(sums_512[turn][0], &sum, sizeof(sum));
	sum = give_512(turn);
	memcpy(sums_512[turn][1], &sum, sizeof(sum));
}

static void work(void)
{
	for (int turn = 0; turn < TURNS; turn++) {
		if (__builtin_cpu_supports("avx"))
			use_256(turn);
		if (__builtin_cpu_supports("avx512f"))
			use_512(turn);
	}
}

static int work_on_stack(size_t size)
{
	char *stack = mmap(NULL, size + 2 * GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE) ||
	    mprotect(stack + GUARD + size, GUARD, PROT_NONE))
		return 2;
	getcontext(&context);
	context.uc_stack.ss_sp = stack + GUARD;
	context.uc_stack.ss_size = size;
	context.uc_link = &main_context;
	makecontext(&context, work, 0);
	swapcontext(&main_context, &context);
	return 0;
}

static void print(const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x%s", ((const unsigned char *)from)[i], i % 32 == 31 ? "\n" : "");
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc > 1)
		status = work_on_stack(strtoul(argv[1], NULL, 0));
	else
		work();
	print(sums_256, sizeof(sums_256));
	print(sums_512, sizeof(sums_512));
	return status;
}
#endif
#endif
