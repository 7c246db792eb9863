/* SPDX-License-Identifier: Apache-2.0 */
/* A toolkit's header in small, with every shape the generator must read. */
/*
 * NEWER declares what a later toolkit would. Each of CHANGED, NOCLASS,
 * NORESULT, UNDECIDED, UNNAMED and UNVALUED makes one mistake.
 */
#ifndef small_h
#define small_h

#include <stddef.h>
#include <stdint.h>

#ifdef NEWER
#define CUDA_VERSION 12000
#else
#define CUDA_VERSION 11000
#endif

#ifdef __CUDA_API_VERSION_INTERNAL
#define SMALL_PTDS(function) function##_ptds
#define SMALL_PTSZ(function) function##_ptsz
#else
#define SMALL_PTDS(function) function
#define SMALL_PTSZ(function) function
#define cuSmallAlloc cuSmallAlloc_v2
#endif

#define CU_SMALL_WORDS 4
#define CU_SMALL_NONE ((CUsmall)0x0) /**< no handle */
#define CU_SMALL_A_VERY_LONG_NAME_FOR_A_MACRO CU_SMALL_ANOTHER_VERY_LONG_NAME_FOR_A_MACRO
#define CU_SMALL_MARK_FIRST 0x01
#define CU_SMALL_MARK_SECOND 0x02
#define CU_SMALL_CALL(x) ((x) + 1)

typedef unsigned long long CUdeviceptr;	/**< an address */
typedef struct CUsmall_st *CUsmall, *CUsmallToo;
typedef void (*CUsmallFn)(CUsmall small, void *userData);

/** Results. */
typedef enum cudaSmall_enum {
	CUDA_SUCCESS = 0,		/**< fine */
	CUDA_ERROR_SMALL = 1,
	CUDA_ERROR_NEXT,		/* 2 */
	CUDA_ERROR_NEGATIVE = -1,
	CUDA_ERROR_BIG = 0x7FFFFFFF
#ifdef UNVALUED
	, CUDA_ERROR_UNVALUED = CU_NOWHERE
#endif
} CUresult;

typedef enum {
	CU_SMALL_DEFAULT = 0,
	CU_SMALL_FIRST = 1 << 0,
	CU_SMALL_SECOND = (1 << 1),
	CU_SMALL_BOTH = CU_SMALL_FIRST | CU_SMALL_SECOND,
	CU_SMALL_HIGH = 0x80000000u
} CUsmall_flags;
typedef CUsmall_flags CUsmallFlags;

typedef struct CUsmallPair_st {
	unsigned int x, *y;
	const char *const *names;
} CUsmallPair_v1;
typedef CUsmallPair_v1 CUsmallPair;

typedef struct CUsmallParams_st {
	CUresult kind;
#if __STDC_VERSION__ >= 201112L
	_Alignas(32)
#endif
	uint64_t words[CU_SMALL_WORDS];
	char pad[8 - sizeof(CUresult)];
	union {
		CUsmallPair pair;
		struct {
			CUsmall small;
			void (*callback)(int code, void *data);
		} call;
		struct {
			int bare;
		};
	};
} CUsmallParams;

#define SMALL_NAME(name) name##_v1
typedef union SMALL_NAME(CUsmallValue) {
	int number;
	float fraction;
} SMALL_NAME(CUsmallValue);

/**
 * \brief Makes a handle.
 *
 * \param small   - Returned handle; text
 *                  goes on
 * \param name    - Its name
 * \param numbers - Pointer to store the numbers
 *
 * \return whatever
 */
CUresult cuSmallCreate(CUsmall *small, const char *name, int numbers[CU_SMALL_WORDS]);

/**
 * \param address Returns the address
 * \param[in,out] size the size wanted, then had
 */
CUresult cuSmallAlloc_v2(CUdeviceptr *address, size_t *size);

/** \param dst - Destination */
CUresult SMALL_PTDS(cuSmallCopy)(void *dst, const void *src, size_t size);

/** \brief Nothing is said of its parameters. */
CUresult SMALL_PTSZ(cuSmallCall)(CUsmall small, CUsmallFn fn, void *userData,
	void (*done)(int code, void *data));

/** \param where - Where to */
CUresult SMALL_PTSZ(cuSmallMove_v2)(CUdeviceptr what, CUsmallPair where);

CUresult cuSmallPass(CUsmallPair pair, const CUsmallParams *params, CUsmallParams **params_out,
	float fraction, unsigned flags);
CUresult cuSmallSynchronize(void);
CUresult cuSmallList(const CUsmallPair *list, const CUsmallParams *params, CUresult kind, unsigned int count,
	unsigned int marks);
CUresult cuSmallNever(int value);

static inline int small_inline(void)
{
	return 1;
}

#ifdef NEWER
/** \param more - Returned number */
CUresult cuSmallAlloc_v3(CUdeviceptr *address, size_t *size, int *more);
/** \param value - Returned value */
CUresult cuSmallAdded(CUsmallValue_v1 *value);
#endif

#ifdef __CUDA_API_VERSION_INTERNAL
typedef unsigned int CUsmallOld;
#undef cuSmallAlloc
__attribute__((deprecated)) CUresult cuSmallAlloc(CUdeviceptr *address, unsigned int size);
#ifdef CHANGED
CUresult cuSmallCopy(void *dst, const void *src, unsigned int size);
#else
CUresult cuSmallCopy(void *dst, const void *src, size_t size);
#endif
CUresult cuSmallCall(CUsmall small, CUsmallFn fn, void *userData,
	void (*done)(int code, void *data));
CUresult cuSmallMove(CUdeviceptr what);
CUresult cuSmallMove_ptsz(CUdeviceptr what);
CUresult cuSmallMove_v2(CUdeviceptr what, CUsmallPair where);
CUresult cuSmallOld(CUsmallOld old);
#endif

#ifdef NOCLASS
CUresult cuLarge(int value);
#endif
#ifdef NORESULT
int cuSmallInteger(int value);
#endif
#ifdef UNDECIDED
/** \param what - Some pointer */
CUresult cuSmallUndecided(int value,
	void *what);
#endif
#ifdef UNNAMED
CUresult cuSmallUnnamed(int value, const char *);
#endif

#endif
