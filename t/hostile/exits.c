/* SPDX-License-Identifier: Apache-2.0 */
/* Prints that somebody asks to be told of the exit, before the program's libc is asked. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

int on_exit(void (*function)(int, void *), void *data)
{
	int (*next)(void (*)(int, void *), void *) =
		(int (*)(void (*)(int, void *), void *))dlsym(RTLD_NEXT, "on_exit");

	if (write(STDOUT_FILENO, "on_exit\n", 8) != 8)
		abort();
	return next(function, data);
}
