/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of include/cuaudit/, for printing. */
#ifndef PRINT_TABLE_H
#define PRINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum print_kind {
	PRINT_INT,
	PRINT_UINT,
	PRINT_REAL,
	PRINT_HEX,
	PRINT_BYTE,	/* of an array */
	PRINT_ENUM,	/* detail: the enumeration */
	PRINT_HANDLE,	/* detail: the kind of handle */
	PRINT_STRUCT,	/* detail: the structure */
	PRINT_TEXT,	/* a pointer to a string */
	PRINT_NAMED,	/* detail: of the source's types, 0 for the result or a parameter from 1, with its enumeration */
	PRINT_BOOL,
	PRINT_OPAQUE,	/* of what is passed in memory, one word */
	PRINT_UNKNOWN	/* nobody knows what it was */
};

struct print_value {
	uint8_t kind;
	uint8_t detail;
	uint16_t size;
};

enum print_how {
	PRINT_VALUE,
	PRINT_FIXED,	/* a pointer to `length` elements */
	PRINT_ARRAY,	/* to as many as parameter `length` says */
	PRINT_DATA,	/* bytes, as many as parameter `length` says */
	PRINT_STRING,
	PRINT_PARAMETERS,	/* of a kernel that is launched */
	PRINT_ADDRESS
};

struct print_shape {
	uint8_t how;
	uint8_t length;
	struct print_value value;
};

/* No structure is larger. */
enum { PRINT_ELEMENT = 256 };

/* A field; one of a union holds where the 32 bits at when_at are when_value. */
struct print_member {
	uint32_t text;
	uint32_t when_value;
	uint16_t when_at;
	uint16_t at;
	uint16_t bytes;		/* one value or an array of them */
	uint16_t length_at;
	uint8_t length_size;	/* not 0: a pointer to as many as is said at length_at */
	bool when;
	struct print_value value;
};

struct print_struct {
	const struct print_member *members;
	uint32_t count;
	bool partial;	/* some members of its unions are not told */
};

/* A parameter of a row. */
struct print_param {
	const char *name;
	const char *type;
	uint8_t direction;	/* enum cuaudit_direction */
	uint8_t words;
	uint8_t word;		/* the first of its words */
	struct print_shape shape;
};

/* No row has more; of functions of other libraries, no more are in registers and what is kept of the stack. */
enum { PRINT_PARAMS = 16, PRINT_TYPED = 40 };

/* Context: call, all of them. The parameters of a row and how many; 0 if there is no row. */
uint32_t print_params(int32_t id, struct print_param params[PRINT_PARAMS]);

struct print_struct print_struct_get(uint32_t number);
const char *print_member_name(const struct print_member *member);

/* The first enumerator that equals value, NULL for none. */
const char *print_enumerator(uint32_t number, uint32_t value);

/* The name of the enumerator of that index, from 0; NULL behind the last. */
const char *print_enumerator_at(uint32_t number, uint32_t index);

/* Bytes that all names of any one such, with the other bits and a NUL, take no more than. */
enum { PRINT_FLAGS_MOST = 768 };

/* Whether an enumeration's values are sums of bits. */
bool print_flagset(uint32_t number);

/* What handles of a kind are called; kinds begin at 1. */
enum { PRINT_KINDS = 64 };
const char *print_handle_word(uint32_t kind);

/* What PRINT_VALUE of a CUresult is. */
extern const struct print_value print_result;

/* What the runtime's functions are called behind underscores, as a glob here and in SQL. */
#define PRINT_RUNTIME "cuda[A-Z]*"

/* Whether a function is the runtime's, by its name; false for NULL. */
bool print_is_runtime(const char *function);

/* The same of what a function returns: a cudaError_t where it is the runtime's. NULL: the driver's. */
const struct print_value *print_result_of(const char *function);

#endif
