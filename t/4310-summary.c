/* SPDX-License-Identifier: Apache-2.0 */
/* What a summary is made of, against plain models of it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuaudit/api.h>

#include "analysis/compare.h"
#include "analysis/device_memory.h"
#include "analysis/histogram.h"
#include "analysis/live.h"
#include "analysis/series.h"
#include "analysis/tally.h"
#include "print/table.h"
#include "t/fuzz/chance.h"
#include "t/tap.h"
#include "util/hash_table.h"

enum { MANY = 20000 };

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool near(uint64_t value, uint64_t exact)
{
	return value * 16 + 16 >= exact * 15 && value * 15 <= exact * 16 + 16;
}

/* Numbers of all sizes, in two halves that are merged. */
static void histograms(void)
{
	struct histogram halves[2] = { { .counts = NULL } };
	uint64_t *numbers = calloc(MANY, sizeof(*numbers)), count = 0;
	bool good = true;

	for (int i = 0; i < MANY; i++) {
		numbers[i] = chance((uint64_t)1 << (1 + chance(36)));
		good &= histogram_add(&halves[i % 2], numbers[i]);
	}
	good &= histogram_merge(&halves[0], &halves[1]);
	ok(good, "histogram: %d numbers", MANY);
	qsort(numbers, MANY, sizeof(*numbers), compare);
	for (uint32_t i = 0; i < CUAUDIT_STAT_BUCKETS; i++)
		count += histogram_count(&halves[0], i);
	is_int((long)count, MANY, "... all counted");
	good = true;
	for (unsigned int percent = 1; percent <= 100; percent++) {
		uint64_t exact = numbers[MANY / 100 * percent - 1];

		good &= near(histogram_percentile(&halves[0], percent), exact);
	}
	ok(good, "... percentiles are at most half a bucket off");
	histogram_free(&halves[0]);
	ok(histogram_add(&halves[0], UINT64_MAX) && histogram_merge(&halves[0], &halves[1]),
	   "... the largest there is");
	ok(histogram_percentile(&halves[0], 100) == UINT64_MAX, "... has no upper end");
	histogram_free(&halves[0]);
	is_int((long)histogram_percentile(&halves[0], 50), 0, "... none at all");
	histogram_free(&halves[1]);
	free(numbers);
}

/* Few numbers, each in a bucket of its own: the least rank with percent of them at or below it. */
static void ranks(void)
{
	bool good = true;

	for (uint64_t count = 1; count <= 130; count++) {
		struct histogram histogram = { .counts = NULL };

		for (uint64_t i = 0; i < count; i++)
			good &= histogram_add(&histogram, cuaudit_stat_floor((uint32_t)(i * 2)));
		for (unsigned int percent = 1; percent <= 100; percent++) {
			uint32_t bucket = (uint32_t)((count * percent + 99) / 100 - 1) * 2;

			good &= histogram_percentile(&histogram, percent) ==
				(cuaudit_stat_floor(bucket) + cuaudit_stat_floor(bucket + 1)) / 2;
		}
		histogram_free(&histogram);
	}
	ok(good, "histogram: percentiles of 1 to 130 numbers");
}

/* Keys of all sizes that differ in one byte. */
static void tables(void)
{
	struct table table = { .row = sizeof(uint64_t) };
	unsigned char key[300] = { 0 };
	bool good = true;

	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t size = 4 + i % 296, number;

		memcpy(key + size - 4, &i, 4);
		number = table_find(&table, key, size);
		good &= number == i && !*(uint64_t *)table_row(&table, i);
		*(uint64_t *)table_row(&table, i) = i * 3;
		memset(key + size - 4, 0, 4);
	}
	ok(good, "table: new keys are numbered as they come");
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t size = 4 + i % 296, number;

		memcpy(key + size - 4, &i, 4);
		number = table_find(&table, key, size);
		good &= number == i && *(uint64_t *)table_row(&table, i) == i * 3 &&
			table.keys[i].size == size && !memcmp(table.keys[i].bytes, key, size);
		memset(key + size - 4, 0, 4);
	}
	ok(good, "... and found again");
	is_int((long)table.count, MANY, "... no more of them");
	table_free(&table);
}

