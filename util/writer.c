/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, member after member, with the commas where they belong. */
#include "util/writer.h"

static void begin_member(struct writer *json, const char *key)
{
	if (json->more)
		out_text(json->out, ",");
	json->more = true;
	if (!key)
		return;
	out_json(json->out, key);
	out_text(json->out, ":");
}

void writer_begin(struct writer *json, const char *key, char bracket)
{
	begin_member(json, key);
	if (json->lines && bracket == '{')
		out_text(json->out, "\n");
	out_bytes(json->out, &bracket, 1);
	json->more = false;
}

void writer_end(struct writer *json, char bracket)
{
	out_bytes(json->out, &bracket, 1);
	json->more = true;
}

void writer_number(struct writer *json, const char *key, uint64_t value)
{
	begin_member(json, key);
	out_u64(json->out, value);
}

void writer_signed(struct writer *json, const char *key, int64_t value)
{
	begin_member(json, key);
	if (value < 0)
		out_text(json->out, "-");
	out_u64(json->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void writer_flag(struct writer *json, const char *key, bool value)
{
	begin_member(json, key);
	out_text(json->out, value ? "true" : "false");
}

void writer_null(struct writer *json, const char *key)
{
	begin_member(json, key);
	out_text(json->out, "null");
}

void writer_known(struct writer *json, const char *key, uint64_t value, bool known)
{
	if (known)
		writer_number(json, key, value);
	else
		writer_null(json, key);
}

void writer_text(struct writer *json, const char *key, const char *value)
{
	if (!value) {
		writer_null(json, key);
		return;
	}
	begin_member(json, key);
	out_json(json->out, value);
}

void writer_large(struct writer *json, const char *key, uint64_t value)
{
	begin_member(json, key);
	out_text(json->out, "\"");
	out_u64(json->out, value);
	out_text(json->out, "\"");
}

void writer_hex(struct writer *json, const char *key, uint64_t value)
{
	begin_member(json, key);
	out_text(json->out, "\"");
	out_hex(json->out, value);
	out_text(json->out, "\"");
}

void writer_uuid(struct writer *json, const char *key, const uint8_t *uuid)
{
	begin_member(json, key);
	out_text(json->out, "\"");
	out_uuid(json->out, uuid);
	out_text(json->out, "\"");
}

void writer_raw(struct writer *json, const char *key, const char *value, size_t length)
{
	begin_member(json, key);
	out_bytes(json->out, value, length);
}
