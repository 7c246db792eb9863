/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded argument as one value of a simple type: a number, an address or a text. */
#ifndef EXPORT_TYPED_H
#define EXPORT_TYPED_H

#include "analysis/kernel_launch.h"
#include "print/table.h"
#include "tracefile/arguments.h"

enum typed_kind {
	TYPED_INT,
	TYPED_UINT,
	TYPED_HEX,	/* addresses, handles */
	TYPED_REAL,
	TYPED_TEXT
};

struct typed {
	enum typed_kind kind;
	uint64_t bits;		/* of INT, UINT and HEX */
	double real;
	const char *text;	/* UTF-8, ended by a NUL */
	size_t size;
};

/* A function's parameters, and what stands for others, and for its result. */
enum { TYPED_PARAMS = PRINT_TYPED + 2 };

struct typed_params {
	struct print_param params[TYPED_PARAMS];
	uint32_t count;
};

/* No parameters if its calls were recorded without arguments, or nobody knows them. */
struct typed_function {
	struct typed_params params;
	struct launch_plan launch;
};

/* Of all functions of a trace; to be freed. NULL when memory is out. */
struct typed_function *typed_functions(const struct trace *trace);

/* Adds what functions return, of which types are known, behind their parameters. */
void typed_results(struct typed_function *functions, const struct trace *trace);

/* What values of a parameter are, as long as they are known; else they are TYPED_TEXT. */
enum typed_kind typed_kind(const struct print_param *param);

enum { TYPED_SCRATCH = 8192 };

/* Scratch holds the text; it is cut if it does not fit. false: nobody kept the value. */
bool typed_read(struct typed *typed, const struct trace_arguments *arguments,
		const struct typed_params *params, uint32_t index, char scratch[TYPED_SCRATCH]);

#endif
