/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What assembly has to know of C. A file of these is compiled to assembly, by the
 * compiler and with the flags of all else; Makefile.am makes a header of what that says.
 */
#ifndef INTERNAL_OFFSETS_H
#define INTERNAL_OFFSETS_H

#include <stddef.h>

/* As a directive that any compiler passes on. */
#define VALUE(name, value) __asm__(".ascii \"@" #name " %c0\"" : : "i"(value))
#define OFFSET(name, type, member) VALUE(name, offsetof(type, member))

#endif
