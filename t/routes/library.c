/* SPDX-License-Identifier: Apache-2.0 */
/* A library that reaches the driver by PLT, by address and by a static table. */
#include "t/routes/library.h"

#include "t/fake/driver.h"

static int (*volatile const table[])(void **) = { cuCtxGetCurrent };

int library_init(void)
{
	return cuInit(0);
}

library_query_fn library_address(void)
{
	return cuStreamQuery;
}

int library_by_table(void)
{
	void *context;

	return table[0](&context);
}
