/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a Python program objects are allocated. */
#ifndef HOOKS_MODULES_LEAK_LEAK_PYTHON_H
#define HOOKS_MODULES_LEAK_LEAK_PYTHON_H

/* Context: setup. Has sites keep it, from now on. */
void leak_python_want(void);

/*
 * Context: call. "file.py:12" of the calling thread's innermost Python frame, for good; NULL: there
 * is none, or nobody wants it, or there is no room for another.
 */
const char *leak_python_here(void);

#endif
