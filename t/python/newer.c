/* SPDX-License-Identifier: Apache-2.0 */
/* Exports what tells a Python of a version that nobody knows. */
char _PyRuntime[4096];
const unsigned long Py_Version = 0x036300f0;
int PyCode_Type, PyUnicode_Type, PyBytes_Type;
