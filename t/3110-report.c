/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the report: numbers, texts, sums, percentiles, sorting. */
#include <stdint.h>
#include <string.h>

#include "analysis/stat_escapes.h"
#include "analysis/stat_sum.h"
#include "t/tap.h"
#include "util/divide.h"
#include "util/out.h"
#include "util/sort.h"

static const struct cuaudit_stat_header header = {
	.flags = CUAUDIT_STAT_TIMED, .clock_mult = 1
};

static void times(void)
{
	static const struct {
		uint64_t ns;
		int digits;
		const char *want;
	} cases[] = {
		{ 0, 3, "0ns" },
		{ 999, 3, "999ns" },
		{ 1000, 3, "1.00us" },
		{ 1005, 3, "1.01us" },
		{ 9994, 3, "9.99us" },
		{ 9995, 3, "10.0us" },
		{ 99950, 3, "100us" },
		{ 999499, 3, "999us" },
		{ 999500, 3, "1.00ms" },
		{ 12345678, 3, "12.3ms" },
		{ 12345678, 5, "12.346ms" },
		{ 1999, 5, "1.999us" },
		{ 1500000000, 3, "1.50s" },
		{ 999999999, 5, "1.0000s" },
		{ 1234567890123, 3, "1235s" },
		{ 1234567890123, 5, "1234.6s" },
		{ UINT64_MAX, 3, "18446744074s" }
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_str(out_time(cases[i].ns, cases[i].digits).text, cases[i].want, "%llu ns",
		       (unsigned long long)cases[i].ns);
	is_str(out_percent(1, 3).text, "33.3", "a third");
	is_str(out_percent(UINT64_MAX, UINT64_MAX).text, "100.0", "all");
	is_str(out_percent(5, 0).text, "0.0", "of nothing");
	is_str(out_count(UINT64_MAX).text, "18446744073709551615", "the largest count");
}

static void division(void)
{
	static const uint64_t ends[] = {
		1, 2, 3, 1000000000, UINT32_MAX, (uint64_t)1 << 32, (uint64_t)1 << 63, UINT64_MAX
	};
	enum { N = sizeof(ends) / sizeof(ends[0]) };
	int wrong = 0;

	for (int i = 0; i < N * N * N; i++) {
		uint64_t by = ends[i % N], a = ends[i / N % N], b = ends[i / N / N];
		unsigned __int128 product = (unsigned __int128)a * b, want = product / by;

		wrong += divide(product, by) != (want > UINT64_MAX ? UINT64_MAX : (uint64_t)want);
		wrong += divide(product - 1, by) != (uint64_t)((product - 1) / by) &&
			 (product - 1) / by <= UINT64_MAX;
	}
	is_int(wrong, 0, "128 bits by 64");
}

/* Texts as they are written in a format. */
struct text_case {
	const char *text, *want, *name;
};

static void texts_are(void (*write)(struct out *out, const char *text), const char *format,
		      const struct text_case *cases)
{
	for (; cases->text; cases++) {
		struct out out = { 0 };

		write(&out, cases->text);
		out_bytes(&out, "", 1);
		is_str(out.data, cases->want, "%s: %s", format, cases->name);
		out_free(&out);
	}
}

static void json(void)
{
	static const struct text_case cases[] = {
		{ "a/b.so", "\"a/b.so\"", "plain" },
		{ "\"\\\n\x7f", "\"\\\"\\\\\\u000a\\u007f\"", "quotes and control characters" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "two, three, four bytes" },
		{ "\xc2\x85\xe2\x80\xae\xd8\x9c", "\"\\u0085\\u202e\\u061c\"",
		  "C1, and what turns the order of characters round" },
		{ "\xef\xbb\xbfx\xe2\x80\x8b", "\"\\ufeffx\\u200b\"", "what is not seen" },
		{ "\xc2\xad\xe1\xa0\x8e\xe2\x81\xa0\xe2\x81\xaf\xf3\xa0\x80\x81\xf3\xa0\xbf\xbf",
		  "\"\\u00ad\\u180e\\u2060\\u206f\\udb40\\udc01\\udb43\\udfff\"", "nor that, up to U+E0FFF" },
		{ "\xe2\x81\xb0\xf0\x9f\x9a\x80\xf3\xa1\x80\x80",
		  "\"\xe2\x81\xb0\xf0\x9f\x9a\x80\xf3\xa1\x80\x80\"", "and what is beside" },
		{ "\xff\xc3", "\"\\ufffd\\ufffd\"", "no UTF-8, and a sequence cut short" },
		{ "\xc0\x80", "\"\\ufffd\\ufffd\"", "an overlong sequence" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"", "a surrogate" },
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"", "past the last character" },
		{ NULL, NULL, NULL }
	};

	texts_are(out_json, "JSON", cases);
}

