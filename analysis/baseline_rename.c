/* SPDX-License-Identifier: Apache-2.0 */
/* A library or program of the lock file that has another name in a run. */
#include "analysis/baseline_rename.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { IN_LOCK = 1, IN_RUN = 2 };

/* The second field of a key, with the tab behind it. */
static const char *library_of(const char *key, size_t *length)
{
	const char *library = strchr(key, '\t') + 1;

	*length = (size_t)(strchr(library, '\t') + 1 - library);
	return library;
}

static int add_libraries(struct table *libraries, const struct table *facts, uint8_t side)
{
	for (uint32_t i = 0; i < facts->count; i++) {
		size_t length;
		const char *library = library_of(facts->keys[i].bytes, &length);
		uint32_t number = table_find(libraries, library, length);

		if (number == TABLE_NONE)
			return -ENOMEM;
		*(uint8_t *)table_row(libraries, number) |= side;
	}
	return 0;
}

/* Those of one side alone, if there is one of each. */
static int find_names(const struct table *libraries, struct baseline_rename *rename)
{
	size_t lock = 0, run = 0;
	const struct table_key *was = NULL, *is = NULL;

	for (uint32_t i = 0; i < libraries->count; i++) {
		uint8_t sides = *(uint8_t *)table_row(libraries, i);

		if (sides == IN_LOCK && !lock++)
			was = &libraries->keys[i];
		if (sides == IN_RUN && !run++)
			is = &libraries->keys[i];
	}
	if (lock != 1 || run != 1)
		return 0;
	rename->was = strndup(was->bytes, was->size);
	rename->is = strndup(is->bytes, is->size);
	return rename->was && rename->is ? 0 : -ENOMEM;
}

static bool is_of(const char *key, const char *library)
{
	size_t length;
	const char *its = library_of(key, &length);

	return !strncmp(its, library, strlen(library));
}

static int add_count(struct baseline_rename *rename, struct out *key, const char *its, uint64_t count)
{
	size_t length;
	const char *library = library_of(its, &length);
	uint32_t number;

	key->used = 0;
	out_bytes(key, its, (size_t)(library - its));
	out_text(key, is_of(its, rename->is) ? rename->was : library);
	if (is_of(its, rename->is))
		out_text(key, library + length);
	out_bytes(key, "", 1);
	number = key->error ? TABLE_NONE : table_text(&rename->run.counts, key->data);
	if (number == TABLE_NONE)
		return -ENOMEM;
	*(uint64_t *)table_row(&rename->run.counts, number) = count;
	return 0;
}

static int rename_run(const struct baseline_run *run, struct baseline_rename *rename)
{
	struct out key = { 0 };
	int error = 0;

	rename->run = BASELINE_RUN;
	for (uint32_t i = 0; i < run->counts.count && !error; i++)
		error = add_count(rename, &key, run->counts.keys[i].bytes,
				  *(const uint64_t *)table_row(&run->counts, i));
	out_free(&key);
	return error;
}

/* Whether most facts of the library are in the run by its other name. */
static int is_renamed(const struct baseline_lock *lock, struct baseline_rename *rename, bool *is)
{
	struct baseline_item *counts = baseline_sorted(&rename->run.counts);
	size_t ncounts = rename->run.counts.count, all = 0, both = 0, at = 0;
	struct baseline_item *facts = baseline_sorted(&lock->facts);
	int error = counts && facts ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < lock->facts.count; i++) {
		uint32_t line = ((const struct baseline_fact *)facts[i].row)->line;

		if (!is_of(facts[i].key, rename->was))
			continue;
		while (at < ncounts && strcmp(counts[at].key, facts[i].key) < 0)
			at++;
		both += at < ncounts && !strcmp(counts[at].key, facts[i].key);
		if (!all++ || line < rename->line)
			rename->line = line;
	}
	*is = 2 * both > all;
	free(facts);
	free(counts);
	return error;
}

int baseline_rename_find(const struct baseline_lock *lock, const struct baseline_run *run,
			 struct baseline_rename *rename)
{
	struct table libraries = { .row = sizeof(uint8_t) };
	bool is = false;
	int error = add_libraries(&libraries, &lock->facts, IN_LOCK) ?:
		    add_libraries(&libraries, &run->counts, IN_RUN) ?:
		    find_names(&libraries, rename);

	table_free(&libraries);
	if (!error && rename->was)
		error = rename_run(run, rename) ?: is_renamed(lock, rename, &is);
	if (!is)
		baseline_rename_free(rename);
	return error;
}

void baseline_rename_free(struct baseline_rename *rename)
{
	free(rename->was);
	free(rename->is);
	if (rename->run.counts.row)
		baseline_run_free(&rename->run);
	*rename = (struct baseline_rename){ .line = 0 };
}
