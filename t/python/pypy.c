/* SPDX-License-Identifier: Apache-2.0 */
/* Exports what tells PyPy. */
int pypy_main_startup(void)
{
	return 0;
}
