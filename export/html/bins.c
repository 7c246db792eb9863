/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the timeline in equal bins of time: how busy, by which functions, how many calls. */
#include "export/html/bins.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int bins_make(struct bins *bins, size_t nrows, size_t count, uint32_t shift, size_t nfunctions)
{
	*bins = (struct bins){ .nrows = nrows, .count = count, .shift = shift };
	bins->bins = calloc(nrows * count + 1, sizeof(*bins->bins));
	bins->sums = calloc(nfunctions + 1, sizeof(*bins->sums));
	bins->used = calloc(nfunctions + 1, sizeof(*bins->used));
	if (!bins->bins || !bins->sums || !bins->used)
		return -ENOMEM;
	bins->row = bins->bins;
	return 0;
}

void bins_free(struct bins *bins)
{
	free(bins->bins);
	free(bins->sums);
	free(bins->used);
}

static size_t place(const struct bins *bins, uint64_t at)
{
	uint64_t bin = at >> bins->shift;

	return bin < bins->count ? (size_t)bin : bins->count - 1;
}

static void add(struct bin *bin, uint32_t function, uint64_t ns)
{
	uint32_t least = 0;

	for (uint32_t i = 0; i < bin->count; i++) {
		if (bin->functions[i] == function) {
			bin->ns[i] += ns;
			return;
		}
		if (bin->ns[i] < bin->ns[least])
			least = i;
	}
	if (bin->count < BINS_MOST) {
		least = bin->count++;
	} else if (bin->ns[least] < ns) {
		bin->others += bin->ns[least];
	} else {
		bin->others += ns;
		return;
	}
	bin->functions[least] = function;
	bin->ns[least] = ns;
}

/* What was summed up goes into its bin. */
static void settle(struct bins *bins)
{
	struct bin *bin = &bins->row[bins->current];

	for (size_t i = 0; i < bins->nused; i++) {
		add(bin, bins->used[i], bins->sums[bins->used[i]] - 1);
		bins->sums[bins->used[i]] = 0;
	}
	bins->nused = 0;
}

void bins_turn(struct bins *bins, size_t row)
{
	settle(bins);
	bins->row = bins->bins + row * bins->count;
	bins->current = 0;
}

static void add_current(struct bins *bins, uint64_t ns)
{
	/* One more than the time, so that it shows that there was a call. */
	if (!bins->sums[bins->function]) {
		bins->used[bins->nused++] = bins->function;
		bins->sums[bins->function] = 1;
	}
	bins->sums[bins->function] += ns;
}

static void tell(void *data, uint64_t from, uint64_t to)
{
	struct bins *bins = data;
	size_t last = place(bins, to);

	for (size_t i = place(bins, from); i <= last; i++) {
		uint64_t begin = (uint64_t)i << bins->shift, end = begin + (UINT64_C(1) << bins->shift);
		uint64_t ns = (to < end ? to : end) - (from > begin ? from : begin);

		if (!ns)
			continue;
		if (i == bins->current)
			add_current(bins, ns);
		else
			add(&bins->row[i], bins->function, ns);
	}
}

void bins_call(struct bins *bins, struct self_time *time, uint64_t from, uint64_t to, uint32_t depth,
	       uint32_t function)
{
	size_t bin = place(bins, to);

	if (bin != bins->current) {
		settle(bins);
		bins->current = bin;
	}
	bins->function = function;
	self_time_call(time, from, to, depth, tell, bins);
	bins->row[bin].calls++;
	if (to == from)
		add_current(bins, 0);
}

enum { NUMBERS = 2 * BINS_MOST + 2 };

/* Something is never nothing. */
static uint32_t percent(uint64_t ns, double whole)
{
	double share = (double)ns / whole * 100;

	return share < 1 ? 1 : share > 100 ? 100 : (uint32_t)(share + 0.5);
}

static void numbers_of(const struct bins *bins, const struct bin *bin, uint64_t nthreads,
		       uint32_t numbers[NUMBERS])
{
	double whole = (double)(UINT64_C(1) << bins->shift) * (double)nthreads;

	memset(numbers, 0, NUMBERS * sizeof(*numbers));
	for (uint32_t i = 0; i < bin->count; i++) {
		numbers[2 * i] = bin->functions[i];
		numbers[2 * i + 1] = percent(bin->ns[i], whole);
	}
	if (bin->others)
		numbers[2 * BINS_MOST] = percent(bin->others, whole);
	numbers[2 * BINS_MOST + 1] = bin->calls;
}

static void repeated(struct out *out, uint64_t times, bool first)
{
	if (!times)
		return;
	out_text(out, first ? "-" : ",-");
	out_u64(out, times);
}

void bins_json(const struct bins *bins, size_t row, uint64_t nthreads, struct out *out)
{
	uint32_t before[NUMBERS] = { 0 }, numbers[NUMBERS];
	uint64_t times = 0;
	bool first = true;

	out_text(out, "[");
	for (size_t i = 0; i < bins->count; i++) {
		numbers_of(bins, &bins->bins[row * bins->count + i], nthreads, numbers);
		if (!memcmp(before, numbers, sizeof(numbers))) {
			times++;
			continue;
		}
		repeated(out, times, first);
		for (uint32_t j = 0; j < NUMBERS; j++) {
			out_text(out, first && !times && !j ? "" : ",");
			out_u64(out, numbers[j]);
		}
		memcpy(before, numbers, sizeof(numbers));
		first = false;
		times = 0;
	}
	repeated(out, times, first);
	out_text(out, "]");
}
