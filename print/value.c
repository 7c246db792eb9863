/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text, by what the tables say they are. */
#include "print/value.h"

#include <string.h>

#include "print/number.h"
#include "print/numbers.h"
#include "print/prototypes.h"

enum {
	ELEMENTS = 16,	/* of a list, then "..." */
	CHARACTERS = 64,	/* of a string, then "..." */
	BYTES = 32,		/* of a field of bytes, then "..." */
	DEPTH = 3,		/* structures inside of lists inside of structures */
	READ = 64		/* one step of reading a string, within a page */
};

bool value_is_signed(struct print_value value)
{
	return value.kind == PRINT_INT || value.kind == PRINT_NAMED ||
	       (value.kind == PRINT_ENUM && !print_flagset(value.detail));
}

uint64_t value_integer(struct print_value value, const void *bytes)
{
	bool is_signed = value_is_signed(value);
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (value.size) {
	case 1:
		memcpy(&one, bytes, 1);
		return is_signed ? (uint64_t)(int8_t)one : one;
	case 2:
		memcpy(&two, bytes, 2);
		return is_signed ? (uint64_t)(int16_t)two : two;
	case 4:
		memcpy(&four, bytes, 4);
		return is_signed ? (uint64_t)(int32_t)four : four;
	default:
		memcpy(&eight, bytes, 8);
		return eight;
	}
}

static bool numbered(struct printer *printer, uint32_t kind, uint64_t value)
{
	uint32_t number = printer->source->numbers
			? number_of(printer->source->numbers, kind, value) : 0;

	if (!number)
		return false;
	buffer_text(printer->out, kind ? print_handle_word(kind) : "address");
	buffer_char(printer->out, '#');
	buffer_unsigned(printer->out, number);
	return true;
}

void value_address(struct printer *printer, uint64_t address)
{
	if (!address)
		buffer_text(printer->out, "NULL");
	else if (!(printer->flags & CUAUDIT_PRINT_STABLE) || !numbered(printer, 0, address))
		buffer_hex(printer->out, address);
}

/* Behind the handle, "<_Z4kernv>". */
static void handle_name(struct printer *printer, uint32_t kind, uint64_t bits)
{
	const char *name = printer->source->name(printer->source, kind, bits);

	size_t most = printer->source->name_most;
	char cut[PRINT_NAME + sizeof("...")];

	if (!name)
		return;
	buffer_char(printer->out, '<');
	if (most && strnlen(name, most + 1) > most) {
		memcpy(cut, name, most);
		strcpy(cut + most, "...");
		name = cut;
	}
	buffer_name(printer->out, name);
	buffer_char(printer->out, '>');
}

static void handle(struct printer *printer, struct print_value value, uint64_t bits)
{
	if (value.detail == KIND_stream && bits == (uintptr_t)CU_STREAM_LEGACY)
		buffer_text(printer->out, "CU_STREAM_LEGACY");
	else if (value.detail == KIND_stream && bits == (uintptr_t)CU_STREAM_PER_THREAD)
		buffer_text(printer->out, "CU_STREAM_PER_THREAD");
	else if (!bits)
		buffer_text(printer->out, "NULL");
	else if ((printer->flags & CUAUDIT_PRINT_RAW) || !numbered(printer, value.detail, bits))
		buffer_hex(printer->out, bits);
	if (bits && printer->source->name)
		handle_name(printer, value.detail, bits);
}

/* A sum of bits: each that has a name by it, the others as one number. */
static void flags(struct buffer *out, struct print_value value, uint64_t bits)
{
	uint64_t left = 0;
	bool some = false;

	for (uint64_t bit = 1; bit && bit <= bits; bit <<= 1) {
		const char *name = bit <= UINT32_MAX && (bits & bit)
				 ? print_enumerator(value.detail, (uint32_t)bit) : NULL;

		if (!name) {
			left |= bits & bit;
			continue;
		}
		if (some)
			buffer_char(out, '|');
		buffer_text(out, name);
		some = true;
	}
	if (!left && some)
		return;
	if (some)
		buffer_char(out, '|');
	if (left)
		buffer_hex(out, left);
	else
		buffer_char(out, '0');
}

static void named(struct buffer *out, struct print_value value, uint64_t bits)
{
	const char *name = value.size == 4 || bits <= UINT32_MAX ?
			   print_enumerator(value.detail, (uint32_t)bits) : NULL;

	if (name)
		buffer_text(out, name);
	else if (print_flagset(value.detail))
		flags(out, value, bits);
	else
		buffer_signed(out, (int64_t)bits);
}

