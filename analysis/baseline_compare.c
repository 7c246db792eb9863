/* SPDX-License-Identifier: Apache-2.0 */
/* One run compared with a lock file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/baseline.h"
#include "analysis/baseline_field.h"
#include "util/sort.h"

struct difference {
	uint32_t line;		/* of a new one: that before which it would be, from 1 */
	const char *key;
	const struct baseline_fact *fact;	/* NULL: it is new */
	const uint64_t *seen;	/* NULL: it is missing */
};

static int by_line(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;

	return ORDER(x->line, y->line) ?: strcmp(x->key, y->key);
}

static bool is_different(const struct baseline_fact *fact, const uint64_t *seen)
{
	uint64_t count = seen ? *seen : 0;

	return !fact || (!fact->any && (count < fact->low || count > fact->high));
}

/* Both are sorted: what both have comes at the same time. */
static size_t find(const struct baseline_lock *lock, const struct baseline_item *facts,
		   const struct baseline_run *run, const struct baseline_item *counts,
		   struct difference *found)
{
	size_t nfacts = lock->facts.count, ncounts = run->counts.count, n = 0;

	for (size_t i = 0, j = 0; i < nfacts || j < ncounts;) {
		int order = i == nfacts ? 1 : j == ncounts ? -1 :
			    strcmp(facts[i].key, counts[j].key);
		struct difference next = { 0 };

		next.key = order <= 0 ? facts[i].key : counts[j].key;
		next.line = i < nfacts ? ((const struct baseline_fact *)facts[i].row)->line :
					 lock->lines + 1;
		if (order <= 0)
			next.fact = facts[i++].row;
		if (order >= 0)
			next.seen = counts[j++].row;
		if (is_different(next.fact, next.seen))
			found[n++] = next;
	}
	return n;
}

/* The fields with spaces between them. */
static void put_key(struct out *out, const char *key)
{
	for (size_t length; *key; key += length + 1) {
		length = strcspn(key, "\t");
		out_text(out, " ");
		out_bytes(out, key, length);
	}
}

static void put(struct out *out, const char *name, const struct difference *difference)
{
	out_printed(out, name, strlen(name));
	out_text(out, ":");
	out_u64(out, difference->line);
	out_text(out, !difference->fact ? ": new:" :
		      !difference->seen ? ": missing:" : ": changed:");
	put_key(out, difference->key);
	out_text(out, ": expected ");
	if (difference->fact)
		baseline_count(out, difference->fact);
	else
		out_text(out, "none");
	out_text(out, ", seen ");
	if (difference->seen)
		out_u64(out, *difference->seen);
	else
		out_text(out, "none");
	out_text(out, "\n");
}

ssize_t baseline_compare(const struct baseline_lock *lock, const struct baseline_run *run,
			 const char *name, struct out *out)
{
	struct baseline_item *facts = baseline_sorted(&lock->facts);
	struct baseline_item *counts = baseline_sorted(&run->counts);
	size_t most = lock->facts.count + run->counts.count + 1;
	struct difference *found = calloc(most, sizeof(*found));
	ssize_t result = -ENOMEM;

	if (facts && counts && found) {
		size_t n = find(lock, facts, run, counts, found);

		qsort(found, n, sizeof(*found), by_line);
		for (size_t i = 0; i < n; i++)
			put(out, name, &found[i]);
		result = out->error ?: (ssize_t)n;
	}
	free(found);
	free(counts);
	free(facts);
	return result;
}
