/* SPDX-License-Identifier: Apache-2.0 */
/* Division of 128 bits by 64. */
#include "util/divide.h"

uint64_t divide(unsigned __int128 dividend, uint64_t divisor)
{
	uint64_t quotient = 0;

	if (dividend >> 64 >= divisor)
		return UINT64_MAX;
	for (int bit = 63; bit >= 0; bit--) {
		if (dividend >> bit < divisor)
			continue;
		dividend -= (unsigned __int128)divisor << bit;
		quotient |= (uint64_t)1 << bit;
	}
	return quotient;
}