static void named_by_types(struct printer *printer, struct print_value value, int64_t number)
{
	const char *name = prototypes_value_name(printer->source->types, value.detail, number);

	if (name)
		buffer_text(printer->out, name);
	else
		buffer_signed(printer->out, number);
}

double value_real(struct print_value value, const void *bytes)
{
	float single;
	double full;

	if (value.size == sizeof(single)) {
		memcpy(&single, bytes, sizeof(single));
		return (double)single;
	}
	memcpy(&full, bytes, sizeof(full));
	return full;
}

static void bytes_in_hex(struct buffer *out, const unsigned char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	buffer_text(out, "0x");
	for (size_t i = 0; i < size && i < BYTES; i++) {
		buffer_char(out, digits[bytes[i] >> 4]);
		buffer_char(out, digits[bytes[i] & 15]);
	}
	if (size > BYTES)
		buffer_text(out, "...");
}

static void member(struct printer *printer, const struct print_member *member, const char *base)
{
	size_t size = member->value.size;
	struct print_value length = { PRINT_UINT, 0, member->length_size };
	uint64_t pointer;

	if (member->length_size) {
		memcpy(&pointer, base + member->at, sizeof(pointer));
		value_list(printer, member->value, pointer,
			   value_integer(length, base + member->length_at), true);
	} else if (member->value.kind == PRINT_BYTE) {
		bytes_in_hex(printer->out, (const unsigned char *)base + member->at, member->bytes);
	} else if (member->bytes == size) {
		value_print(printer, member->value, base + member->at);
	} else {
		buffer_char(printer->out, '[');
		for (size_t i = 0; i < member->bytes / size; i++) {
			if (i)
				buffer_text(printer->out, ", ");
			value_print(printer, member->value, base + member->at + i * size);
		}
		buffer_char(printer->out, ']');
	}
}

/* Whether this and the two members after it are dimensions: the length of their name. */
static size_t dimensions(const struct print_member *first, const struct print_member *end)
{
	for (int i = 0; i < 3; i++)
		if (first + i >= end || first[i].value.kind != PRINT_UINT ||
		    first[i].value.size != first[i].bytes)
			return 0;
	return value_dimensions(print_member_name(first), print_member_name(first + 1),
				print_member_name(first + 2));
}

bool value_holds(const struct print_member *member, const char *base)
{
	uint32_t what;

	memcpy(&what, base + member->when_at, sizeof(what));
	return !member->when || what == member->when_value;
}

static void structure(struct printer *printer, struct print_value value, const char *base)
{
	struct print_struct all = print_struct_get(value.detail);
	const struct print_member *at = all.members, *end = at + all.count;
	bool some = false;

	buffer_char(printer->out, '{');
	for (; at < end; at++) {
		size_t name;

		if (!value_holds(at, base))
			continue;
		if (some)
			buffer_text(printer->out, ", ");
		some = true;
		name = dimensions(at, end);
		if (name) {
			buffer_bytes(printer->out, print_member_name(at), name);
			buffer_text(printer->out, " = ");
			value_dim3(printer, value_integer(at->value, base + at->at),
				   value_integer(at[1].value, base + at[1].at),
				   value_integer(at[2].value, base + at[2].at));
			at += 2;
			continue;
		}
		buffer_text(printer->out, print_member_name(at));
		buffer_text(printer->out, " = ");
		member(printer, at, base);
	}
	if (all.partial)
		buffer_text(printer->out, some ? ", ..." : "...");
	buffer_char(printer->out, '}');
}

void value_print(struct printer *printer, struct print_value value, const void *bytes)
{
	switch (value.kind) {
	case PRINT_INT:
		buffer_signed(printer->out, (int64_t)value_integer(value, bytes));
		break;
	case PRINT_REAL:
		buffer_real(printer->out, value_real(value, bytes));
		break;
	case PRINT_HEX:
		value_address(printer, value_integer(value, bytes));
		break;
	case PRINT_ENUM:
		named(printer->out, value, value_integer(value, bytes));
		break;
	case PRINT_HANDLE:
		handle(printer, value, value_integer(value, bytes));
		break;
	case PRINT_STRUCT:
		structure(printer, value, bytes);
		break;
	case PRINT_TEXT:
		value_string(printer, value_integer(value, bytes));
		break;
	case PRINT_NAMED:
		named_by_types(printer, value, (int64_t)value_integer(value, bytes));
		break;
	case PRINT_BOOL:
		buffer_text(printer->out, value_integer(value, bytes) ? "true" : "false");
		break;
	case PRINT_OPAQUE:
		buffer_text(printer->out, "{...}");
		break;
	case PRINT_UNKNOWN:
		buffer_char(printer->out, '?');
		break;
	default:
		buffer_unsigned(printer->out, value_integer(value, bytes));
	}
}

