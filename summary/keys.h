/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects, key by key. */
#ifndef SUMMARY_KEYS_H
#define SUMMARY_KEYS_H

#include "report/out.h"

/* Keys are given with what stands before them: "{", "," or nothing. */
void keys_key(struct out *out, const char *before, const char *name);

/* These begin with a comma. */
void keys_number(struct out *out, const char *name, uint64_t value);
void keys_integer(struct out *out, const char *name, int64_t value);
void keys_bool(struct out *out, const char *name, int value);
void keys_text(struct out *out, const char *name, const char *value);	/* NULL: null */

/* What stands before an element of an array. */
const char *keys_between(size_t index);

#endif
