/* SPDX-License-Identifier: Apache-2.0 */
/* What calls were given, remembered: most are given what one before them was. */
#include "export/sqlite/sqlite_lists.h"

#include <string.h>

_Static_assert(sizeof(struct sqlite_list) == 256, "four lines of the cache");

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t hash_of(uint32_t function, const struct trace_call *call)
{
	uint64_t hash = mix((uint64_t)function << 32 | (uint32_t)call->result,
			    (uint64_t)call->status << 32 | call->size), word = 0;
	uint32_t at = 0;

	for (; call->size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, call->arguments + at, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	memcpy(&word, call->arguments + at, call->size - at);
	return mix(hash, word);
}

static bool same(const struct sqlite_list *list, uint64_t hash, uint32_t function,
		 const struct trace_call *call)
{
	return list->hash == hash && list->function == function && list->result == call->result &&
	       list->status == call->status && list->size == call->size &&
	       !memcmp(list->bytes, call->arguments, call->size);
}

void sqlite_lists_clear(struct sqlite_lists *lists)
{
	for (uint32_t i = 0; i < SQLITE_LISTS; i++)
		lists->all[i].function = TRACE_NONE;
}

struct sqlite_list *sqlite_lists_find(struct sqlite_lists *lists, uint32_t function,
				      const struct trace_call *call, bool *known)
{
	uint64_t hash;
	struct sqlite_list *set, *list;

	*known = false;
	if (call->size > sizeof(list->bytes))
		return NULL;
	hash = hash_of(function, call);
	set = &lists->all[hash % (SQLITE_LISTS / SQLITE_LIST_WAYS) * SQLITE_LIST_WAYS];
	for (uint32_t i = 0; i < SQLITE_LIST_WAYS; i++) {
		*known = same(&set[i], hash, function, call);
		if (*known)
			return &set[i];
	}
	list = &set[lists->victim++ % SQLITE_LIST_WAYS];
	*list = (struct sqlite_list){
		.hash = hash,
		.function = function,
		.result = call->result,
		.status = call->status,
		.size = (uint16_t)call->size,
	};
	memcpy(list->bytes, call->arguments, call->size);
	return list;
}
