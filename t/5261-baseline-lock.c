/* SPDX-License-Identifier: Apache-2.0 */
/* Lock files as they may come: damaged at every byte, with any names and counts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/baseline.h"
#include "analysis/baseline_field.h"
#include "t/fuzz/chance.h"
#include "t/tap.h"

static const char good[] =
	"cuaudit-lock\t1\n"
	"# what this is about\n"
	"command\t./app\ta b\t\\e\n"
	"driver\t13000\n"
	"kernels\tdemangled\n"
	"runs\t5\n"
	"\n"
	"bytes\tapp\tHtoD\t-\t= 300\n"
	"calls\tapp\tcuInit\tstep \\x09 \\\\\t2..18446744073709551615\n"
	"  # may be\n"
	"errors\tapp\tcuInit\tCUDA_ERROR_NO_DEVICE\t\\x2d\tany\n"
	"launches\tlib\xc3\xa4.so.12\tf<int>(int)\t-\t0..1\n"
	"routes\tapp\tcuInit\tsymbol\t= 1\n"
	"# the end\n";

static const struct baseline_run none = BASELINE_RUN;

/* A copy that ends where the text does, so that sanitizers see what is read behind it. */
static bool read_copy(struct baseline_lock *lock, struct baseline_fault *fault, const char *text,
		      size_t size, char **copy)
{
	*copy = malloc(size + !size);
	if (!*copy)
		bail_out("no memory");
	memcpy(*copy, text, size);
	memset(fault, 0, sizeof(*fault));
	return baseline_read(lock, *copy, size, fault);
}

/* What is written is read as the same; what is refused says where. */
static bool is_kept(const char *text, size_t size)
{
	struct baseline_lock lock, again;
	struct baseline_fault fault;
	struct out out = { 0 }, second = { 0 };
	struct baseline_differences differences = { NULL, 0 };
	char *copy, *other = NULL;
	bool kept;

	if (!read_copy(&lock, &fault, text, size, &copy)) {
		kept = fault.line && fault.column && fault.column <= size + 1 && *fault.text &&
		       !strchr(fault.text, '\n');
		goto out;
	}
	baseline_write(&lock, &out);
	kept = read_copy(&again, &fault, out.data, out.used, &other);
	baseline_write(&again, &second);
	kept = kept && out.used == second.used && !memcmp(out.data, second.data, out.used) &&
	       !baseline_compare(&again, &none, &differences);
	baseline_lock_free(&again);
out:
	baseline_lock_free(&lock);
	out_free(&out);
	out_free(&second);
	baseline_differences_free(&differences);
	free(copy);
	free(other);
	return kept;
}

static void each_byte(void)
{
	static const char bytes[] = "\0\t\n\r\\-#=. 9xe\x80\xff";
	size_t wrong = 0;

	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		char text[sizeof(good)];

		wrong += !is_kept(good, i);
		for (size_t k = 0; k < sizeof(bytes) - 1; k++) {
			memcpy(text, good, sizeof(good));
			text[i] = bytes[k];
			wrong += !is_kept(text, sizeof(good) - 1);
		}
		memcpy(text, good, i);
		memcpy(text + i, good + i + 1, sizeof(good) - i - 1);
		wrong += !is_kept(text, sizeof(good) - 2);
	}
	is_int((long long)wrong, 0, "cut, damaged and shortened at every byte");
}

static void parts(void)
{
	size_t wrong = 0;

	chance_begin(1, 1);

	for (int i = 0; i < 20000; i++) {
		char text[4 * sizeof(good)];
		size_t used = 0;

		while (used < 2 * sizeof(good)) {
			size_t from = chance(sizeof(good) - 1);
			size_t size = chance(sizeof(good) - 1 - from) + 1;

			memcpy(text + used, good + from, size);
			used += size;
		}
		wrong += !is_kept(text, used);
	}
	is_int((long long)wrong, 0, "put together of its parts");
}

/* A name comes back as it was, whatever is in it, and has no byte that ends a field. */
static void names(void)
{
	static const char pieces[] = "-\\ex\t\n\x01 a\x80\xc3\xa4\xe2\x80\xae\xf0\x9f\x98\x80\x7f";
	size_t wrong = 0;

	chance_begin(1, 2);
	for (int i = 0; i < 50000; i++) {
		struct out field = { 0 }, again = { 0 };
		char name[16];
		size_t size = chance(sizeof(name));

		for (size_t k = 0; k < size; k++)
			name[k] = pieces[chance(sizeof(pieces) - 1)];
		baseline_field_bytes(&field, name, size);
		wrong += !baseline_field_read(&again, field.data, field.used) ||
			 field.used != again.used || memcmp(field.data, again.data, field.used) ||
			 memchr(field.data, '\t', field.used) ||
			 memchr(field.data, '\n', field.used) ||
			 (field.used == 1 && *field.data == '-');
		out_free(&field);
		out_free(&again);
	}
	is_int((long long)wrong, 0, "names of any bytes");
}

/* What five runs saw becomes bounds, whatever the counts are. */
static void bound(const uint64_t *counts, const char *want)
{
	struct baseline_runs runs = BASELINE_RUNS;
	struct baseline_lock lock = BASELINE_LOCK;
	struct out out = { 0 };

	for (int i = 0; i < 5; i++) {
		struct baseline_run run = BASELINE_RUN;
		uint32_t number = table_text(&run.counts, "calls\ta\tb\t-\t");

		*(uint64_t *)table_row(&run.counts, number) = counts[i];
		baseline_runs_add(&runs, &run);
		ok(baseline_update(&lock, &runs) == 0, "an update of %d runs", i + 1);
		baseline_run_free(&run);
	}
	/* A lock of its own: updates keep bounds that hold. */
	baseline_lock_free(&lock);
	ok(!baseline_update(&lock, &runs) && lock.facts.count == 1, "a lock of one fact");
	baseline_count(&out, table_row(&lock.facts, 0));
	out_bytes(&out, "", 1);
	is_str(out.data, want, "%s", want);
	out_free(&out);
	baseline_lock_free(&lock);
	baseline_runs_free(&runs);
}

int main(void)
{
	struct baseline_lock lock;
	struct baseline_fault fault;
	struct out out = { 0 };
	char *copy;

	ok(read_copy(&lock, &fault, good, sizeof(good) - 1, &copy), "a lock file");
	baseline_write(&lock, &out);
	ok(out.used == sizeof(good) - 1 && !memcmp(out.data, good, out.used),
	   "it is written as it was, with its comments");
	baseline_lock_free(&lock);
	free(copy);
	out_free(&out);
	each_byte();
	parts();
	names();
	bound((const uint64_t[]){ 7, 7, 7, 7, 7 }, "= 7");
	bound((const uint64_t[]){ 0, 0, 0, 0, 0 }, "= 0");
	bound((const uint64_t[]){ 4, 5, 4, 4, 4 }, "1..8");
	bound((const uint64_t[]){ 4, 16, 4, 4, 4 }, "0..52");
	bound((const uint64_t[]){ 4, 17, 4, 4, 4 }, "any");
	bound((const uint64_t[]){ 3, 15, 3, 3, 3 }, "0..51");
	bound((const uint64_t[]){ UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX },
	      "16140901064495857663..18446744073709551615");
	bound((const uint64_t[]){ UINT64_MAX / 2, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
	      "0..18446744073709551615");
	return done_testing();
}