/* Objects that come and go, few enough handles for many to collide. */
static void lives(void)
{
	static struct live_object model[4][512];
	struct live live = { .slots = NULL };
	bool good = true;
	size_t count = 0;

	for (int i = 0; i < 10 * MANY; i++) {
		uint8_t space = (uint8_t)chance(4);
		uint64_t handle = chance(512);
		struct live_object *there = &model[space][handle];
		struct live_object *found = live_find(&live, space, handle << 32);

		good &= found ? there->claims && found->allocated == there->allocated : !there->claims;
		if (found) {
			live_remove(&live, found);
			there->claims = 0;
			count--;
		} else {
			*there = (struct live_object){ .handle = handle << 32, .allocated = (uint64_t)i,
						       .claims = 1, .space = space };
			good &= !live_add(&live, there);
			count++;
		}
		good &= live.count == count;
	}
	ok(good, "live: objects are found as long as they live");
	live_free(&live);
}

/* Against all values there were. */
static void series(void)
{
	static uint64_t model[MANY];
	struct series series;
	uint64_t time = 100;
	bool good = true;

	good &= !series_begin(&series, 50, 100, 7);
	for (int i = 0; i < 3000; i++) {
		uint64_t value = chance(1000), next = time + chance(8), since = time - 100;

		for (; time < next; time++)
			model[time - 100] = series.now;
		series_set(&series, time, value);
		since = time - 100;
		model[since] = value > model[since] ? value : model[since];
	}
	ok(good && series.count <= 50 && series.count >= 25, "series: %zu steps", series.count);
	is_int((long)series.count, (long)((time - 100) / series.step + 1), "... to the end");
	for (size_t i = 0; i < series.count; i++) {
		uint64_t most = 0;

		for (uint64_t t = i * series.step; t < (i + 1) * series.step && t <= time - 100; t++)
			most = model[t] > most ? model[t] : most;
		good &= series.points[i] >= most;
		/* What there was when the step began counts, too. */
		if (series.points[i] != most)
			good &= i && series.points[i] <= 1000;
	}
	ok(good, "... none lower than what there was");
	series_set(&series, UINT64_MAX, 5);
	ok(series.count <= 50 && series.points[series.count - 1] >= 5, "... however long");
	free(series.points);
}

/* A trace of two threads. */
static struct {
	char bytes[4 * 8192] __attribute__((aligned(8)));
	size_t used, chunk;	/* where the next description goes, and the present chunk's end */
	uint64_t last;
	uint32_t nchunks;
} file;

/* With a text, or two of them, behind it. */
static void *describe(uint32_t type, size_t size, const char *text, size_t length)
{
	struct cuaudit_trace_record *record = (void *)(file.bytes + file.used);

	record->type = type;
	record->size = (uint32_t)(size + length + 8) & ~7u;
	memcpy(file.bytes + file.used + size, text, length);
	file.used += record->size;
	return record;
}

static void describe_function(uint32_t slot, const char *names, int how, uint32_t size)
{
	struct cuaudit_trace_function *function =
		describe(CUAUDIT_TRACE_FUNCTION, sizeof(*function), names,
			 strlen(names) + 1 + strlen(names + strlen(names) + 1));
	struct cuaudit_trace_site *site = describe(CUAUDIT_TRACE_SITE, sizeof(*site), "", 0);

	function->slot = slot;
	function->id = -1;
	function->nsteps = size ? 2 : 1;
	function->steps[0] = (struct cuaudit_trace_step){ (uint8_t)how, 0, 8 };
	function->steps[1] = (struct cuaudit_trace_step){ CUAUDIT_TRACE_VALUE, 1, 8 };
	site->number = slot;
	site->slot = slot;
}

