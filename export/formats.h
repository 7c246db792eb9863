/* SPDX-License-Identifier: Apache-2.0 */
/* Each format's row, in a file of its own. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "export/convert.h"

extern const struct convert_format convert_chrome;
extern const struct convert_format convert_csv;
extern const struct convert_format convert_ctf;
extern const struct convert_format convert_folded;
extern const struct convert_format convert_jsonl;
extern const struct convert_format convert_otlp;
extern const struct convert_format convert_perfetto;
extern const struct convert_format convert_sqlite;
extern const struct convert_format convert_text;

#endif
