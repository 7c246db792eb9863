/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of export/ that formats share: numbers for processes and handles, lists, text, the stream. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/handles.h"
#include "export/json_text.h"
#include "export/pids.h"
#include "export/sink.h"
#include "export/sqlite/sqlite_lists.h"
#include "t/fuzz/chance.h"
#include "t/tap.h"

/* Each process has a number of its own: its pid where no other has it and a viewer can hold it. */
static void processes(void)
{
	enum { MANY = 3000 };
	static const uint32_t odd[] = { 0, INT32_MAX, UINT32_MAX, (uint32_t)INT32_MAX + 1, 1 };
	static uint32_t given[MANY];
	struct pids pids = { 0 };
	bool good = true;

	for (int i = 0; i < MANY; i++) {
		uint32_t pid = chance(20) ? (uint32_t)chance(2000) : odd[chance(4)];
		bool taken = !pid || pid > INT32_MAX;

		/* The largest takes the room above it. */
		pid = pid == INT32_MAX ? 7 : pid;
		for (int j = 0; j < i; j++)
			taken |= given[j] == pid;
		given[i] = pids_take(&pids, pid);
		good &= taken ? given[i] >= PIDS_OTHERS && given[i] <= INT32_MAX : given[i] == pid;
		for (int j = 0; j < i; j++)
			good &= given[j] != given[i];
	}
	ok(good, "pids: %d processes have numbers of their own", MANY);
	pids_free(&pids);
}

static void all_handles(void)
{
	struct handles *handles = calloc(1, sizeof(*handles));
	bool good = true, fresh;

	for (uint32_t i = 0; i < 2 * HANDLES_MAX; i++) {
		uint32_t number = handles_number(handles, i * UINT64_C(0x1000), &fresh);

		good &= i < HANDLES_MAX ? fresh && number == i + 1 : !fresh && !number;
	}
	ok(good, "handles: numbered as they come, up to %d", HANDLES_MAX);
	for (uint32_t i = 0; i < 2 * HANDLES_MAX; i++) {
		uint32_t number = handles_number(handles, i * UINT64_C(0x1000), &fresh);

		good &= !fresh && number == (i < HANDLES_MAX ? i + 1 : 0);
	}
	ok(good, "... and the same again");
	free(handles);
}

/* Beyond 2^53 a double has not each integer. */
static void numbers(void)
{
	static const struct {
		uint64_t value;
		const char *text;
	} all[] = {
		{ 0, "0" },
		{ (UINT64_C(1) << 53) - 1, "9007199254740991" },
		{ UINT64_C(1) << 53, "9007199254740992" },
		{ (UINT64_C(1) << 53) + 1, "\"9007199254740993\"" },
		{ UINT64_MAX, "\"18446744073709551615\"" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char text[64];
		struct buffer out = { text, sizeof(text), 0 };

		json_unsigned(&out, all[i].value, JSON_EXACT);
		buffer_end(&out);
		is_str(text, all[i].text, "JSON: a number, exact for who reads doubles");
	}
}

/* Calls that differ in one thing alone are not the same. */
static void lists(void)
{
	struct sqlite_lists *lists = calloc(1, sizeof(*lists));
	struct trace_call call = { .result = 0 };
	uint8_t bytes[220] = { 1, 2, 3 };
	bool known, good = true;

	sqlite_lists_clear(lists);
	call.arguments = bytes;
	for (int i = 0; i < 200; i++) {
		uint32_t function = 3;

		call.result = 0;
		call.status = 0;
		call.size = 64;
		memset(bytes, 0, sizeof(bytes));
		switch (i % 5) {
		case 0:
			call.result = i + 1;
			break;
		case 1:
			call.status = (uint16_t)(i + 1);
			break;
		case 2:
			call.size = (uint32_t)i;
			break;
		case 3:
			function += (uint32_t)i;
			break;
		default:
			bytes[i % 64] = (uint8_t)i;
		}
		good &= sqlite_lists_find(lists, function, &call, &known) && !known;
		good &= sqlite_lists_find(lists, function, &call, &known) && known;
	}
	ok(good, "lists: calls that differ in a single thing");
	/* Of one hash: its function's list is compared, not that alone. */
	call = (struct trace_call){ .arguments = bytes, .size = 8 };
	for (uint32_t i = 0; i < SQLITE_LISTS; i++) {
		struct sqlite_list *list = &lists->all[i];

		if (list->function != TRACE_NONE)
			list->status ^= 1;
	}
	good = true;
	memset(bytes, 0, sizeof(bytes));
	call.size = 64;
	call.result = 1;
	sqlite_lists_find(lists, 3, &call, &known);
	ok(!known, "... by more than their hash");
	call.size = sizeof(bytes) + 1;
	ok(!sqlite_lists_find(lists, 3, &call, &known) && !known, "... nor such as there is no room for");
	free(lists);
}

/* What cannot be compressed, in pieces larger than any buffer. */
static void stream(void)
{
	enum { PIECES = 40 };
	size_t size = 700000, done = 0;
	char *bytes = malloc(size), name[] = "/tmp/cuaudit-sink-XXXXXX", command[128];
	struct sink sink;
	FILE *plain;
	int fd = mkstemp(name);
	bool good = true;

	if (fd < 0 || sink_open(&sink, fd, true) == -ENOTSUP ||
	    system("command -v zstd >/dev/null") != 0) {
		skip(1, "no zstd");
		goto out;
	}
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)chance(256);
	for (int i = 0; i < PIECES; i++)
		sink_bytes(&sink, bytes + i, size - PIECES);
	good = !sink_close(&sink);
	snprintf(command, sizeof(command), "zstd -dc <%s", name);
	plain = popen(command, "r");
	for (int c; good && (c = getc(plain)) != EOF; done++)
		good = done / (size - PIECES) < PIECES &&
		       (char)c == bytes[done / (size - PIECES) + done % (size - PIECES)];
	good &= !pclose(plain);
	ok(good && done == PIECES * (size - PIECES), "a compressed stream of what does not compress");
out:
	close(fd);
	unlink(name);
	free(bytes);
}

int main(void)
{
	processes();
	all_handles();
	numbers();
	lists();
	stream();
	return done_testing();
}
