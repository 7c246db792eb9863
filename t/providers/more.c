/* SPDX-License-Identifier: Apache-2.0 */
/* A library that calls another one, and itself. */
#include "t/providers/provided.h"

int shared_own(int a)
{
	return a * 2;
}

int shared_more(int a)
{
	return shared_own(add(a, 1));
}
