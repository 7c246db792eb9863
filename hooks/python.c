/* SPDX-License-Identifier: Apache-2.0 */
/* The calling thread's own Python frames, for hooks. */
#include "hooks/python.h"

#include <cuaudit/hook.h>
#include <errno.h>
#include <string.h>

#include "hooks/frame.h"
#include "hooks/safe_read.h"
#include "hooks/thread.h"
#include "hooks/unwound.h"

enum {
	LINES_MOST = 32 * 1024,	/* bytes of a table whose sum is compared: all of most tables */
	TEXT_MOST = 32 * 1024	/* the same of a str; one with more is read each time */
};

struct python_thread *python_thread(void)
{
	struct thread *thread = thread_self;

	if (thread && !thread->python)
		thread->python = cuaudit_pages(sizeof(*thread->python));
	return thread ? thread->python : NULL;
}

void python_sum(uint64_t sum[2], const void *bytes, size_t size)
{
	const char *at = bytes;
	uint64_t a = sum[0] ^ size, b = sum[1] + size, word;

	for (; size; at += sizeof(word)) {
		size_t part = size < sizeof(word) ? size : sizeof(word);

		word = 0;
		memcpy(&word, at, part);
		a = (a ^ word) * 0xff51afd7ed558ccdu;
		a ^= a >> 32;
		b = (b + word) * 0xc4ceb9fe1a85ec53u;
		b ^= b >> 29;
		size -= part;
	}
	sum[0] = a;
	sum[1] = b;
}

/* All parts, one behind the other, to the scratch. */
static bool read_parts(struct python_thread *own, uint32_t count, size_t size)
{
	char *to = own->scratch;

	if (safe_read_parts(own->parts, count, &(struct iovec){ to, size }, 1) == size)
		return true;
	for (uint32_t i = 0; i < count; i++) {
		if (!safe_read((uintptr_t)own->parts[i].iov_base, to, own->parts[i].iov_len))
			return false;
		to += own->parts[i].iov_len;
	}
	return true;
}

