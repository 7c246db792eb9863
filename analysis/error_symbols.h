/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, files and lines of the call sites of errors. */
#ifndef ANALYSIS_ERROR_SYMBOLS_H
#define ANALYSIS_ERROR_SYMBOLS_H

#include "analysis/error_rows.h"
#include "analysis/symbols.h"

/* For struct error_rows; data: struct symbols. symbols_error tells what failed. */
struct error_site error_symbols_find(void *data, const struct error_calls *calls);

#endif
