/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks made ready before they are wanted, by a thread of its own. */
#include "hooks/modules/trace/trace_ready.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <cuaudit/hook.h>

#include "hooks/modules/helper.h"
#include "hooks/modules/trace/trace_file.h"
#include "hooks/modules/trace/trace_lock.h"

enum {
	FIRST = 2,		/* chunks in advance; twice as many whenever they are not enough ... */
	MOST = 16,		/* ... up to these */
	TOGETHER = 8,		/* full ones that are unmapped at once: each time, all processors are interrupted */
	PERIOD = 2000000,	/* ns between two looks, while chunks become full; to be woken costs the call */
	LOOKS = 50		/* without a full one, before it sleeps until there is one */
};

static struct helper helper;

/* Under the lock. */
static bool running;
static struct trace_chunk ready[MOST], done[MOST], making;
static uint32_t nready, ndone;
static uint32_t wanted;	/* how many are to be ready; 0: no chunk has been full yet */
static uint32_t nfull;	/* chunks that became full */
static bool asleep;	/* it looks only when it is woken */
static uint32_t looks;	/* without a full one */

/* Room for another one; false: there is none, or no need. */
static bool begin(void)
{
	bool again;

	if (nready >= wanted || nready == MOST || !trace_room_ahead(&making.index, &again))
		return false;
	making.at = trace_file_map_beside(making.index);
	if (!making.at) {
		trace_room_give(&making);
		return false;
	}
	if (again)
		trace_room_clear(making.at);
	return true;
}

/* qsort's, which takes no memory for so few. */
static int by_address(const void *a, const void *b)
{
	uintptr_t first = (uintptr_t)((const struct trace_chunk *)a)->at;
	uintptr_t second = (uintptr_t)((const struct trace_chunk *)b)->at;

	return (first > second) - (first < second);
}

static void unmap(struct trace_chunk *chunks, uint32_t count)
{
	qsort(chunks, count, sizeof(*chunks), by_address);
	for (uint32_t i = 0, length; i < count; i += length) {
		const char *at = (const char *)chunks[i].at;

		for (length = 1; i + length < count && (const char *)chunks[i + length].at ==
			     at + (size_t)length * CUAUDIT_TRACE_CHUNK;)
			length++;
		trace_file_unmap(chunks[i].at, length);
	}
}

/* Unmaps full ones, or makes one ready; false: there is nothing to do. */
static bool work(void)
{
	struct trace_chunk full[MOST];
	struct trace_lock saved;
	uint32_t nunmapped = 0;
	void *begun = NULL;

	trace_lock(&saved);
	if (ndone >= TOGETHER || (ndone && looks)) {
		memcpy(full, done, ndone * sizeof(*full));
		nunmapped = ndone;
		ndone = 0;
	} else if (begin()) {
		begun = making.at;
	}
	trace_unlock(&saved);
	if (nunmapped) {
		unmap(full, nunmapped);
		return true;
	}
	if (!begun)
		return false;
	/* If somebody took it, it may be gone: then somebody's pages, or none, come sooner. */
	trace_file_populate(begun);
	trace_lock(&saved);
	if (making.at == begun) {
		ready[nready++] = making;
		making.at = NULL;
	}
	trace_unlock(&saved);
	return true;
}

/* Until the next look, or until it is worth one; false: it ends. */
static bool wait(void)
{
	static uint32_t seen_full;
	struct trace_lock saved;
	uint32_t seen;
	bool deep;

	trace_lock(&saved);
	looks = nfull == seen_full ? looks + 1 : 0;
	seen_full = nfull;
	deep = asleep = looks >= LOOKS || !wanted;
	seen = helper_seen(&helper);
	trace_unlock(&saved);
	return helper_wait(&helper, seen, deep ? UINT64_MAX : PERIOD);
}

static void *run(void *unused)
{
	struct trace_lock saved;

	prctl(PR_SET_NAME, "cuaudit-trace");
	do
		while (!helper.ending && work())
			;
	while (wait());
	trace_lock(&saved);
	running = false;
	trace_unlock(&saved);
	return unused;
}

void trace_ready_setup(void)
{
	running = true;
	helper_prepare();
	if (helper_start(&helper, run))
		running = false;
}

bool trace_ready_take(struct trace_chunk *chunk)
{
	/* The oldest, so that those at the file's end are not wanted in the end. */
	if (nready) {
		*chunk = ready[0];
		memmove(ready, ready + 1, --nready * sizeof(*ready));
		return true;
	}
	/* Not fast enough: more in advance. */
	if (wanted && wanted < MOST)
		wanted *= 2;
	return false;
}

bool trace_ready_take_early(struct trace_chunk *chunk)
{
	if (!making.at)
		return false;
	*chunk = making;
	making.at = NULL;
	return true;
}

void trace_ready_done(struct trace_chunk *chunk)
{
	if (running && ndone < MOST)
		done[ndone++] = *chunk;
	else
		trace_room_drop(chunk);
	chunk->at = NULL;
	trace_ready_want();
}

void trace_ready_want(void)
{
	nfull++;
	if (!wanted)
		wanted = FIRST;
	if (running && asleep) {
		asleep = false;
		helper_wake(&helper);
	}
}

void trace_ready_finish(void)
{
	struct trace_lock saved;

	helper_end(&helper);
	trace_lock(&saved);
	running = false;
	/* Those at the file's end are given back, each after the one behind it. */
	for (uint32_t left = nready; left--;)
		for (uint32_t i = 0; i < nready; i++)
			if (ready[i].at && (!left || ready[i].index + 1 == trace_file_chunks()))
				trace_room_give(&ready[i]);
	unmap(done, ndone);
	nready = ndone = 0;
	trace_unlock(&saved);
}

void trace_ready_forked(void)
{
	for (uint32_t i = 0; i < nready; i++)
		trace_room_drop(&ready[i]);
	for (uint32_t i = 0; i < ndone; i++)
		trace_room_drop(&done[i]);
	if (making.at)
		trace_room_drop(&making);
	nready = ndone = wanted = nfull = 0;
	asleep = false;
	running = false;
	helper_forked(&helper);
}