static void begin_file(void)
{
	struct cuaudit_trace_header *header = (void *)file.bytes;

	memset(&file, 0, sizeof(file));
	memcpy(header->magic, CUAUDIT_TRACE_MAGIC, sizeof(header->magic));
	header->version = CUAUDIT_TRACE_VERSION;
	header->order = CUAUDIT_TRACE_ORDER;
	header->chunk = 8192;
	header->flags = CUAUDIT_TRACE_ARGUMENTS;
	header->clock_mult = 1;
	file.used = CUAUDIT_TRACE_HEADER;
	describe(CUAUDIT_TRACE_LIBRARY, sizeof(struct cuaudit_trace_library), "app", 3);
	describe_function(0, "cuMemAlloc_v2\0cuMemAlloc", CUAUDIT_TRACE_DEREF, 8);
	describe_function(1, "cuMemFree_v2\0cuMemFree", CUAUDIT_TRACE_VALUE, 0);
	describe_function(2, "cuMemRetainAllocationHandle\0cuMemRetainAllocationHandle", CUAUDIT_TRACE_DEREF, 0);
	describe_function(3, "cuMemCreate\0cuMemCreate", CUAUDIT_TRACE_DEREF, 8);
	describe_function(4, "cuMemRelease\0cuMemRelease", CUAUDIT_TRACE_VALUE, 0);
}

static void begin_chunk(void)
{
	struct cuaudit_trace_chunk *chunk;

	file.chunk = ++file.nchunks * 8192;
	chunk = (void *)(file.bytes + file.chunk);
	chunk->kind = CUAUDIT_TRACE_CALLS;
	chunk->thread = file.nchunks;
	chunk->sequence = file.nchunks;
	file.chunk += sizeof(*chunk);
	file.last = 0;
}

static void call(uint32_t site, uint64_t start, uint64_t end, int32_t result, uint64_t handle,
		 uint64_t size)
{
	uint64_t *at = (uint64_t *)(file.bytes + file.chunk), count = 2;
	bool gives = site == 0 || site >= 2;
	uint8_t *bytes;
	uint16_t mask = !result;

	gives = gives && site != 4;
	at[1] = (end - start) | (uint64_t)site << 32;
	if (result)
		at[count++] = (uint32_t)result;
	bytes = (uint8_t *)&at[count];
	if (gives) {
		memcpy(bytes, &mask, 2);
		bytes += 2;
	}
	if (!gives || !result) {
		memcpy(bytes, &handle, 8);
		bytes += 8;
	}
	if (site == 0 || site == 3) {
		memcpy(bytes, &size, 8);
		bytes += 8;
	}
	count = (uint64_t)(bytes - (uint8_t *)at + 7) / 8;
	at[0] = count | (uint64_t)(CUAUDIT_TRACE_WITH_ARGUMENTS |
				   (result ? CUAUDIT_TRACE_STATUS : 0)) << 8 |
		(end - file.last) << 32;
	file.last = end;
	file.chunk += count * 8;
}

static struct summary_memory follow(const char *name)
{
	static const char path[] = "4310-summary.cutrace";
	struct summary_memory memory = { .known = false };
	struct fact facts[8];
	struct trace trace;
	const char *fault;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || write(fd, file.bytes, sizeof(file.bytes)) != sizeof(file.bytes))
		bail_out("cannot write %s", path);
	close(fd);
	fault = trace_open(&trace, path);
	is_str(fault ? fault : "", "", "%s: opened", name);
	for (size_t i = 0; i < trace.nfunctions && i < 8; i++)
		facts[i] = fact_of(&trace.functions[i]);
	ok(memory_known(&trace, facts) && !memory_follow(&memory, &trace, facts, 16),
	   "... its memory");
	trace_close(&trace);
	unlink(path);
	return memory;
}

