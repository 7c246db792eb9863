/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose notes are aligned to 8 bytes, its build id behind another. */
const int aligned = 1;

__asm__(".section .note.aligned, \"a\"\n"
	"	.balign 8\n"
	"	.long 4, 4, 1\n	.asciz \"OWN\"\n	.long 7, 0\n"
	"	.long 4, 20, 3\n	.asciz \"GNU\"\n"
	"	.byte 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20\n"
	"	.balign 8\n"
	"	.previous\n");
