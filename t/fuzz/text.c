/* SPDX-License-Identifier: Apache-2.0 */
/* Makes up variables of the environment, most of them nearly right. */
#include "t/fuzz/text.h"

#include <string.h>

#include "t/fuzz/fuzz.h"

enum { LONGEST = 12000 };

static const char *const names[] = {
#define VARIABLE(name, field, kind, fallback, values, summary) "CUAUDIT_" #name,
#include <cuaudit/variables.def>
#undef VARIABLE
	"CUAUDIT_HOOKS", "CUAUDIT_HOOKS", "CUAUDIT_OUTPUT", "CUAUDIT_FUNCTIONS",
	"CUAUDIT_EXCLUDE", "LD_AUDIT", "LD_BIND_NOT", "LD_PROFILE", "RANK",
	"SLURM_PROCID",
};

static const char *const tokens[] = {
	"stat", "stat(format=json)", "stat(format=text;interval=1)", "coverage",
	"coverage(text=x;key=other)", "coverage,coverage", "stat,stat(clock=no)",
	"fault(inject=cuMem*:error=2:when=2..9+2;log=5)", "fault(inject=*:delay_enter=5ms;inject=",
	"inject=", "inject=cuMemAlloc_v2:result=700", ":when=", ":if=", ":lib=(main)", ":p=0.5",
	"bytesize>4k", "error=CUDA_ERROR_UNKNOWN", "+2", "log=",
	"(", ")", ";", "=", ",", ":",
	"format=json", "interval=", "threads=", "clock=no", "save=", "save=auto", "0", "1", "16",
	"0.5", "1e9", "-1", "99999999999999999999", ".", "..", "yes", "no", "error", "warn",
	"info", "debug", "%memory", "%stream", "%", "%p", "%h", "%e", "%r", "%t", "%%", "%z",
	"cuMem*", "cuMemAlloc", "/cuMem/", "/^cu.*Alloc$/", "/(", ")/", "/[", "{2}", "\\1", "+", "|",
	"!", "*", "?", "[", "]", "[!", "[a-z]", "[a-", "[]", "[^]",
	"[[:alpha:]]", "[[:", "[[.", "\\", "/", "~", " ", "\t", "\n", "\033[2J", "\177",
	"(main)", "libcudart.so*", "/usr/lib/*", "libcuaudit.so", "/opt/libcuaudit.so:",
	"other.so", "sim", "libcuda.so.1", "1G", "4096", "\xc3\xa9", "\xff", "''", "$(x)", "%s%n",
};

enum {
	NNAMES = sizeof(names) / sizeof(names[0]),
	NTOKENS = sizeof(tokens) / sizeof(tokens[0])
};

static char buffer[LONGEST];
static size_t used;

static void add(const char *text, size_t length)
{
	if (length >= sizeof(buffer) - used)
		length = sizeof(buffer) - 1 - used;
	memcpy(buffer + used, text, length);
	used += length;
}

static void add_token(void)
{
	const char *token = tokens[chance(NTOKENS)];
	uint64_t times = 1;

	/* Around the sizes of the buffers behind: 256, 1024, 4096. */
	if (!chance(40))
		times = (((uint64_t)256 << 2 * chance(3)) + chance(9)) / strlen(token);
	for (; times; times--)
		add(token, strlen(token));
}

static void damage(size_t from)
{
	size_t at;

	if (used <= from)
		return;
	at = from + chance(used - from);
	switch (chance(3)) {
	case 0:
		buffer[at] = (char)(1 + chance(255));
		break;
	case 1:
		memmove(buffer + at, buffer + at + 1, --used - at);
		break;
	default:
		used = at;
	}
}

static char *finish(void)
{
	char *text = malloc(used + 1);

	memcpy(text, buffer, used);
	text[used] = '\0';
	return text;
}

static void add_value(void)
{
	size_t from = used;

	if (!chance(3)) {
		add_token();
		return;
	}
	for (uint64_t count = chance(chance(4) ? 4 : 24); count; count--)
		add_token();
	if (!chance(3))
		damage(from);
}

char *text_value(void)
{
	used = 0;
	add_value();
	return finish();
}

char *text_entry(void)
{
	const char *name = names[chance(NNAMES)];

	used = 0;
	add(name, strlen(name));
	if (!chance(4))
		damage(chance(2) ? 0 : strlen("CUAUDIT_"));
	if (chance(30))
		add("=", 1);
	add_value();
	return finish();
}
