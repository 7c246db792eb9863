/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the driver at the end of a library. */
#include "sim/api.h"

void set_last(void (*function)(void));

static void call(void)
{
	int version;

	cuDriverGetVersion(&version);
}

int main(void)
{
	call();
	set_last(call);
	return 0;
}
