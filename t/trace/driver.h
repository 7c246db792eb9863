/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of traces' tests: its functions, and what a program tells it to do. */
#ifndef T_TRACE_DRIVER_H
#define T_TRACE_DRIVER_H

#include <stdint.h>

typedef uint64_t word;

struct trace_handle {
	char bytes[64];
};

/* What the thread's next calls answer, and how many ns they take at least. */
extern __thread int trace_answer;
extern __thread uint64_t trace_ns;

/* What they write where they are given pointers; NULL: what t/trace/driver.def says. */
extern const word *trace_out;

/* The arguments of the thread's last launch. */
enum { TRACE_WORDS = 11 };
extern __thread word trace_launch[TRACE_WORDS];

/* What kernels are called, NULL for a name by their handle; whether cuFuncGetName fails. */
extern const char *trace_kernel;
extern int trace_nameless;

/* How many nodes a graph is said to have; there is room for two. */
extern word trace_nodes;

/* How many us unloading and the profiler's stop take, and what they call then; whether waiting has no end. */
extern unsigned int trace_us;
extern void (*trace_back)(void);
extern int trace_hangs;

/* What calls that fail have the driver say, up to NULL. */
extern const char *const *trace_says;

#define CALL(name, parameters, body) int name parameters;
#define HANDLE(name) int name(word handle);
#include "t/trace/driver.def"
#undef HANDLE
#undef CALL

#endif
