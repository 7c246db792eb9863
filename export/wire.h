/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf's wire format, for messages that are too many for a library. */
#ifndef EXPORT_WIRE_H
#define EXPORT_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WIRE_VARINT_MAX = 10 };

/* A field's tag, encoded. */
struct wire_tag {
	uint8_t bytes[3];
	uint8_t size;
};

static inline size_t wire_varint_size(uint64_t value)
{
	return ((size_t)(63 - __builtin_clzll(value | 1)) * 9 + 73) / 64;
}

static inline uint8_t *wire_varint(uint8_t *at, uint64_t value)
{
	while (value > 127) {
		*at++ = (uint8_t)value | 128;
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

/* Writes up to sizeof(tag.bytes), of which the tag is what it returns past. */
static inline uint8_t *wire_tag(uint8_t *at, struct wire_tag tag)
{
	memcpy(at, tag.bytes, sizeof(tag.bytes));
	return at + tag.size;
}

static inline uint8_t *wire_uint(uint8_t *at, struct wire_tag tag, uint64_t value)
{
	return wire_varint(wire_tag(at, tag), value);
}

static inline uint8_t *wire_fixed64(uint8_t *at, struct wire_tag tag, uint64_t value)
{
	at = wire_tag(at, tag);
	for (int i = 0; i < 8; i++)
		*at++ = (uint8_t)(value >> 8 * i);
	return at;
}

/* What stands before a string or a message of that size. */
static inline uint8_t *wire_length(uint8_t *at, struct wire_tag tag, size_t size)
{
	return wire_varint(wire_tag(at, tag), size);
}

static inline uint8_t *wire_bytes(uint8_t *at, const void *bytes, size_t size)
{
	/* Of no bytes there may be no address either. */
	if (size)
		memcpy(at, bytes, size);
	return at + size;
}

#endif