/* Calls in chunks; what is left of device memory: at most and at the end, how often it was taken and given back. */
#define CHUNK { .site = UINT32_MAX }
static const struct memory_case {
	const char *name;
	long peak, held, allocations, frees;
	bool goes_on;	/* behind the one before */
	struct {
		uint32_t site;
		uint64_t start, end;
		int32_t result;
		uint64_t handle, size;
	} calls[7];
} memory_cases[] = {
	/* One thread gives back while another gets the same address, and ends sooner. */
	{ "an address that comes back at once", 100, 0, 2, 2, false, {
		CHUNK,
		{ 0, 10, 20, 0, 0x7000, 100 },
		{ 1, 30, 60, 0, 0x7000, 0 },
		{ 1, 80, 90, 0, 0x7000, 0 },
		CHUNK,
		{ 0, 40, 50, 0, 0x7000, 40 },
	} },
	{ "... and stays", 100, 40, 2, 1, false, {
		CHUNK,
		{ 0, 10, 20, 0, 0x7000, 100 },
		{ 1, 30, 60, 0, 0x7000, 0 },
		CHUNK,
		{ 0, 40, 50, 0, 0x7000, 40 },
	} },
	{ "calls that fail, addresses nobody knows", 70, 70, 1, 0, false, {
		CHUNK,
		{ 0, 10, 20, 2, 0x7000, 100 },
		{ 1, 30, 40, 0, 0x9999, 0 },
		{ 0, 50, 60, 0, 0x7000, 70 },
		{ 1, 70, 80, 1, 0x7000, 0 },
		{ 1, 90, 91, 0, 0, 0 },
	} },
	{ "physical memory of two claims", 1001, 1001, 2, 0, false, {
		CHUNK,
		{ 3, 10, 20, 0, 5, 1000 },
		{ 0, 21, 22, 0, 5, 1 },
		{ 2, 30, 40, 0, 5, 0 },
		{ 4, 50, 60, 0, 5, 0 },
		{ 2, 61, 62, 0, 6, 0 },
	} },
	{ "... both given back", 1001, 1, 2, 1, true, {
		{ 4, 70, 80, 0, 5, 0 },
	} },
};

static void is_memory(const struct memory_case *wanted)
{
	struct summary_memory memory;

	if (!wanted->goes_on)
		begin_file();
	for (size_t i = 0; i < sizeof(wanted->calls) / sizeof(*wanted->calls); i++) {
		if (wanted->calls[i].site == UINT32_MAX)
			begin_chunk();
		else if (wanted->calls[i].end)
			call(wanted->calls[i].site, wanted->calls[i].start, wanted->calls[i].end,
			     wanted->calls[i].result, wanted->calls[i].handle, wanted->calls[i].size);
	}
	memory = follow(wanted->name);
	is_int((long)memory.device.peak, wanted->peak, "... at most");
	is_int((long)memory.device.held, wanted->held, "... at the end");
	is_int((long)memory.device.allocations, wanted->allocations, "... allocations");
	is_int((long)memory.device.frees, wanted->frees, "... frees");
	free(memory.points);
}

static void memories(void)
{
	for (size_t i = 0; i < sizeof(memory_cases) / sizeof(*memory_cases); i++)
		is_memory(&memory_cases[i]);
}

static bool same_cell(const struct tally_cell *x, const struct tally_cell *y)
{
	if (!x || !y)
		return !x && !y;
	for (uint32_t i = 0; i < CUAUDIT_STAT_BUCKETS; i++)
		if (histogram_count(&x->times.histogram, i) != histogram_count(&y->times.histogram, i))
			return false;
	return x->times.calls == y->times.calls && x->times.errors == y->times.errors && x->times.not_ready == y->times.not_ready &&
	       x->times.total == y->times.total && x->times.min == y->times.min && x->times.max == y->times.max &&
	       x->times.squares == y->times.squares;
}

/* Whether each row of x is in y, with the same numbers. */
static bool same_rows(const struct table *x, struct table *y)
{
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t number = table_find(y, x->keys[i].bytes, x->keys[i].size);

		if (memcmp(table_row(x, i), table_row(y, number), x->row))
			return false;
	}
	return x->count == y->count;
}

