/* SPDX-License-Identifier: Apache-2.0 */
/* A library that calls what it is given. */

__attribute__((visibility("default"))) void library_call(int (*call)(void *), long n);

void library_call(int (*call)(void *), long n)
{
	int value;

	for (; n > 0; n--)
		call(&value);
}
