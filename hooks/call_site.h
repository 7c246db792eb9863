/* SPDX-License-Identifier: Apache-2.0 */
/* Where a call was made, as people and addr2line want it. Context of all but the last: call. */
#ifndef HOOKS_CALL_SITE_H
#define HOOKS_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuaudit/coverage.h>

enum {
	CALL_SITE_TEXT = 384,
	CALL_SITE_SYMBOL = 4096	/* of a function of C++ */
};

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
 * Its library's path, one that means the same in whatever directory the program and the reader are: in
 * text, if it is not absolute and fits.
 */
const char *call_site_path(const struct cuaudit_library *library, char *text, size_t size);

/*
 * The same as a text: "step+0x1f (libx.so)", "libx.so+0x1234", "address 0x1234 (libx.so)" or
 * "address 0x1234".
 */
const char *call_site_text(char text[CALL_SITE_TEXT], const void *caller,
			   const struct cuaudit_library *library);

/* How its library has bound the function that is called, 1 << enum cuaudit_route each. */
uint32_t call_site_routes(const struct cuaudit_call *call);

/*
 * Context: setup. The return address of the first call of which an escape, or a table that was
 * handed out, is; NULL: it was no call, or of several together.
 */
const void *call_site_escape(const struct cuaudit_escape *escape);
const void *call_site_table(const struct cuaudit_export_table *table);

struct writer;

/*
 * Members of an object that is open: library, address, and as far as they are known offset and
 * build_id, by which cuaudit report finds function and line, symbol and distance. name has room
 * for size bytes of the symbol, and of a path: in the context call, few.
 */
void call_site_json(struct writer *json, const void *caller, const struct cuaudit_library *library,
		    char *name, size_t size);

#endif
