/* SPDX-License-Identifier: Apache-2.0 */
/* Locks all of a file until standard input ends. */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct flock all = { .l_type = F_WRLCK };
	char none;

	return argc < 2 || fcntl(open(argv[1], O_RDWR), F_SETLK, &all) ||
	       write(1, "locked\n", 7) != 7 || read(0, &none, 1);
}
