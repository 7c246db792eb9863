/* SPDX-License-Identifier: Apache-2.0 */
/* All that a call on x86-64 can carry; offsets, for any.S as well, that any.c compares. */
#ifndef T_ROUTES_ANY_H
#define T_ROUTES_ANY_H

#define ANY_RAX		0
#define ANY_RBX		8
#define ANY_RCX		16
#define ANY_RDX		24
#define ANY_RSI		32
#define ANY_RDI		40
#define ANY_RBP		48
#define ANY_RSP		56
#define ANY_R8		64
#define ANY_R9		72
#define ANY_R10		80
#define ANY_R11		88
#define ANY_R12		96
#define ANY_R13		104
#define ANY_R14		112
#define ANY_R15		120
#define ANY_FLAGS	128
#define ANY_MXCSR	136
#define ANY_FPUCW	140
#define ANY_MASKS	144
#define ANY_VECTORS	256
#define ANY_STACK	2304
#define ANY_SIZE	2560

#define ANY_NSTACK	32	/* words above the return address */

/* Registers of vectors that the processor has. */
#define ANY_SSE		0
#define ANY_AVX		1
#define ANY_AVX512	2

#ifndef __ASSEMBLER__
#include <stdint.h>

struct any_state {
	uint64_t integers[16];		/* rsp: of the caller, before the call */
	uint64_t flags;
	uint32_t mxcsr;
	uint16_t fpucw, unused;
	uint64_t masks[8];
	uint64_t rest[6];
	uint64_t vectors[32][8];
	uint64_t stack[ANY_NSTACK];
} __attribute__((aligned(64)));

/* What any_call keeps meanwhile; a call inside of a call wants it saved. */
struct any_kept {
	uint64_t sp, target, out, r11;
};
extern struct any_kept any_kept;

/* Calls function with all of in; what there is afterwards goes to out. */
void any_call(void *function, const struct any_state *in, struct any_state *out);
void any_call_misaligned(void *function, const struct any_state *in, struct any_state *out);

/* Loses every register that a function may lose. */
void any_trash(void);

/* Of the driver: what it was called with, as whom, and what it answers. */
extern struct any_state any_arrived, any_answer;
extern uint32_t any_which, any_arrivals;

/* What vectors there are, of the program and of the driver. */
extern uint32_t any_level, any_driver_level;
#endif
#endif
