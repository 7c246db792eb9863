/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that begin or end inside of a call of a library, and lie around it or inside of it. */
#include <unistd.h>

#include "t/nvtx/copy.h"

static int (*around)(void (*function)(void));

static void nothing(void)
{
}

static void begin(void)
{
	copy_push("begins inside");
}

static void end(void)
{
	copy_pop();
}

static void whole(void)
{
	copy_push("inside");
	around(nothing);
	copy_pop();
}

static void begin_in_two(void)
{
	around(begin);
	copy_push("inside as well");
	copy_pop();
}

/* The call does not end. */
static void leave(void)
{
	copy_pop();
	_exit(0);
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

	*(void **)&around = library ? dlsym(library, "around") : NULL;
	if (!around || copy_initialize() <= 0)
		return 1;
	copy_push("around");
	around(nothing);
	around(whole);
	copy_push("inner");
	copy_pop();
	copy_pop();
	around(begin);
	around(nothing);
	copy_pop();
	copy_push("ends inside");
	around(nothing);
	around(end);
	around(begin_in_two);
	copy_pop();
	copy_push("ends inside");
	copy_push("around");
	around(nothing);
	copy_pop();
	around(leave);
	return 1;
}