/* Nothing of it was kept but that it was there. */
static bool cut_at_once(const struct printer *printer, uint64_t address)
{
	char nothing;

	return address && printer->follow && printer->depth < DEPTH && printer->source->recorded &&
	       printer->source->read(printer->source, address, &nothing, 0);
}

void value_list(struct printer *printer, struct print_value value, uint64_t address,
		uint64_t count, bool array)
{
	char element[PRINT_ELEMENT] __attribute__((aligned(8)));
	bool brackets = array || count != 1 || value.kind != PRINT_STRUCT;
	const struct print_source *source = printer->source;

	if (!address || !printer->follow || printer->depth == DEPTH ||
	    (count && !source->read(source, address, element, value.size))) {
		if (cut_at_once(printer, address))
			buffer_text(printer->out, "[...]");
		else
			value_address(printer, address);
		return;
	}
	printer->depth++;
	if (brackets)
		buffer_char(printer->out, '[');
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			buffer_text(printer->out, ", ");
		if (i == ELEMENTS || (i && !source->read(source, address + i * value.size,
							 element, value.size))) {
			buffer_text(printer->out, "...");
			break;
		}
		value_print(printer, value, element);
	}
	if (brackets)
		buffer_char(printer->out, ']');
	printer->depth--;
}

void value_string(struct printer *printer, uint64_t address)
{
	const struct print_source *source = printer->source;
	char text[CHARACTERS + 1];
	size_t length = 0, end = 0;

	while (address && printer->follow && length == end && end < sizeof(text)) {
		size_t step = READ - (address + end) % READ;

		if (step > sizeof(text) - end)
			step = sizeof(text) - end;
		/* What is known of it may end within the step. */
		while (step && !source->read(source, address + end, text + end, step))
			step /= 2;
		if (!step)
			break;
		end += step;
		length = strnlen(text, end);
	}
	if (!end) {
		if (cut_at_once(printer, address))
			buffer_text(printer->out, "\"\"...");
		else
			value_address(printer, address);
		return;
	}
	buffer_quoted(printer->out, text, length > CHARACTERS ? CHARACTERS : length);
	if (length == end)
		buffer_text(printer->out, "...");
}

void value_parameters(struct printer *printer, uint64_t address)
{
	const struct print_source *source = printer->source;
	struct print_value value = { .kind = PRINT_UINT };
	const void *bytes;
	size_t size;

	if (!address || !printer->follow || !source->parameter) {
		value_address(printer, address);
		return;
	}
	buffer_char(printer->out, '[');
	for (uint32_t i = 0; bytes = source->parameter(source, address, i, &size), size; i++) {
		if (i)
			buffer_text(printer->out, ", ");
		if (!bytes) {
			buffer_text(printer->out, "...");
			break;
		}
		value.size = (uint16_t)size;
		if (value_is_word(size))
			buffer_hex(printer->out, value_integer(value, bytes));
		else
			bytes_in_hex(printer->out, bytes, size);
	}
	buffer_char(printer->out, ']');
}

size_t value_dimensions(const char *x, const char *y, const char *z)
{
	size_t length = strlen(x);

	if (length < 2 || strlen(y) != length || strlen(z) != length)
		return 0;
	length--;
	if ((x[length] | ' ') != 'x' || (y[length] | ' ') != 'y' || (z[length] | ' ') != 'z' ||
	    memcmp(x, y, length) || memcmp(x, z, length) || !strstr(x, "Dim"))
		return 0;
	return x[length - 1] == '.' ? length - 1 : length;
}

void value_dim3(struct printer *printer, uint64_t x, uint64_t y, uint64_t z)
{
	buffer_char(printer->out, '(');
	buffer_unsigned(printer->out, x);
	buffer_text(printer->out, ", ");
	buffer_unsigned(printer->out, y);
	buffer_text(printer->out, ", ");
	buffer_unsigned(printer->out, z);
	buffer_char(printer->out, ')');
}
