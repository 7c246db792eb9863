/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closes all descriptors but the first three amid its calls, as daemons do. HOW is "closes"; "takes": files of
 * its own take the numbers; "replaces": one takes the place of FILE.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 3, LAST = 900, CALLS = 100 };

static int take(void)
{
	char name[] = "taken-XXXXXX";
	int fd = mkstemp(name);

	if (fd >= 0)
		unlink(name);
	return fd;
}

static int change(const char *how, const char *file)
{
	int fd = 0;

	if (!strcmp(how, "takes"))
		while (fd >= 0 && fd < LAST)
			fd = take();
	if (!strcmp(how, "replaces"))
		return rename(file, "x.trace.old") || close(open(file, O_WRONLY | O_CREAT | O_EXCL, 0644));
	return 0;
}

/* Whether what took the numbers, which has no name, is not empty any more. */
static int is_hit(int number)
{
	struct stat status;

	return !fstat(number, &status) && S_ISREG(status.st_mode) && !status.st_nlink && status.st_size;
}

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");
	int failed = argc < 3, hit = 0;

	if (failed || init(0))
		return 1;
	for (int fd = FIRST; fd < LAST; fd++)
		close(fd);
	failed = change(argv[1], argv[2]);
	for (int i = 0; i < CALLS; i++)
		init(0);
	for (int fd = FIRST; fd < LAST; fd++)
		hit |= is_hit(fd);
	return failed || hit;
}
