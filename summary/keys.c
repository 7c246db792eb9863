/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects, key by key. */
#include "summary/keys.h"

void keys_key(struct out *out, const char *before, const char *name)
{
	out_text(out, before);
	out_text(out, "\"");
	out_text(out, name);
	out_text(out, "\":");
}

void keys_number(struct out *out, const char *name, uint64_t value)
{
	keys_key(out, ",", name);
	out_u64(out, value);
}

void keys_integer(struct out *out, const char *name, int64_t value)
{
	keys_key(out, ",", name);
	if (value < 0)
		out_text(out, "-");
	out_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void keys_bool(struct out *out, const char *name, int value)
{
	keys_key(out, ",", name);
	out_text(out, value ? "true" : "false");
}

void keys_text(struct out *out, const char *name, const char *value)
{
	keys_key(out, ",", name);
	if (value)
		out_json(out, value);
	else
		out_text(out, "null");
}

const char *keys_between(size_t index)
{
	return index ? "," : "";
}
