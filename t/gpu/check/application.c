/* SPDX-License-Identifier: Apache-2.0 */
/* application NAME broken|clean STEPS: a program that is linked with the library of library.cu. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int make_steps(const char *name, bool broken, int steps);

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	printf("%d\n", make_steps(argv[1], !strcmp(argv[2], "broken"), atoi(argv[3])));
	return 0;
}
