/* SPDX-License-Identifier: Apache-2.0 */
/* The file by which processes share a quota, when it fails amid a request. */
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/modules/limit/limit_shared.h"
#include "t/tap.h"

enum { LIMIT = 100 };

static const char *directory;
static char quota[PATH_MAX];

static int fails_at;		/* the write that fails, from 1; 0: none */

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long words[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(list, long);
	va_end(list);
	/* No bytes, as on a full disk. */
	if (number == SYS_pwrite64 && fails_at && !--fails_at)
		return 0;
	return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static uint64_t held_by_all(void)
{
	uint64_t bytes;

	return shared_used(&bytes) ? bytes : UINT64_MAX;
}

/* The third one of a request says that it has what it wanted. */
static void a_write_fails(void)
{
	for (int write = 1; write <= 3; write++) {
		fails_at = write;
		is_int(shared_take(10, LIMIT, false), SHARED_BROKEN, "write %d of a request fails", write);
		fails_at = 0;
		is_int((long long)held_by_all(), 0, "... and nothing is held");
	}
	is_int((long long)shared_repairs(), 0, "nobody else is said to have written there");
}

int main(void)
{
	char template[] = "/tmp/3488-XXXXXX";

	directory = mkdtemp(template);
	if (!directory)
		bail_out("no directory");
	snprintf(quota, sizeof(quota), "%s/quota", directory);
	ok(shared_open(quota), "a file is opened");
	a_write_fails();
	unlink(quota);
	rmdir(directory);
	return done_testing();
}
