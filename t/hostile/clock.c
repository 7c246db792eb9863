/* SPDX-License-Identifier: Apache-2.0 */
/* A preload whose clocks stand still at the second that CLOCK_AT names, as a test of dates has them. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Says so where the core asks. */
static void look_at(const void *caller)
{
	static const char text[] = "the core reads the program's clock\n";
	Dl_info info;

	if (dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "cuaudit-core.so") &&
	    write(2, text, sizeof(text) - 1) < 0)
		_exit(99);
}

static time_t at(void)
{
	const char *text = getenv("CLOCK_AT");

	return text ? atol(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	(void)id;
	look_at(__builtin_return_address(0));
	*now = (struct timespec){ .tv_sec = at() };
	return 0;
}

time_t time(time_t *now)
{
	look_at(__builtin_return_address(0));
	if (now)
		*now = at();
	return at();
}
