/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose one function calls what it is given. */

__attribute__((visibility("default"))) int around(void (*function)(void));
int around(void (*function)(void))
{
	function();
	return 1;
}