static int32_t int_at(const char *bytes, uint32_t offset)
{
	int32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static uint64_t word_at(const char *bytes, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

/* 0: it says nothing. */
static uint64_t version_of(const struct python *python, const struct python_thread *own, const char *bytes)
{
	uint32_t version = python->at.code_version ? (uint32_t)int_at(bytes, python->at.code_version) : 0;

	return version && own->interpreter_id < UINT32_MAX ? own->interpreter_id << 32 | version : 0;
}

/* The code object and instruction of a frame; false if that is no code. */
static bool take_code(const struct python *python, const struct python_thread *own,
		      struct python_frame *frame, const char *bytes)
{
	const struct python_layout *at = &python->at;
	struct python_code *code = &frame->code;

	code->name = word_at(bytes, at->code_name);
	code->file = word_at(bytes, at->code_file);
	code->lines = word_at(bytes, at->code_lines);
	code->line = int_at(bytes, at->code_line);
	code->version = version_of(python, own, bytes);
	if (at->code_bytes)
		code->instruction = (int64_t)(frame->instruction - code->address - at->code_bytes);
	else
		code->instruction = (int64_t)(int32_t)frame->instruction * (python->minor == 10 ? 2 : 1);
	return word_at(bytes, at->object_type) == python->code_type;
}

/* One that has not begun, as of a function whose cells are made; it does not count. */
static bool is_incomplete(const struct python *python, const struct python_frame *frame,
			  const char *bytes)
{
	const struct python_layout *at = &python->at;

	return at->code_first && frame->owner != at->owner_generator &&
	       frame->code.instruction < 2 * (int64_t)int_at(bytes, at->code_first);
}

/* Of the code objects that are known, this one, searched from next on; else their count. */
static uint32_t known_code(const struct python_thread *own, uint64_t address, uint32_t next)
{
	for (uint32_t i = 0; i < own->ncodes; i++) {
		uint32_t at = (next + i) % own->ncodes;

		if (own->codes[at] == address)
			return at;
	}
	return own->ncodes;
}

/* Reads those from first on; returns how many are known then. */
static uint32_t read_codes(const struct python *python, struct python_thread *own, uint32_t first)
{
	char *to = own->code_bytes + (size_t)first * python->code_size;
	size_t got, size = (size_t)(own->ncodes - first) * python->code_size;

	for (uint32_t i = first; i < own->ncodes; i++)
		own->parts[i - first] = (struct iovec){ (void *)(uintptr_t)own->codes[i],
							python->code_size };
	got = size ? safe_read_parts(own->parts, own->ncodes - first, &(struct iovec){ to, size }, 1) :
		     0;
	first += (uint32_t)(got / python->code_size);
	for (; first < own->ncodes; first++)
		if (!safe_read(own->codes[first], own->code_bytes + (size_t)first * python->code_size,
			       python->code_size))
			break;
	return first;
}

/* The frames that are of code; their C frames stay known. */
static uint32_t take_codes(const struct python *python, struct python_thread *own, uint32_t count)
{
	uint32_t kept = 0, next = 0, first = own->ncodes, which[PYTHON_FRAMES];

	for (uint32_t i = 0; i < count; i++) {
		which[i] = known_code(own, own->frames[i].code.address, next);
		if (which[i] == own->ncodes)
			own->codes[own->ncodes++] = own->frames[i].code.address;
		next = which[i] + 1;
	}
	own->ncodes = read_codes(python, own, first);
	for (uint32_t i = 0; i < count && which[i] < own->ncodes; i++) {
		const char *bytes = own->code_bytes + (size_t)which[i] * python->code_size;
		struct python_frame frame = own->frames[i];

		if (!take_code(python, own, &frame, bytes))
			break;
		if (!is_incomplete(python, &frame, bytes))
			own->frames[kept++] = frame;
		else if (kept && frame.entry && !own->frames[kept - 1].entry)
			own->frames[kept - 1].entry = frame.entry;
	}
	/* Those of this call alone are read at the next one. */
	own->ncodes = 0;
	for (uint32_t i = 0; i < kept; i++)
		if (known_code(own, own->frames[i].code.address, i) == own->ncodes)
			own->codes[own->ncodes++] = own->frames[i].code.address;
	return kept;
}

static bool same_code(const struct python_code *a, const struct python_code *b)
{
	return a->address == b->address && a->instruction == b->instruction && a->name == b->name &&
	       a->file == b->file && a->lines == b->lines && a->line == b->line &&
	       a->version == b->version;
}

static struct python_memo *ways_of(struct python_thread *own, const struct python_code *code)
{
	uint64_t hash = (code->address >> 4 ^ (uint64_t)code->instruction << 20) * 0x9e3779b97f4a7c15u;

	return &own->memos[hash >> 54 & (PYTHON_MEMOS - PYTHON_WAYS)];
}

static struct python_memo *memo_of(struct python_thread *own, const struct python_code *code)
{
	struct python_memo *ways = ways_of(own, code);

	for (int i = 0; i < PYTHON_WAYS; i++)
		if (same_code(&ways[i].code, code))
			return &ways[i];
	return NULL;
}

/* In place of one of the same instruction, else of none, else of any. */
static struct python_memo *new_memo(struct python_thread *own, const struct python_code *code)
{
	struct python_memo *ways = ways_of(own, code), *memo = NULL;

	for (int i = 0; i < PYTHON_WAYS; i++) {
		if (ways[i].code.address == code->address &&
		    ways[i].code.instruction == code->instruction)
			return &ways[i];
		if (!memo && !ways[i].code.address)
			memo = &ways[i];
	}
	return memo ? memo : &ways[own->replaced++ % PYTHON_WAYS];
}

/* What a memo follows from: the size and all that is read of it, but for references. */
static size_t parts_of(const struct python *python, const struct python_memo *memo,
		       struct iovec parts[3])
{
	const uint64_t objects[3] = { memo->code.name, memo->code.file, memo->code.lines };
	uint32_t skipped = python->at.object_type + sizeof(uint64_t);
	size_t size = 0;

	for (int i = 0; i < 3; i++) {
		parts[i] = (struct iovec){ (void *)(uintptr_t)(objects[i] + skipped),
					   memo->sizes[i] - skipped };
		size += parts[i].iov_len;
	}
	return size;
}

static bool sum_str(struct python_thread *own, const struct python_str *str, uint64_t sum[2])
{
	uint64_t data = str->data, end = str->data + str->length * str->kind;
	const uint64_t shape[2] = { str->length, str->kind };

	python_sum(sum, shape, sizeof(shape));
	while (data < end) {
		uint64_t part = end - data < PYTHON_SCRATCH ? end - data : PYTHON_SCRATCH;

		if (!safe_read(data, own->scratch, part))
			return false;
		python_sum(sum, own->scratch, part);
		data += part;
		/* Of what is longer than any text in a trace, the length counts. */
		if (data - str->data >= PYTHON_SCRATCH)
			break;
	}
	return true;
}

static void find_out(const struct python *python, struct python_thread *own,
		     struct python_frame *frame)
{
	struct python_memo *memo = new_memo(own, &frame->code);
	struct python_str texts[2];
	uint64_t sum[2] = { 1, 2 };
	uint32_t used;
	size_t size;

	frame->is.line = python_line(python, own, &frame->code, &used);
	frame->is.code = frame->code.address;
	frame->is.instruction = (uint32_t)frame->code.instruction;
	memo->code.address = 0;
	for (int i = 0; i < 2; i++)
		if (!python_str(python, i ? frame->code.file : frame->code.name, &texts[i]) ||
		    !sum_str(own, &texts[i], sum))
			texts[i] = (struct python_str){ .data = 0 };
	python_sum(sum, &frame->is.line, sizeof(frame->is.line));
	memcpy(frame->is.key, sum, sizeof(sum));
	if (!used || !texts[0].data || !texts[1].data ||
	    (texts[0].length + texts[1].length) * 4 > TEXT_MOST)
		return;
	*memo = (struct python_memo){ .code = frame->code, .is = frame->is, .sum = { 1, 2 } };
	memo->sizes[0] = (uint32_t)(texts[0].data - frame->code.name + texts[0].length * texts[0].kind);
	memo->sizes[1] = (uint32_t)(texts[1].data - frame->code.file + texts[1].length * texts[1].kind);
	memo->sizes[2] = used < LINES_MOST ? used : LINES_MOST;
	size = parts_of(python, memo, own->parts);
	if (read_parts(own, 3, size))
		python_sum(memo->sum, own->scratch, size);
	else
		memo->code.address = 0;
}

/*
 * Compares frames that memos speak of, as many from the first on as there is room for. A version
 * says that it is the same code; without, what is read of it is compared, as another may be there.
 */
static uint32_t compare(const struct python *python, struct python_thread *own, uint32_t first,
			uint32_t count)
{
	uint32_t end = first, parts = 0;
	size_t size = 0;
	const char *at = own->scratch;

	for (; end < count; end++) {
		struct python_memo *memo = memo_of(own, &own->frames[end].code);
		size_t more;

		if (!memo)
			continue;
		if (memo->code.version) {
			own->frames[end].is = memo->is;
			continue;
		}
		more = parts_of(python, memo, own->parts + parts);
		if (size + more > PYTHON_SCRATCH)
			break;
		parts += 3;
		size += more;
	}
	if (parts && !read_parts(own, parts, size))
		return end;
	for (uint32_t i = first; i < end; i++) {
		struct python_memo *memo = memo_of(own, &own->frames[i].code);
		uint64_t sum[2] = { 1, 2 };
		struct iovec its[3];

		if (!memo || memo->code.version)
			continue;
		size = parts_of(python, memo, its);
		python_sum(sum, at, size);
		at += size;
		if (sum[0] == memo->sum[0] && sum[1] == memo->sum[1])
			own->frames[i].is = memo->is;
	}
	return end;
}

void python_locate(const struct python *python, struct python_thread *own, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		own->frames[i].is = (struct cuaudit_python){ .code = 0 };
	for (uint32_t first = 0; first < count;)
		first = compare(python, own, first, count);
	for (uint32_t i = 0; i < count; i++)
		if (!own->frames[i].is.code)
			find_out(python, own, &own->frames[i]);
}

uint32_t python_frames(const struct python *python, struct python_thread *own, uint32_t max,
		       bool entries)
{
	uint32_t count = python_walk(python, own, max < PYTHON_FRAMES ? max : PYTHON_FRAMES, entries);

	count = take_codes(python, own, count);
	python_locate(python, own, count);
	return count;
}

uint32_t cuaudit_call_python(const struct cuaudit_call *call, struct cuaudit_python *frames,
			     uint32_t max)
{
	const struct python *python = python_get();
	struct python_thread *own = python ? python_thread() : NULL;
	int error = errno;
	uint32_t count;

	(void)call;
	if (!own || !max)
		return 0;
	count = python_frames(python, own, max, false);
	for (uint32_t i = 0; i < count; i++)
		frames[i] = own->frames[i].is;
	errno = error;
	return count;
}

uint32_t cuaudit_python_text(const struct cuaudit_python *frame, enum cuaudit_python_what what,
			     char *text, uint32_t size)
{
	const struct python *python = python_get();
	struct python_thread *own = python ? python_thread() : NULL;
	int error = errno;
	struct python_str str;
	uint64_t object;
	uint32_t length = 0;

	if (!size)
		return 0;
	text[0] = '\0';
	if (own && safe_read(frame->code + (what == CUAUDIT_PYTHON_FILE ? python->at.code_file :
					    python->at.code_name), &object, sizeof(object)) &&
	    python_str(python, object, &str))
		length = python_text(own, &str, text, size);
	errno = error;
	return length;
}
