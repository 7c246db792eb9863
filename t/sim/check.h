/* SPDX-License-Identifier: Apache-2.0 */
/* What the test programs of the simulated driver share. */
#ifndef T_SIM_CHECK_H
#define T_SIM_CHECK_H

#include "sim/api.h"
#include "t/tap.h"

/* The call is its own name. */
#define RC(call, want) is_int(call, want, "%s", #call)
#define GOOD(call) RC(call, CUDA_SUCCESS)

#endif
