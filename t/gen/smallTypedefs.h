/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of small.h's functions, as a toolkit's headers tell them. */
#ifndef smallTypedefs_h
#define smallTypedefs_h

#include <small.h>

typedef CUresult (*PFN_cuSmallCreate_v10000)(CUsmall *, const char *, int *);
typedef CUresult (*PFN_cuSmallAlloc_v3020)(CUdeviceptr *, size_t *);
typedef CUresult (*PFN_cuSmallAlloc_v2000)(CUdeviceptr *, unsigned int);
typedef CUresult (*PFN_cuSmallCopy_v4000)(void *, const void *, size_t);
typedef CUresult (*PFN_cuSmallCopy_v7000_ptds)(void *, const void *, size_t);
typedef CUresult (*PFN_cuSmallCall_v4000)(CUsmall, CUsmallFn, void *, void (*)(int, void *));
typedef CUresult (*PFN_cuSmallCall_v7000_ptsz)(CUsmall, CUsmallFn, void *,
	void (*)(int, void *));
typedef CUresult (*PFN_cuSmallMove_v9000)(CUdeviceptr, CUsmallPair);
typedef CUresult (*PFN_cuSmallMove_v9000_ptsz)(CUdeviceptr, CUsmallPair);
typedef CUresult (*PFN_cuSmallPass_v9000)(CUsmallPair, const CUsmallParams *, CUsmallParams **, float,
	unsigned int);
typedef CUresult (*PFN_cuSmallSynchronize_v2000)(void);
typedef CUresult (*PFN_cuSmallList_v11050)(const CUsmallPair *, const CUsmallParams *, CUresult,
	unsigned int, unsigned int);
#ifdef __CUDA_API_VERSION_INTERNAL
typedef CUresult (*PFN_cuSmallMove_v2030)(CUdeviceptr);
typedef CUresult (*PFN_cuSmallMove_v7000_ptsz)(CUdeviceptr);
typedef CUresult (*PFN_cuSmallOld_v2000)(CUsmallOld);
#endif
#ifdef NEWER
typedef CUresult (*PFN_cuSmallAdded_v12000)(CUsmallValue_v1 *);
typedef CUresult (*PFN_cuSmallAlloc_v12000)(CUdeviceptr *, size_t *, int *);
#endif
#ifdef NOCLASS
typedef CUresult (*PFN_cuLarge_v2000)(int);
#endif

#endif
