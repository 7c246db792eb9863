/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text, by what the tables say they are. Context: call. */
#ifndef PRINT_VALUE_H
#define PRINT_VALUE_H

#include "print/print.h"
#include "print/table.h"

/* What all values of a call are printed with. */
struct printer {
	struct buffer *out;
	const struct print_source *source;
	unsigned int flags;	/* enum cuaudit_print */
	bool follow;		/* pointers */
	int depth;
};

/* Whether an integer may be negative. */
bool value_is_signed(struct print_value value);

/* An integer of up to 8 bytes, its sign kept for PRINT_INT. */
uint64_t value_integer(struct print_value value, const void *bytes);

/* Whether so many bytes are an integer's. */
static inline bool value_is_word(size_t size)
{
	return size <= sizeof(uint64_t) && !(size & (size - 1));
}

/* A float or double. */
double value_real(struct print_value value, const void *bytes);

/* One value, from its bytes. */
void value_print(struct printer *printer, struct print_value value, const void *bytes);

/* An address, NULL for 0. */
void value_address(struct printer *printer, uint64_t address);

/* count values at an address in [], one structure without them; the address if it cannot be read. */
void value_list(struct printer *printer, struct print_value value, uint64_t address,
		uint64_t count, bool array);

/* The string at an address in quotes; the address if it cannot be read. */
void value_string(struct printer *printer, uint64_t address);

/* A kernel's parameters, to which an address leads, in []; the address if they are not known. */
void value_parameters(struct printer *printer, uint64_t address);

/* Whether the member of a union is the one that holds, in the structure at base. */
bool value_holds(const struct print_member *member, const char *base);

/*
 * How long the name is that three values share as dimensions, say 7 of
 * gridDimX, gridDimY and gridDimZ; 0 if they are none.
 */
size_t value_dimensions(const char *x, const char *y, const char *z);

/* "(x, y, z)" */
void value_dim3(struct printer *printer, uint64_t x, uint64_t y, uint64_t z);

#endif
