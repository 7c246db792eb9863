/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and are the same in every run. */
#ifndef T_FUZZ_CHANCE_H
#define T_FUZZ_CHANCE_H

#include <stdint.h>

__attribute__((weak)) uint64_t chance_state = 88172645463325252;

/* Each case begins with a state of its own, so that any one can be run alone. */
static inline void chance_begin(uint64_t seed, uint64_t number)
{
	chance_state = (seed + 1) * 0x9e3779b97f4a7c15u ^ (number + 1) * 0xbf58476d1ce4e5b9u;
	chance_state += !chance_state;
}

static inline uint64_t chance_word(void)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return chance_state * 0x2545f4914f6cdd1du;
}

/* 0 to below - 1; below is not 0. */
static inline uint64_t chance(uint64_t below)
{
	return (chance_word() >> 16) % below;
}

#endif
