/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Summaries of damaged trace files: SEED FIRST COUNT FILE..., each file a good
 * one. None kills the reader, and any number of threads print the same.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/summary_print.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/mutate.h"
#include "util/selector.h"

enum { THREADED = 32 };	/* one in so many */

/* The report as text and as JSON, which the caller frees; whether it could be read. */
static bool report(char *path, size_t jobs, const struct selector *all, struct out *out)
{
	const struct summary_options options = { .threads = 4, .points = 60, .jobs = jobs, .ranges = true,
						 .callers = true };
	const struct summary_print print = { .columns = 80, .bars = all };
	char *paths[] = { path, path };
	struct summary summary;
	bool good;

	fuzz_check(!summary_build(&summary, paths, 2, &options));
	fuzz_check(summary.faults == 0 || summary.faults == 2);
	good = !summary.faults;
	summary_text(&summary, &print, out);
	summary_json(&summary, &print, out);
	fuzz_check(!summary_diff_text(&summary, &summary, &print, out));
	summary_free(&summary);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t seed, first, count, refused = 0, read = 0;
	struct selector *all = selector_open("");
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[32];

	fuzz_start(argc, argv, &seed, &first, &count);
	mutate_read(argc, argv);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (uint64_t number = first; number < first + count; number++) {
		struct out one = { 0 }, many = { 0 };
		size_t size;

		chance_begin(seed, number);
		fuzz_number = number;
		size = mutate_case(number);
		fuzz_check(pwrite(fd, work, size, 0) == (ssize_t)size && !ftruncate(fd, (off_t)size));
		*(report(path, 1, all, &one) ? &read : &refused) += 1;
		if (number % THREADED == 0) {
			report(path, 3, all, &many);
			fuzz_check(one.used == many.used && !memcmp(one.data, many.data, one.used));
		}
		out_free(&one);
		out_free(&many);
	}
	selector_close(all);
	printf("cases %llu refused %llu read %llu\n", (unsigned long long)count,
	       (unsigned long long)refused, (unsigned long long)read);
	return 0;
}
