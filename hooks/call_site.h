/* SPDX-License-Identifier: Apache-2.0 */
/* Where a call was made, as people and addr2line want it. Context of all: call. */
#ifndef HOOKS_CALL_SITE_H
#define HOOKS_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuaudit/call.h>

enum { CALL_SITE_TEXT = 384, CALL_SITE_ID = 32 };

struct call_site {
	bool known;		/* the library is where it was: offset is in its file */
	uint64_t offset;	/* of the call, just before the return address; else its address */
	uint64_t distance;	/* from the function's beginning to the call */
};

/*
 * Of a return address in a library. name, of size bytes: the function that the library exports
 * there, "" if none, cut with "...". Goes through the library's symbols: not for each call.
 */
struct call_site call_site_find(const void *caller, const struct cuaudit_library *library,
				char *name, size_t size);

/*
 * The same as a text: "step+0x1f (libx.so)", "libx.so+0x1234", "address 0x1234 (libx.so)" or
 * "address 0x1234".
 */
const char *call_site_text(char text[CALL_SITE_TEXT], const void *caller,
			   const struct cuaudit_library *library);

/* The library's build ID in hexadecimal digits; "" if it has none. */
const char *call_site_build_id(char text[2 * CALL_SITE_ID + 1],
			       const struct cuaudit_library *library);

#endif
