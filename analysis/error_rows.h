/* SPDX-License-Identifier: Apache-2.0 */
/* Which errors there were: of each function by result, of each result by who called. */
#ifndef ANALYSIS_ERROR_ROWS_H
#define ANALYSIS_ERROR_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/writer.h"

/* Calls of one function, from one place, with one result. */
struct error_calls {
	const char *function;
	const char *library;	/* its path; NULL: not known */
	uint64_t offset;	/* the return address in it; 0: not known, all of the library */
	uint64_t caller;	/* the return address itself, in this process */
	const char *file;	/* of the library, with the build ID below; NULL: the library's path */
	const uint8_t *build_id;
	uint32_t id_size;	/* 0: not known */
	int32_t result;
	bool others;		/* of further results, whose names are not known */
	uint64_t count;
};

/* Those of one function with one result, or with all results that have no row. */
struct error_row {
	const char *function;
	int32_t result;
	bool others;
	uint64_t count;
	const struct error_calls *callers;	/* the most first */
	size_t ncallers;
};

/* What is at a call site, as far as it is known. */
struct error_site {
	const char *function;	/* NULL: nothing is known */
	const char *file;	/* NULL: not known, and then distance is from the function to the call */
	uint32_t line;
	uint64_t distance;	/* ERROR_NO_DISTANCE: not known */
};
#define ERROR_NO_DISTANCE UINT64_MAX

/* Its texts are good until it is called again. */
typedef struct error_site (*error_site_fn)(void *data, const struct error_calls *calls);

struct error_rows {
	struct error_row *rows;	/* the most first */
	size_t count;
	error_site_fn find;	/* the caller's, asked as rows are printed; NULL: sites are offsets */
	void *data;
};

/* Results of a function with a row of their own; callers that are shown of a result. */
enum { ERROR_RESULTS = 16, ERROR_CALLERS = 5 };

/* Context: setup. Sorts calls, which the rows go on using. 0 or -ENOMEM. */
int error_rows_fill(struct error_rows *rows, struct arena *memory, struct error_calls *calls,
		    size_t count);

/*
 * What a row or a caller is called: "CUDA_ERROR_NOT_FOUND", "libx.so+0x12", "step+0x1f (libx.so)"
 * in the process itself, "step at train.c:42, libx.so+0x12".
 */
enum { ERROR_TEXT = 128, ERROR_CALLER_TEXT = 320 };
const char *error_result_text(char text[ERROR_TEXT], const struct error_row *row);
const char *error_caller_text(char text[ERROR_CALLER_TEXT], const struct error_rows *rows,
			      const struct error_calls *caller);

/* The table for people. */
struct page;
void error_rows_text(const struct page *page, const struct error_rows *rows);

/* The members of a row, at most so many of its callers. */
void error_row_json(struct writer *json, const struct error_rows *rows, const struct error_row *row,
		    size_t callers);

#endif