/* Chunks in two tallies that are merged are as good as in one. */
static void tallies(void)
{
	static const char path[] = "4310-tally.cutrace";
	static uint64_t window[TRACE_WINDOW_MIN / 8];
	struct tally all, parts[2];
	struct fact facts[8];
	struct trace trace;
	bool good = true;
	int fd;

	begin_file();
	for (int i = 0; i < 2; i++) {
		begin_chunk();
		for (uint64_t j = 1; j < 100; j++)
			call((uint32_t)chance(2), 1000 * j, 1000 * j + 1 + chance(900),
			     chance(9) ? 0 : 1 + (int32_t)chance(3), 0x1000 * j, 512);
	}
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || write(fd, file.bytes, sizeof(file.bytes)) != sizeof(file.bytes))
		bail_out("cannot write %s", path);
	close(fd);
	is_str(trace_open(&trace, path), NULL, "tally: a trace of %zu chunks", trace.nchunks);
	for (size_t i = 0; i < trace.nfunctions && i < 8; i++)
		facts[i] = fact_of(&trace.functions[i]);
	good &= !tally_begin(&all, &trace, facts) && !tally_begin(&parts[0], &trace, facts) &&
		!tally_begin(&parts[1], &trace, facts);
	good &= !tally_chunks(&all, 0, 2, window, sizeof(window)) &&
		!tally_chunks(&parts[0], 1, 1, window, sizeof(window)) &&
		!tally_chunks(&parts[1], 0, 1, window, sizeof(window));
	ok(good && all.sites[0]->times.errors && all.sites[1]->times.errors, "... with errors");
	ok(!tally_merge(&parts[0], &parts[1]), "... merged");
	for (size_t i = 0; i < trace.nsites; i++)
		good &= same_cell(all.sites[i], parts[0].sites[i]);
	ok(good, "... each site's calls are the same");
	ok(same_rows(&all.threads, &parts[0].threads) && all.threads.count == 2,
	   "... each thread's");
	ok(same_rows(&all.errors, &parts[0].errors), "... each result's");
	tally_settle(&all);
	tally_settle(&parts[0]);
	ok(all.nshares == 4 && parts[0].nshares == 4 &&
	   !memcmp(all.shares, parts[0].shares, 4 * sizeof(*all.shares)),
	   "... each thread's functions");
	ok(all.first == parts[0].first && all.last == parts[0].last, "... from when to when");
	tally_free(&all);
	tally_free(&parts[0]);
	tally_free(&parts[1]);
	trace_close(&trace);
	unlink(path);
}

/* What counts as a change, of one function. */
static void is_change(enum compare_change want, struct row_times x, struct row_times y,
		      const char *name)
{
	struct summary_function functions[] = { { .name = "f", .times = x },
						{ .name = "f", .times = y } };
	struct summary a = { .functions = &functions[0], .nfunctions = 1 };
	struct summary b = { .functions = &functions[1], .nfunctions = 1 };
	struct compare_rows rows;

	ok(!compare_functions(&rows, &a, &b) && rows.rows[0].change == want &&
	   rows.changed == (want != COMPARE_SAME), "%s", name);
	compare_free(&rows);
}

static void comparisons(void)
{
	const struct row_times base = { .calls = 1000, .avg = 1000, .p50 = 1000,
					    .stddev = 100, .total = 1000000 };
	struct row_times noisy = base, other = base, few = base;

	is_change(COMPARE_SAME, base, other, "compare: the same");
	other.p50 = 1200;
	is_change(COMPARE_SAME, base, other, "... a median one bucket off");
	other.p50 = 1300;
	is_change(COMPARE_CHANGED, base, other, "... two buckets off");
	is_change(COMPARE_CHANGED, other, base, "... the other way");
	other = base;
	other.avg = 1090;
	is_change(COMPARE_SAME, base, other, "... an average 9 % up");
	other.avg = 1150;
	is_change(COMPARE_CHANGED, base, other, "... 15 % up");
	noisy.stddev = 5000;
	is_change(COMPARE_SAME, noisy, other, "... by chance");
	few.calls = 19;
	other = few;
	other.p50 = other.avg = 9000;
	is_change(COMPARE_SAME, few, other, "... of few calls");
	other.calls = 18;
	is_change(COMPARE_CHANGED, few, other, "... and fewer");
	other = base;
	other.errors = 1;
	is_change(COMPARE_CHANGED, base, other, "... one error");
	other.calls = 0;
	is_change(COMPARE_GONE, base, other, "... gone");
	is_change(COMPARE_NEW, other, base, "... new");
}

