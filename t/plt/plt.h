/* SPDX-License-Identifier: Apache-2.0 */
/* What the program and the libraries of the test of PLTs call of each other. */
#ifndef T_PLT_H
#define T_PLT_H

/* t/plt/callee.c */
int plt_plain(int number);		/* number + 1 */
int plt_ifunc(int number);		/* number + 2; chosen by a resolver */
int plt_versioned(int number);		/* number + 3; number + 4 in its old version */
int plt_unused(void);

/* t/plt/caller.c: the sum of what these give for number. */
int plt_caller(int number);

#endif
