/* SPDX-License-Identifier: Apache-2.0 */
/* What the program calls things by NVTX. */
#ifndef TRACEFILE_NAMES_H
#define TRACEFILE_NAMES_H

#include "tracefile/tracefile.h"

/* Of a kind of enum cuaudit_trace_range_name_kind; "" for none. domain: of categories and domains. */
const char *trace_name(const struct trace *trace, uint32_t kind, uint32_t domain, uint64_t id);

/* A part of trace_open: sorts the names, and gives threads theirs. */
void trace_names_settle(struct trace *trace);

#endif
