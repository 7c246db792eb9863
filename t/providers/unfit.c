/* SPDX-License-Identifier: Apache-2.0 */
/* A function that can have no hook, by its other name: a library's, and a program that calls one beside, and it if asked. */
#ifdef LIBRARY
int savectx(int value);
int kept(int value) __attribute__((alias("savectx")));
int beside(int value);

int savectx(int value)
{
	return value + 1;
}

int beside(int value)
{
	return value;
}
#else
#include <stdio.h>

int kept(int value);
int beside(int value);

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", argc > 1 ? kept(beside(41)) : beside(42));
	return 0;
}
#endif
