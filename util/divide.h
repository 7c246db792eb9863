/* SPDX-License-Identifier: Apache-2.0 */
/* Division of 128 bits by 64. Any context. */
#ifndef UTIL_DIVIDE_H
#define UTIL_DIVIDE_H

#include <stdint.h>

/*
 * dividend / divisor, which is not 0; UINT64_MAX if the quotient is larger.
 * libgcc's has no BTI on AArch64, and what is linked with it has none.
 */
uint64_t divide(unsigned __int128 dividend, uint64_t divisor);

#endif
