/* SPDX-License-Identifier: Apache-2.0 */
/* A signal comes when the directory is made. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>

char *mkdtemp(char *template)
{
	char *made = ((char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp"))(template);

	raise(SIGTERM);
	return made;
}
