/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries for people and for programs. */
#ifndef ANALYSIS_SUMMARY_PRINT_H
#define ANALYSIS_SUMMARY_PRINT_H

#include "analysis/summary.h"
#include "util/out.h"

struct selector;

/* Tables of a summary, by the names in summary_tables. */
enum summary_table {
#define TABLE(name, text) SUMMARY_BY_##name,
#include "analysis/tables.def"
	SUMMARY_TABLES
};

extern const char *const summary_tables[SUMMARY_TABLES];

struct summary_print {
	unsigned int tables;	/* bits, 1 << enum summary_table; 0: all that say something */
	size_t top;		/* rows of each table; 0: all */
	size_t columns;		/* of a line */
	bool colour;
	bool blocks;		/* the terminal shows block elements of Unicode */
	const struct selector *bars;	/* NULL, or functions whose histograms are printed */
};

void summary_text(const struct summary *summary, const struct summary_print *print,
		  struct out *out);

/* One object on one line. */
void summary_json(const struct summary *summary, const struct summary_print *print,
		  struct out *out);

/* What is different in b. 0 or -ENOMEM. */
int summary_diff_text(const struct summary *a, const struct summary *b,
		      const struct summary_print *print, struct out *out);
int summary_diff_json(const struct summary *a, const struct summary *b,
		      const struct summary_print *print, struct out *out);

/* Bytes as "1.23GiB". */
struct out_number summary_size(uint64_t bytes);

#endif
