/* SPDX-License-Identifier: Apache-2.0 */
/* Exports what tells a Python 3.13 without the global lock. */
struct {
	char cookie[8];
	unsigned long version, free_threaded, rest[1000];
} _PyRuntime = { { 'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y' }, 0x030d00f0, 1, { 0 } };
const unsigned long Py_Version = 0x030d00f0;
int PyCode_Type, PyUnicode_Type, PyBytes_Type;
