/* SPDX-License-Identifier: Apache-2.0 */
/* Good trace files, damaged at random. */
#ifndef T_FUZZ_MUTATE_H
#define T_FUZZ_MUTATE_H

#include <cuaudit/trace.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "t/fuzz/fuzz.h"

enum { FILES = 8, SIZE_MAX_ = 1 << 20, LEAST = 4096 };

static struct {
	unsigned char *bytes;
	size_t size;
} files[FILES];
static int nfiles;
static unsigned char work[SIZE_MAX_];

/* The files of the command line, behind SEED FIRST COUNT. */
static void mutate_read(int argc, char **argv)
{
	for (int i = 4; i < argc && nfiles < FILES; i++, nfiles++) {
		int file = open(argv[i], O_RDONLY);
		ssize_t size;

		files[nfiles].bytes = malloc(SIZE_MAX_);
		size = read(file, files[nfiles].bytes, SIZE_MAX_);
		fuzz_check(size > LEAST && size < SIZE_MAX_);
		files[nfiles].size = (size_t)size;
		close(file);
	}
	fuzz_check(nfiles);
}

static uint64_t interesting(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 7, 8, 255, 256, 4096, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
		0xffffffff, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, UINT64_MAX - 7
	};

	return chance(4) ? values[chance(sizeof(values) / sizeof(values[0]))] : chance_word();
}

static void put(size_t at, size_t size, size_t width, uint64_t value)
{
	if (at + width <= size)
		memcpy(work + at, &value, width);
}

/* Somewhere: in the header, the descriptions, a chunk's header or among calls. */
static size_t somewhere(size_t size)
{
	size_t chunk = ((const struct cuaudit_trace_header *)files[0].bytes)->chunk;

	switch (chance(4)) {
	case 0:
		return chance(136);
	case 1:
		return CUAUDIT_TRACE_HEADER + chance(chunk - CUAUDIT_TRACE_HEADER);
	case 2:
		return chunk * (1 + chance(3)) + chance(CUAUDIT_TRACE_CHUNK_HEADER + 512);
	default:
		return chance(size);
	}
}

static size_t mutate(size_t size)
{
	size_t at = somewhere(size), other = chance(size), length = 1 + chance(512);

	if (at >= size)
		at = chance(size);
	switch (chance(8)) {
	case 0:
		work[at] ^= (unsigned char)(1 << chance(8));
		break;
	case 1:
	case 2:
		put(at & ~(size_t)7, size, 8, interesting());
		break;
	case 3:
	case 4:
		put(at & ~(size_t)3, size, 4, interesting());
		break;
	case 5:
		put(at & ~(size_t)1, size, 2, interesting());
		break;
	case 6:
		if (at + length <= size && other + length <= size)
			memmove(work + at, work + other, length);
		break;
	default:
		/* Cut short, or zeroes from here on. */
		if (chance(2))
			return at ? at : 1;
		memset(work + at, 0, chance(size - at) + 1);
	}
	return size;
}

/* The case of that number, in work; its size. The first ones are whole. */
static size_t mutate_case(uint64_t number)
{
	int file = (int)(number % (uint64_t)nfiles);
	size_t size = files[file].size;

	memcpy(work, files[file].bytes, size);
	for (uint64_t left = number < (uint64_t)nfiles ? 0 : 1 + chance(6); left; left--)
		size = mutate(size);
	return size;
}

#endif
