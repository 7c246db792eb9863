/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long functions, files and lines of a thousand addresses take to find, as a report by
 * caller does: WHAT FILE BUILD-ID START SIZE, the last three in hexadecimal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/elf_symbols.h"
#include "analysis/symbols.h"
#include "t/bench/times.h"
#include "util/hash_table.h"

enum { ROUNDS = 7, ADDRESSES = 1000 };

struct found {
	unsigned int named, with_lines;
};

/* Milliseconds of the addresses `first`, first + 2 and so on, of so many parts of the code. */
static double find(struct symbols *symbols, uint32_t library, uint64_t start, uint64_t size,
		   uint32_t first, struct found *found)
{
	double began = now();

	*found = (struct found){ 0, 0 };
	for (uint32_t i = first; i < 2 * ADDRESSES; i += 2) {
		struct symbol_stack stack;

		if (symbols_find(symbols, library, start + size / (2 * ADDRESSES) * i, &stack))
			exit(1);
		found->named += stack.count != 0;
		found->with_lines += stack.count && stack.at->line;
	}
	return (now() - began) / 1e6;
}

int main(int argc, char **argv)
{
	uint8_t id[ELF_ID] = { 0 };
	double first[ROUNDS], further[ROUNDS];
	struct found found = { 0, 0 }, more;
	uint32_t size = 0;

	if (argc != 6)
		return 2;
	for (const char *hex = argv[3]; size < ELF_ID && sscanf(hex, "%2hhx", &id[size]) == 1; hex += 2)
		size++;
	for (int i = 0; i < ROUNDS; i++) {
		struct symbols *symbols = symbols_new(DEMANGLE_NO, NULL, NULL);
		uint32_t library = symbols ? symbols_library(symbols, argv[2], id, size) : TABLE_NONE;
		uint64_t start = strtoull(argv[4], NULL, 16), bytes = strtoull(argv[5], NULL, 16);

		if (library == TABLE_NONE)
			return 1;
		first[i] = find(symbols, library, start, bytes, 0, &found);
		further[i] = find(symbols, library, start, bytes, 1, &more);
		symbols_free(symbols);
	}
	printf("{\"measure\":\"symbols of %d addresses, %s\",\"ms\":%.2f,\"further_ms\":%.2f,"
	       "\"named\":%u,\"with_lines\":%u}\n",
	       ADDRESSES, argv[1], median(first, ROUNDS), median(further, ROUNDS), found.named,
	       found.with_lines);
	return !found.named;
}
