/* SPDX-License-Identifier: Apache-2.0 */
/* One run compared with a lock file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/baseline.h"
#include "analysis/baseline_field.h"
#include "analysis/baseline_rename.h"
#include "analysis/baseline_route.h"
#include "util/sort.h"

/* Of a fact that both have, or one of them. */
struct pair {
	uint32_t line;
	const char *key;
	const struct baseline_fact *fact;	/* NULL: it is new */
	const uint64_t *seen;	/* NULL: it is missing */
	const char *renamed;	/* key is no fact but the name of a library, this is its new one */
};

static int by_line(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return ORDER(x->line, y->line) ?: strcmp(x->key, y->key);
}

static bool is_different(const struct pair *pair, const struct baseline_lock *lock,
			 const struct baseline_run *run)
{
	const struct baseline_fact *fact = pair->fact;
	uint64_t count = pair->seen ? *pair->seen : 0;

	/* Of a function that was not called no route is known. Whether it is to be, other lines say, if there are any. */
	if (!pair->seen && baseline_is_route(pair->key) && baseline_has_calls(lock, pair->key) &&
	    !baseline_has_other_route(&run->counts, pair->key))
		return false;
	return !fact || (!fact->any && (count < fact->low || count > fact->high));
}

/* Both are sorted: what both have comes at the same time. */
static size_t find(const struct baseline_lock *lock, const struct baseline_item *facts,
		   const struct baseline_run *run, const struct baseline_item *counts,
		   struct pair *found)
{
	size_t nfacts = lock->facts.count, ncounts = run->counts.count, n = 0;

	for (size_t i = 0, j = 0; i < nfacts || j < ncounts;) {
		int order = i == nfacts ? 1 : j == ncounts ? -1 :
			    strcmp(facts[i].key, counts[j].key);
		struct pair next = { 0 };

		next.key = order <= 0 ? facts[i].key : counts[j].key;
		next.line = i < nfacts ? ((const struct baseline_fact *)facts[i].row)->line :
					 lock->lines + 1;
		if (order <= 0)
			next.fact = facts[i++].row;
		if (order >= 0)
			next.seen = counts[j++].row;
		if (is_different(&next, lock, run))
			found[n++] = next;
	}
	return n;
}

/* The fields with spaces between them. */
static void put_fields(struct out *out, const char *key)
{
	for (size_t length; *key; key += length + 1) {
		length = strcspn(key, "\t");
		out_bytes(out, key, length);
		if (key[length + 1])
			out_text(out, " ");
	}
}

static void put_expected(struct out *out, const struct pair *pair)
{
	if (pair->renamed)
		put_fields(out, pair->key);
	else if (pair->fact)
		baseline_count(out, pair->fact);
	else
		out_text(out, "none");
}

static void put_seen(struct out *out, const struct pair *pair)
{
	if (pair->renamed)
		put_fields(out, pair->renamed);
	else if (pair->seen)
		out_u64(out, *pair->seen);
	else
		out_text(out, "none");
}

static const char *kind_of(const struct pair *pair)
{
	return pair->renamed ? "renamed" : !pair->fact ? "new" : !pair->seen ? "missing" : "changed";
}

/* Its texts are one block of memory. */
static int describe(struct baseline_difference *difference, const struct pair *pair)
{
	struct out out = { 0 };
	size_t expected, seen;

	put_fields(&out, pair->key);
	out_bytes(&out, "", 1);
	expected = out.used;
	put_expected(&out, pair);
	out_bytes(&out, "", 1);
	seen = out.used;
	put_seen(&out, pair);
	out_bytes(&out, "", 1);
	if (!out.error) {
		difference->fact = malloc(out.used);
		if (difference->fact)
			memcpy(difference->fact, out.data, out.used);
	}
	out_free(&out);
	if (!difference->fact)
		return -ENOMEM;
	difference->line = pair->line;
	difference->kind = kind_of(pair);
	difference->expected = difference->fact + expected;
	difference->seen = difference->fact + seen;
	return 0;
}

static int describe_all(struct baseline_differences *differences, const struct pair *found,
			size_t count)
{
	differences->items = calloc(count + !count, sizeof(*differences->items));
	if (!differences->items)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++, differences->count++)
		if (describe(&differences->items[i], &found[i]))
			return -ENOMEM;
	return 0;
}

static int compare(const struct baseline_lock *lock, const struct baseline_run *run,
		   const struct baseline_rename *rename, struct baseline_differences *differences)
{
	struct baseline_item *facts = baseline_sorted(&lock->facts);
	struct baseline_item *counts = baseline_sorted(&run->counts);
	struct pair *found = calloc(lock->facts.count + run->counts.count + 1, sizeof(*found));
	int error = -ENOMEM;

	if (facts && counts && found) {
		size_t n = find(lock, facts, run, counts, found);

		/* There is room: a fact that both have is not found twice. */
		if (rename->was)
			found[n++] = (struct pair){ .line = rename->line, .key = rename->was,
						    .renamed = rename->is };
		qsort(found, n, sizeof(*found), by_line);
		error = describe_all(differences, found, n);
	}
	free(found);
	free(counts);
	free(facts);
	return error;
}

int baseline_compare(const struct baseline_lock *lock, const struct baseline_run *run,
		     struct baseline_differences *differences)
{
	struct baseline_rename rename = { .line = 0 };
	int error = baseline_rename_find(lock, run, &rename);

	*differences = (struct baseline_differences){ NULL, 0 };
	if (!error)
		error = compare(lock, rename.was ? &rename.run : run, &rename, differences);
	baseline_rename_free(&rename);
	return error;
}

void baseline_differences_free(struct baseline_differences *differences)
{
	for (size_t i = 0; i < differences->count; i++)
		free(differences->items[i].fact);
	free(differences->items);
	*differences = (struct baseline_differences){ NULL, 0 };
}
