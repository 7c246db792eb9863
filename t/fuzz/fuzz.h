/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzzing programs share: their command line and how they fail. */
#ifndef T_FUZZ_FUZZ_H
#define T_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "t/fuzz/chance.h"

/* The lines the code under test wrote since the case began. */
extern unsigned int fuzz_lines;

/* The case in hand, said when the program dies. */
extern uint64_t fuzz_number;

/* Takes SEED FIRST COUNT from the command line; ends the program if it hangs. */
void fuzz_start(int argc, char **argv, uint64_t *seed, uint64_t *first, uint64_t *count);

#define fuzz_check(condition) \
	((condition) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #condition))

void fuzz_failed(const char *file, int line, const char *condition);

#endif
