/* SPDX-License-Identifier: Apache-2.0 */
/* A library that has a copy of NVTX's state, and is loaded and closed with it. */
#include "t/nvtx/copy.h"

int library_initialize(void);
int library_push(const char *text);
int library_pop(void);
void *library_domain(const char *name);

int library_initialize(void)
{
	return copy_initialize();
}

int library_push(const char *text)
{
	return copy_push(text);
}

int library_pop(void)
{
	return copy_pop();
}

void *library_domain(const char *name)
{
	return nvtx.DomainCreateA(name);
}
