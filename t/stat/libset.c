/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose destructor calls what the program says. */
static void (*volatile last)(void);

void set_last(void (*function)(void))
{
	last = function;
}

static void __attribute__((destructor)) end(void)
{
	last();
}
