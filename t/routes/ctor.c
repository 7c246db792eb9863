/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose constructor and destructor call the driver. */
#include "t/fake/driver.h"
#include "t/routes/ctor.h"

/* Lets a program that has one do something while the loader's lock is held. */
void (*ctor_waits)(void) __attribute__((weak));

int ctor_result = -1;

static void __attribute__((constructor)) begin(void)
{
	if (ctor_waits)
		ctor_waits();
	ctor_result = cuInit(1);
}

static void __attribute__((destructor)) end(void)
{
	cuInit(0);
}
