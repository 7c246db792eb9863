/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and their arguments as text, from wherever the bytes are. Context: call. */
#ifndef PRINT_PRINT_H
#define PRINT_PRINT_H

#include <cuaudit/params.h>

#include "util/buffer.h"

struct numbers;
struct prototype;

/* Who knows what was at an address. */
struct print_source {
	/* Copies size bytes; false, and nothing is known of them, where it cannot. */
	bool (*read)(const struct print_source *source, uint64_t address, void *to, size_t size);
	/* What a handle stands for, or NULL; NULL: handles have no names. */
	const char *(*name)(const struct print_source *source, uint32_t kind, uint64_t handle);
	size_t name_most;	/* bytes of one that are printed, up to PRINT_NAME; 0: all */
	/*
	 * Where parameter index of those of a kernel is, to which an address leads, and its bytes:
	 * 0 of them behind the last, NULL where it is not known. NULL: no address leads to such.
	 */
	const void *(*parameter)(const struct print_source *source, uint64_t address, uint32_t index,
				 size_t *size);
	struct numbers *numbers;
	const struct prototype *types;	/* what a file of types says of the function, NULL: nothing */
	bool recorded;	/* it is of the past: a list or a text of which it has the beginning may be cut at once */
};

enum { PRINT_NAME = 128 };

struct print_call {
	const char *name;
	const uint64_t *words;
	uint64_t unknown;	/* bits of the words that may have been anything */
	const struct print_source *source;
	int32_t id;		/* row of driver_api.def, or -1 */
	int32_t result;		/* a CUresult, where flags have CUAUDIT_PRINT_AFTER */
	unsigned int flags;	/* enum cuaudit_print */
};

/* The value of one parameter; false if there is no such. */
bool print_argument(struct buffer *out, const struct print_call *call, uint32_t index);

/* The same of a parameter of its row, which print_params has told. */
struct print_param;
void print_parameter(struct buffer *out, const struct print_call *call,
		     const struct print_param *params, uint32_t index);

/* NAME(parameter = value, ...), = result after. */
void print_call(struct buffer *out, const struct print_call *call);

/* NAME(parameter = value, ...) of one of the source's types; the words that its first parameters begin with. */
void print_typed(struct buffer *out, const struct print_call *call, const uint8_t *words, uint32_t count);

/* What it returned, the parameter that prototypes_result makes of it; NULL: nothing that is known. */
void print_typed_result(struct buffer *out, const struct print_call *call,
			const struct print_param *result);

/* What a function returned by its runtime's or the driver's name (NULL: that), or by number. */
void print_result_name(struct buffer *out, const char *function, int32_t result);

/* The same as a text by itself, which is returned. */
enum { PRINT_RESULT = 96 };
const char *print_result_text(char text[PRINT_RESULT], const char *function, int32_t result);

#endif
