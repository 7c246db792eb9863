/* SPDX-License-Identifier: Apache-2.0 */
/* The report of the leak hook for people, in the process and of its JSON. */
#ifndef ANALYSIS_LEAK_TEXT_H
#define ANALYSIS_LEAK_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/out.h"

#define LEAK_TEXT_UNSIZED UINT64_MAX
#define LEAK_TEXT_NO_DISTANCE UINT64_MAX

/* Texts are the caller's. */
struct leak_text_site {
	const char *function;	/* NULL: there is none */
	const char *library;	/* its path */
	bool known;		/* where the library was is known: offset is in its file */
	uint64_t offset;	/* of the call; else its address */
	const char *symbol;	/* the function that calls; NULL: not known */
	const char *file;	/* NULL: not known, and then distance is from the symbol to the call */
	uint32_t line;
	uint64_t distance;	/* LEAK_TEXT_NO_DISTANCE: not known */
};

struct leak_text_head {
	uint64_t pid, allocated, objects, bytes, unsized, errors;
};

/* What was left, by library. */
struct leak_text_left {
	const char *what;
	uint64_t count, bytes, unsized;
	bool primary;
	struct leak_text_site site;
};

struct leak_text_fault {
	const char *error, *what;	/* what: NULL for a handle of no kind */
	const char *result;		/* NULL: the driver did not answer */
	const char *with;		/* died with this; NULL: by itself */
	uint64_t count, handle, size;
	bool contexts;			/* of context, not of other */
	uint64_t context, other;
	struct leak_text_site site, allocated, freed;
};

struct leak_text_notes {
	uint64_t suppressed_left, suppressed_errors, unseen, lost_objects, lost_errors;
};

void leak_text_head(struct out *out, const struct leak_text_head *head);
void leak_text_fault(struct out *out, const struct leak_text_fault *fault, bool first);

/* library: of the one before, NULL for none. */
void leak_text_left(struct out *out, const struct leak_text_left *left, const char *library);
void leak_text_notes(struct out *out, const struct leak_text_notes *notes);

#endif
