/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on the terminal while something takes long. */
#include "tools/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
	WIDTH = 40,
	SILENT = 500000000,	/* ns */
	BETWEEN = 100000000
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void progress_begin(struct progress *progress, const char *what)
{
	*progress = (struct progress){ .shown = isatty(STDERR_FILENO), .what = what };
	progress->start = progress->shown ? now() : 0;
}

void progress_tell(struct progress *progress, uint64_t done, uint64_t all)
{
	static const char bar[] = "########################################";
	uint64_t time = progress->shown ? now() : 0;
	int full;

	_Static_assert(sizeof(bar) == WIDTH + 1, "as wide");
	if (!progress->shown || !all || time - progress->start < SILENT ||
	    time - progress->last < BETWEEN)
		return;
	progress->last = time;
	progress->drawn = true;
	done = done < all ? done : all;
	full = (int)((double)done / (double)all * WIDTH);
	fprintf(stderr, "\r%s [%.*s%*s] %3d%%", progress->what, full, bar, WIDTH - full, "",
		(int)((double)done / (double)all * 100));
}

void progress_clear(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}
