/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats. */
#include <config.h>

#include "export/formats.h"

#include <stddef.h>

/* A row that says what is missing. */
#define WITHOUT(library_name, format) \
	&(const struct convert_format){ .name = #format, .library = library_name }

#ifdef HAVE_SQLITE3
#define SQLITE3(format) &convert_##format
#else
#define SQLITE3(format) WITHOUT("sqlite3", format)
#endif

#ifdef HAVE_PROTOBUF_C
#define PROTOBUF_C(format) &convert_##format
#else
#define PROTOBUF_C(format) WITHOUT("protobuf-c", format)
#endif

const struct convert_format *const convert_formats[] = {
	&convert_chrome,
	&convert_csv,
	&convert_ctf,
	&convert_folded,
	&convert_jsonl,
	&convert_otlp,
	PROTOBUF_C(perfetto),
	SQLITE3(sqlite),
	&convert_text,
	NULL
};
