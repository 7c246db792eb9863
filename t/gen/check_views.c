/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the view, the type and the replacement of every row of the table. C11 and C++17. */
/*
 * Only ever compiled with -fsyntax-only. ROWS is the file of rows that have
 * parameters, NONE of those that have none, NAMED of those whose own types are
 * there. BEFORE and AFTER say when <cuda.h> is included; UNDEF is a file that
 * undefines its names of functions, which the macros here would expand.
 */
#ifdef BEFORE
#include <cuda.h>
#endif
#include <cuaudit/replace.h>
#ifdef AFTER
#include <cuda.h>
#include <cudaProfiler.h>
#endif

#include UNDEF

#ifdef __cplusplus
#define _Static_assert static_assert
#endif

/* Each parameter's name, and the words of all. */
#define SEP
#define P(direction, type, name) (void)view->name;
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	static inline void use_##symbol(struct cuaudit_call *call) \
	{ \
		struct cuaudit_args_##symbol *view = CUAUDIT_ARGS(call, symbol); \
		params \
	}
#include ROWS
#undef CUAPI
#undef P

#define P(direction, type, name) + (sizeof(type) + 7) / 8 * 8
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	_Static_assert(sizeof(struct cuaudit_args_##symbol) == 0 params, "words of " #symbol);
#include NAMED
#undef CUAPI
#undef P
#undef SEP

#define SEP ,
#define P(direction, type, name) type name
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	typedef CUresult row_##symbol(params); \
	static inline void is_##symbol(row_##symbol *row) \
	{ \
		cuaudit_fn_##symbol *view = row; \
		(void)view; \
	}
#include NAMED
#undef CUAPI
#undef P
#undef SEP

#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	static inline int replace_##symbol(cuaudit_fn_##symbol *function) \
	{ \
		return CUAUDIT_REPLACE(symbol, function) + (CUAUDIT_REAL(symbol) == function); \
	}
#include ROWS
#include NONE

/* What a replacement looks like, with the types of the reader's <cuda.h>. */
static CUresult allocate(CUdeviceptr *pointer, size_t size)
{
	return CUAUDIT_REAL(cuMemAlloc_v2)(pointer, size);
}

static CUresult wait(CUstream stream, CUevent event, unsigned int flags)
{
	return CUAUDIT_REAL(cuStreamWaitEvent)(stream, event, flags);
}

int start(struct cuaudit_call *call);

int start(struct cuaudit_call *call)
{
	CUstream stream = CUAUDIT_ARGS(call, cuStreamWaitEvent)->hStream;
	CUlimit limit = CUAUDIT_ARGS(call, cuCtxSetLimit)->limit;

	CUAUDIT_ARGS(call, cuCtxSetLimit)->limit = CU_LIMIT_STACK_SIZE;
	CUAUDIT_ARGS(call, cuMemcpy2D_v2)->pCopy = (const CUDA_MEMCPY2D *)0;
	return CUAUDIT_REPLACE(cuMemAlloc_v2, allocate) + CUAUDIT_REPLACE(cuStreamWaitEvent, &wait) +
	       (stream && limit == CU_LIMIT_STACK_SIZE);
}