/* What a function does to memory that is counted, "" for nothing. */
static const char *does(int32_t id, const char *symbol, const char *base)
{
	static const char *const actions[] = { "", "launches", "allocates", "claims", "frees" };
	static const char *const forms[] = { "bytes", "pitch", "array", "array3d" };
	static struct trace_function function;
	static char text[200];
	struct fact fact;

	function.name = symbol;
	function.base = base;
	function.nparams = print_params(id, function.params);
	fact = fact_of(&function);
	if (fact.action == FACT_NONE)
		return "";
	snprintf(text, sizeof(text), "%s %s %s", base, actions[fact.action],
		 fact.handle == FACT_NO_WORD ? "?" : function.params[fact.handle].name);
	if (fact.action == FACT_ALLOCATES)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s %s %s",
			 summary_memory_kinds[fact.kind], forms[fact.how],
			 fact.size == FACT_NO_WORD ? "?" : function.params[fact.size].name);
	return text;
}

static void what_is_counted(void)
{
	static const char *const rows[] = {
		"cuArray3DCreate allocates pHandle arrays array3d pAllocateArray",
		"cuArrayCreate allocates pHandle arrays array pAllocateArray",
		"cuArrayDestroy frees hArray",
		"cuIpcCloseMemHandle frees dptr",
		"cuLaunch launches f",
		"cuLaunchCooperativeKernel launches f",
		"cuLaunchGrid launches f",
		"cuLaunchGridAsync launches f",
		"cuLaunchKernel launches f",
		"cuLaunchKernelEx launches f",
		"cuMemAlloc allocates dptr device bytes bytesize",
		"cuMemAllocAsync allocates dptr pool bytes bytesize",
		"cuMemAllocFromPoolAsync allocates dptr pool bytes bytesize",
		"cuMemAllocHost allocates pp host bytes bytesize",
		"cuMemAllocManaged allocates dptr managed bytes bytesize",
		"cuMemAllocPitch allocates dptr device pitch pPitch",
		"cuMemCreate allocates handle physical bytes size",
		"cuMemFree frees dptr",
		"cuMemFreeAsync frees dptr",
		"cuMemFreeHost frees p",
		"cuMemHostAlloc allocates pp host bytes bytesize",
		"cuMemHostUnregister frees p",
		"cuMemImportFromShareableHandle claims handle",
		"cuMemRelease frees handle",
		"cuMemRetainAllocationHandle claims handle",
		"cuMipmappedArrayCreate allocates pHandle arrays array3d pMipmappedArrayDesc",
		"cuMipmappedArrayDestroy frees hMipmappedArray",
	};
	static const struct {
		const char *symbol, *base;
	} functions[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) \
	{ #symbol, #base },
#include <cuaudit/driver_api.def>
#undef CUAPI
	};
	const size_t nrows = sizeof(rows) / sizeof(rows[0]);
	bool seen[sizeof(rows) / sizeof(rows[0])] = { false };
	int wrong = 0, missing = 0;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const char *text = does((int32_t)i, functions[i].symbol, functions[i].base);
		size_t row = 0;

		if (!*text)
			continue;
		while (row < nrows && strcmp(rows[row], text))
			row++;
		if (row == nrows)
			diag("%s: %s", functions[i].symbol, text);
		else
			seen[row] = true;
		wrong += row == nrows;
	}
	for (size_t row = 0; row < nrows; row++)
		missing += !seen[row];
	is_int(wrong, 0, "what functions do to memory that is counted");
	is_int(missing, 0, "... of all of them");
}

int main(void)
{
	what_is_counted();
	tallies();
	comparisons();
	histograms();
	ranks();
	tables();
	lives();
	series();
	memories();
	return done_testing();
}
