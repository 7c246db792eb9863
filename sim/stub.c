/* SPDX-License-Identifier: Apache-2.0 */
/* An export for each function of the table: this one where no other file has it. */
#include "sim/sim.h"

#define STUB_NONE(symbol, parameters) \
	__attribute__((weak)) CUresult symbol(parameters) \
	{ \
		return CUDA_ERROR_NOT_SUPPORTED; \
	}

/* These call their plain forms: forward.c. */
#define STUB_PTDS(symbol, parameters)
#define STUB_PTSZ(symbol, parameters)

#define SEP ,
#define P(dir, type, name) type name __attribute__((unused))
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) \
	STUB_##flavour(symbol, ARGUMENTS_##n(params))
#include <cuaudit/driver_api.def>
