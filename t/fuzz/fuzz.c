/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzzing programs share, with stand-ins for the auditor's system calls. */
#include "t/fuzz/fuzz.h"

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "audit/message.h"
#include "audit/sys.h"

enum { LONGEST = 900 };	/* seconds for 100,000 cases, which take 20 */

uint64_t fuzz_number;
unsigned int fuzz_lines;

/* The auditor never gives memory back. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void dying(void)
{
	dprintf(STDERR_FILENO, "case %llu\n", (unsigned long long)fuzz_number);
}

void fuzz_failed(const char *file, int line, const char *condition)
{
	dprintf(STDERR_FILENO, "%s:%d: not so: %s\n", file, line, condition);
	dying();
	_exit(1);
}

void fuzz_start(int argc, char **argv, uint64_t *seed, uint64_t *first, uint64_t *count)
{
	if (argc < 4)
		fuzz_failed(__FILE__, __LINE__, "SEED FIRST COUNT are given");
	*seed = strtoull(argv[1], NULL, 10);
	*first = strtoull(argv[2], NULL, 10);
	*count = strtoull(argv[3], NULL, 10);
	__sanitizer_set_death_callback(dying);
	alarm((unsigned int)(LONGEST * (1 + *count / 100000)));
}

/* A message of the auditor's: as message_say takes it, counted instead of written. */
void message_say(const char *first, ...)
{
	va_list texts;

	fuzz_lines++;
	va_start(texts, first);
	for (const char *text = first; text; text = va_arg(texts, const char *))
		fuzz_check(strlen(text) < SIZE_MAX);
	va_end(texts);
}

/* Each piece apart, so that a step out of it is seen. */
void *sys_alloc(size_t size)
{
	return calloc(1, size ? size : 1);
}

char *sys_copy(const char *text, size_t length)
{
	char *copy = sys_alloc(length + 1);

	memcpy(copy, text, length);
	return copy;
}
