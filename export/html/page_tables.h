/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a summary, and what is to be told beside them. */
#ifndef EXPORT_HTML_PAGE_TABLES_H
#define EXPORT_HTML_PAGE_TABLES_H

#include "analysis/summary.h"
#include "util/writer.h"

/* As the members "totals", "warnings", "tables" and "histograms". */
void tables_json(const struct summary *summary, struct writer *json);

/* As the member "memory": bytes over time of each process of which it is known. */
void tables_memory(const struct summary *summary, struct writer *json);

#endif
