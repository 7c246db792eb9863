/* SPDX-License-Identifier: Apache-2.0 */
/* What the page's timeline is made of: whose a moment is, shares of bins, the greatest of many. */
#include <cuaudit/stat.h>

#include "export/html/bins.h"
#include "export/html/heap.h"
#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { MOMENTS = 1000, CALLS = 20000 };

static unsigned char told[MOMENTS];
static uint64_t sum;
static int twice;

static void tell(void *data, uint64_t from, uint64_t to)
{
	(void)data;
	sum += to - from;
	for (uint64_t i = from; i < to && i < MOMENTS; i++)
		twice += told[i]++ != 0;
}

static uint64_t add(struct self_time *cover, uint64_t from, uint64_t to, uint32_t depth)
{
	sum = 0;
	self_time_call(cover, from, to, depth, tell, NULL);
	return sum;
}

static void nested(void)
{
	struct self_time cover = { .floor = 0 };
	bool good;

	ok(add(&cover, 10, 20, 1) == 10 && add(&cover, 30, 40, 1) == 10, "inner calls have their time");
	ok(add(&cover, 0, 50, 0) == 30, "the outer one has the rest");
	ok(add(&cover, 60, 70, 0) == 10, "the next one has its own");
	ok(add(&cover, 40, 80, 0) == 10, "what is told is not told again");
	ok(!twice, "no moment is told twice");
	cover = (struct self_time){ .floor = 0 };
	good = true;
	for (uint64_t i = 0; i < 200; i++)
		good = add(&cover, 1000 + 10 * i, 1005 + 10 * i, 1) == 5 && good;
	ok(good, "many inner calls");
	ok(add(&cover, 1000, 3000, 0) > 0 && sum <= 1000, "the outer one of many has at most the rest");
}

/* Whatever a file says, a moment is told once: that bounds the time it takes. */
static void nonsense(void)
{
	twice = 0;
	for (int round = 0; round < 50; round++) {
		struct self_time cover = { .floor = 0 };
		uint64_t last = 0;

		memset(told, 0, sizeof(told));
		for (int i = 0; i < CALLS / 50; i++) {
			uint64_t from = chance(MOMENTS), to = chance(MOMENTS);

			/* Mostly in order. */
			if (chance(8) && to < last)
				to = last + chance(5);
			if (to >= from)
				add(&cover, from, to, (uint32_t)chance(4));
			last = to;
		}
	}
	ok(!twice, "no moment is told twice, whatever the calls");
}

static void bins(void)
{
	struct self_time cover[2] = { { .floor = 0 }, { .floor = 0 } };
	struct out out = { 0 };
	struct bins bins;

	if (bins_make(&bins, 2, 8, 6, 5)) {
		ok(false, "memory");
		return;
	}
	bins_turn(&bins, 1);
	bins_call(&bins, &cover[1], 0, 32, 0, 4);
	bins_turn(&bins, 0);
	bins_call(&bins, &cover[0], 0, 16, 0, 1);
	bins_call(&bins, &cover[0], 16, 24, 0, 2);
	bins_call(&bins, &cover[0], 24, 28, 0, 3);
	bins_call(&bins, &cover[0], 28, 30, 0, 4);
	bins_call(&bins, &cover[0], 64, 320, 0, 2);
	bins_call(&bins, &cover[0], 330, 330, 0, 3);
	bins_turn(&bins, 1);
	bins_call(&bins, &cover[1], 320, 384, 0, 4);
	bins_turn(&bins, 0);
	bins_json(&bins, 0, 1, &out);
	out_bytes(&out, "", 1);
	diag("%s", out.data);
	ok(!strcmp(out.data, "[1,25,2,13,3,6,3,4,2,100,0,0,0,0,0,0,-3,3,1,0,0,0,0,0,2,"
			     "0,0,0,0,0,0,0,0,-1]"), "a row: shares, the least of them as others");
	out.used = 0;
	bins_json(&bins, 1, 2, &out);
	out_bytes(&out, "", 1);
	diag("%s", out.data);
	ok(!strcmp(out.data, "[4,25,0,0,0,0,0,1,0,0,0,0,0,0,0,0,-3,4,50,0,0,0,0,0,0,"
			     "0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0]"), "a row of two threads");
	out_free(&out);
	bins_free(&bins);
}

static void greatest(void)
{
	struct heap heap = { .most = 100 };
	bool good = true;

	for (uint64_t i = 0; i < 10007; i++) {
		struct shown_call call = { .key = i * 7919 % 10007 };

		if (heap_wants(&heap, call.key))
			heap_take(&heap, &call);
	}
	for (size_t i = 0; i < heap.count; i++)
		good = good && heap.calls[i].key >= 10007 - 100;
	ok(good && heap.count == 100, "the 100 greatest of 10,007");
	free(heap.calls);
}

int main(void)
{
	nested();
	nonsense();
	bins();
	greatest();
	return done_testing();
}
