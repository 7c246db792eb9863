/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program with variables that are set twice. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* twice PROGRAM ARGUMENT... -- VARIABLE=VALUE...: added behind those there are */
int main(int argc, char **argv)
{
	char *list[256];
	int count = 0, at = 1;

	while (environ[count] && count < 200) {
		list[count] = environ[count];
		count++;
	}
	while (at < argc && strcmp(argv[at], "--"))
		at++;
	argv[at] = NULL;
	for (int i = at + 1; i < argc; i++)
		list[count++] = argv[i];
	list[count] = NULL;
	return execve(argv[1], argv + 1, list);
}
