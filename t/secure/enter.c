/* SPDX-License-Identifier: Apache-2.0 */
/* enter ROOT PROGRAM [VARIABLE=VALUE...]: runs it there as user and group 65534. */
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

enum { NOBODY = 65534 };

int main(int argc, char **argv)
{
	char *arguments[] = { argc > 2 ? argv[2] : NULL, NULL };

	if (argc < 3 || chroot(argv[1]) || chdir("/") || setgroups(0, NULL) || setgid(NOBODY) ||
	    setuid(NOBODY))
		perror("enter");
	else
		execve(argv[2], arguments, argv + 3);
	return 99;
}