static void labels(void)
{
	static const struct text_case cases[] = {
		{ "a/b.so", "a/b.so", "plain" },
		{ "\"\\\n", "\\\"\\\\\\n", "what is escaped" },
		{ "\x01\x7f\r", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd~51c97ccc", "control characters" },
		{ "\xc3\xa9\xc3", "\xc3\xa9\xef\xbf\xbd~34943b26", "UTF-8, and a sequence cut short" },
		{ NULL, NULL, NULL }
	};

	texts_are(out_label, "label", cases);
	is_str(out_seconds(1).text, "0.000000001", "a nanosecond in seconds");
	is_str(out_seconds(UINT64_MAX).text, "18446744073.709551615", "centuries in seconds");
}

static void fit_is(const char *text, size_t width, const char *want)
{
	struct out out = { 0 };

	out_fit(&out, text, width);
	out_bytes(&out, "", 1);
	is_str(out.data, want, "%zu columns for a text of %zu", width, strlen(text));
	out_free(&out);
}

static void fit(void)
{
	fit_is("abcdefgh", 8, "abcdefgh");
	fit_is("abcdefghi", 8, "abc..ghi");
	fit_is("abcdefghij", 9, "abcd..hij");
	fit_is("a\x1b[31m\n", 20, "a\xef\xbf\xbd[31m\xef\xbf\xbd");
	fit_is("\xc2\x9b" "a\xe2\x80\xae\xff", 20,
	       "\xef\xbf\xbd" "a\xef\xbf\xbd\xef\xbf\xbd");
	fit_is("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 5,
	       "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
	fit_is("\xc3\xa4\xc3\xb6\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xbc", 5,
	       "\xc3\xa4\xc3\xb6..\xc3\xbc");
}

static void buckets(void)
{
	int good = 1;

	for (uint64_t ticks = 0; ticks < UINT64_MAX / 3; ticks += 1 + ticks / 17) {
		uint32_t bucket = cuaudit_stat_bucket(ticks);

		good &= cuaudit_stat_floor(bucket) <= ticks;
		good &= bucket == CUAUDIT_STAT_BUCKETS - 1 ||
			ticks < cuaudit_stat_floor(bucket + 1);
		good &= bucket < 16 || bucket == CUAUDIT_STAT_BUCKETS - 1 ||
			(cuaudit_stat_floor(bucket + 1) - cuaudit_stat_floor(bucket)) * 8 <=
			cuaudit_stat_floor(bucket);
	}
	ok(good, "every tick lies in its bucket, no bucket is wider than an eighth");
	is_int(cuaudit_stat_bucket(UINT64_MAX), CUAUDIT_STAT_BUCKETS - 1, "the last bucket");
}

static void record(struct cuaudit_stat_cell *cell, uint64_t ticks)
{
	cell->calls++;
	cell->total += ticks;
	cell->squares += (double)ticks * (double)ticks;
	cell->min = ticks < cell->min ? ticks : cell->min;
	cell->max = ticks > cell->max ? ticks : cell->max;
	cell->buckets[cuaudit_stat_bucket(ticks)]++;
}

static void near(uint64_t got, uint64_t want, const char *name)
{
	uint64_t off = got > want ? got - want : want - got;

	ok(off * 16 <= want, "%s: %llu for %llu", name, (unsigned long long)got,
	   (unsigned long long)want);
}

static void sums(void)
{
	static const struct cuaudit_stat_header slow = {
		.flags = CUAUDIT_STAT_TIMED, .clock_mult = 5, .clock_shift = 1
	};
	static struct cuaudit_stat_cell cells[2];
	struct report_row row = { 0 };
	struct sum sum;

	sum_clear(&sum);
	for (int i = 0; i < 2; i++) {
		cells[i].record.size = sizeof(cells[i]);
		cells[i].min = UINT64_MAX;
	}
	for (uint64_t i = 1; i <= 100000; i++)
		record(&cells[i % 2], i);
	cells[0].not_ready = 3;
	cells[1].not_ready = 4;
	sum_add(&sum, &cells[0]);
	sum_add(&sum, &cells[1]);
	sum_row(&sum, &header, &row);
	is_int((long long)row.times.not_ready, 7, "not ready");
	is_int((long long)row.times.calls, 100000, "calls");
	is_int((long long)row.times.total, 5000050000, "total");
	is_int((long long)row.times.avg, 50001, "average, rounded");
	is_int((long long)row.times.min, 1, "minimum");
	is_int((long long)row.times.max, 100000, "maximum");
	is_int((long long)row.times.stddev, 28868, "standard deviation");
	near(row.times.p50, 50000, "p50");
	near(row.times.p99, 99000, "p99");
	near(row.within[0], 100, "within 100 ns");
	near(row.within[1], 500, "within 500 ns");
	near(row.within[2], 1000, "within 1 us");
	near(row.within[5], 50000, "within 50 us");
	is_int((long long)row.within[7], 100000, "within 500 us");
	is_int((long long)row.within[SUM_BOUNDS - 1], 100000, "within the last bound");
	sum_row(&sum, &slow, &row);
	is_int((long long)row.times.total, 12500125000, "2.5 ns a tick: total");
	is_int((long long)row.times.avg, 125001, "... average");
	is_int((long long)row.times.min, 2, "... minimum");
	is_int((long long)row.times.max, 250000, "... maximum");
	is_int((long long)row.times.stddev, 72170, "... standard deviation");
	near(row.times.p50, 125000, "... p50");
	near(row.times.p99, 247500, "... p99");
	near(row.within[5], 20000, "... within 50 us");
	sum.calls = 99;
	sum_row(&sum, &header, &row);
	is_int((long long)row.within[1], 99, "no more than there are calls");

	sum_clear(&sum);
	memset(&cells[0], 0, sizeof(cells[0]));
	cells[0].record.size = sizeof(cells[0]);
	cells[0].min = UINT64_MAX;
	record(&cells[0], 100);
	record(&cells[0], 1000);
	record(&cells[0], 10000);
	sum_add(&sum, &cells[0]);
	sum_row(&sum, &header, &row);
	near(row.times.p50, 1000, "p50 of three");
	near(row.times.p99, 10000, "p99 of three");
	is_int((long long)row.times.stddev, 5474, "deviation of a sample of three");

	sum_clear(&sum);
	memset(&cells[0], 0, sizeof(cells[0]));
	cells[0].record.size = sizeof(cells[0]);
	cells[0].min = UINT64_MAX;
	record(&cells[0], 777);
	sum_add(&sum, &cells[0]);
	memset(&row, 0, sizeof(row));
	sum_row(&sum, &header, &row);
	is_int((long long)row.times.p50, 777, "one call: p50 is it");
	is_int((long long)row.times.p99, 777, "one call: p99 is it");
	is_int((long long)row.times.stddev, 0, "one call: no deviation");
}

/* The same calls, by clocks of 1 ns, of 2.5 ns and of nearly 1 ns a tick. */
static void clocks(void)
{
	static const struct cuaudit_stat_header slow = {
		.flags = CUAUDIT_STAT_TIMED, .clock_mult = 5, .clock_shift = 1
	}, close = {
		.flags = CUAUDIT_STAT_TIMED, .clock_mult = 1048577, .clock_shift = 20
	}, broken = { .flags = CUAUDIT_STAT_TIMED };
	static const struct {
		const struct cuaudit_stat_header *own;
		uint64_t per_tick_10;	/* tenths of nanoseconds */
	} cases[] = { { &header, 10 }, { &slow, 25 }, { &close, 10 } };
	struct report_row row = { 0 }, all = { 0 };
	struct sum sum, alone;

	sum_clear(&sum);
	sum_clear(&alone);
	for (int c = 0; c < 3; c++) {
		static struct cuaudit_stat_cell cells[3], same[3];

		cells[c].record.size = same[c].record.size = sizeof(cells[c]);
		cells[c].min = same[c].min = UINT64_MAX;
		for (uint64_t ns = 1000; ns <= 100000; ns += 10) {
			record(&cells[c], ns * 10 / cases[c].per_tick_10);
			record(&same[c], ns);
		}
		sum_add_of(&sum, &cells[c], cases[c].own, &header);
		sum_add(&alone, &same[c]);
	}
	sum_row(&sum, &header, &all);
	sum_row(&alone, &header, &row);
	is_int((long long)all.times.calls, (long long)row.times.calls, "clocks: calls");
	ok(all.times.total > row.times.total - row.times.total / 100000 &&
	   all.times.total < row.times.total + row.times.total / 100000, "clocks: the total");
	is_int((long long)all.times.min, 1000, "clocks: the minimum");
	is_int((long long)all.times.max, 100000, "clocks: the maximum");
	near(all.times.p50, row.times.p50, "clocks: p50");
	near(all.times.p99, row.times.p99, "clocks: p99");
	near(all.times.stddev, row.times.stddev, "clocks: the deviation");
	sum_clear(&sum);
	for (int i = 0; i < 2; i++) {
		static struct cuaudit_stat_cell cell = { .record.size = sizeof(cell), .min = UINT64_MAX };

		record(&cell, UINT64_MAX / 2);
		sum_add_of(&sum, &cell, i ? &broken : &slow, i ? &slow : &broken);
	}
	sum_row(&sum, &broken, &all);
	is_int((long long)all.times.calls, 3, "clocks that are none: no harm");
}

static int by_value(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* What metrics write has to be what the bound is. */
static void bounds(void)
{
	int good = 1;

	for (int i = 0; i < SUM_BOUNDS; i++) {
		good &= !i || sum_bounds[i - 1].ns < sum_bounds[i].ns;
		good &= (uint64_t)(atof(sum_bounds[i].seconds) * 1e9 + 0.5) == sum_bounds[i].ns;
	}
	ok(good, "bounds ascend, and are written as they are");
}

static void sorting(void)
{
	static uint32_t items[1000];
	uint32_t state = 1;
	int good = 1;

	for (size_t count = 0; count < 1000; count += 37) {
		uint64_t before = 0, after = 0;

		for (size_t i = 0; i < count; i++) {
			state = state * 1664525 + 1013904223;
			before += items[i] = state >> 24;
		}
		sort(items, count, sizeof(items[0]), by_value);
		for (size_t i = 0; i < count; i++) {
			after += items[i];
			good &= !i || items[i - 1] <= items[i];
		}
		good &= before == after;
	}
	ok(good, "sort");
}

static _Alignas(64) char segment[CUAUDIT_STAT_SEGMENT];
static size_t used = CUAUDIT_STAT_HEADER;

/* Another record of the process's file. */
static void *put(uint32_t type, size_t size)
{
	struct cuaudit_stat_record *record = (void *)(segment + used);

	record->type = type;
	record->size = (uint32_t)size;
	used += size;
	return record;
}

enum { WAYS = 32, TIMES = 3 };

/* What differs in one thing alone stays apart, all else is added up. */
static void process(void)
{
	struct segment segments[] = { { segment, sizeof(segment) } };
	struct report report = { .nrows = 0 };
	struct part part = { .header = NULL };
	uint64_t counts[WAYS] = { 0 }, wrong = 0;

	for (int i = 0; i < 2; i++) {
		struct cuaudit_stat_function *function =
			put(CUAUDIT_STAT_FUNCTION, sizeof(*function));
		struct cuaudit_stat_library *library = put(CUAUDIT_STAT_LIBRARY, sizeof(*library));

		function->slot = 7;
		strcpy(function->name, i ? "second" : "first");
		library->index = (uint32_t)i;
		strcpy(library->path, i ? "/lib/b.so" : "/lib/a.so");
	}
	for (uint32_t i = 0; i < WAYS * TIMES; i++) {
		struct cuaudit_stat_escape *escape = put(CUAUDIT_STAT_ESCAPE, sizeof(*escape));
		uint32_t way = i * 13 % WAYS;

		strcpy(escape->name, way & 1 ? "cuInit" : "cuInit_v2");
		escape->version = 11000 + (way >> 1 & 1);
		escape->flags = way >> 2 & 1;
		escape->kind = way >> 3 & 1;
		escape->library = way >> 4 & 1;
		escape->count = 1000 + i;
		counts[way] += 1000 + i;
	}
	ok(!part_gather(&part, &report.memory, segments, 1) && !escapes_fill(&report, &part, 1),
	   "the records of a process");
	is_str(part_function(&part, 7), "first", "of a number that is there twice, the first");
	ok(!part_function(&part, 8) && !strcmp(part_path(&part, 1), "/lib/b.so"), "by number");
	is_int((long long)report.nescapes, WAYS, "escapes that differ in one thing");
	for (size_t i = 0; i < report.nescapes; i++) {
		const struct cuaudit_stat_escape *of = report.escapes[i].escape;
		uint32_t way = (strcmp(of->name, "cuInit") ? 0 : 1) | (of->version - 11000) << 1 |
			       (uint32_t)of->flags << 2 | of->kind << 3 | of->library << 4;

		wrong += way >= WAYS || report.escapes[i].count != counts[way];
	}
	is_int((long long)wrong, 0, "... are added up each");
	arena_free(&report.memory);
}

int main(void)
{
	times();
	division();
	json();
	labels();
	fit();
	buckets();
	sums();
	clocks();
	bounds();
	sorting();
	process();
	return done_testing();
}
