/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes of stack a call of with_callback takes that is open, of 100 in one another. */
#include <stdint.h>
#include <stdio.h>

#include "t/providers/provided.h"

enum { LEVELS = 100 };

static uintptr_t deepest;

static int go_on(int left)
{
	int here = left;

	deepest = (uintptr_t)&here;
	return left > 1 ? with_callback(go_on, left - 1) + here : 0;
}

int main(void)
{
	uintptr_t first;

	/* The first call of all loads the core. */
	go_on(2);
	go_on(1);
	first = deepest;
	go_on(LEVELS + 1);
	printf("%ld\n", (long)(first - deepest) / LEVELS);
	return 0;
}
