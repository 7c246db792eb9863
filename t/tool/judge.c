/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges damaged copies of a program: PROGRAM COPY SEED COUNT. Prints how many
 * there were of each finding.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "t/fuzz/chance.h"
#include "tools/program.h"

enum { LARGEST = 1 << 20, HEADERS = 1024 };


static unsigned char whole[LARGEST], copy[LARGEST];
static unsigned int seen[FINDINGS];

/* What the tool maps files by, so that a step out of a file is seen. */
void *judge_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int judge_munmap(void *data, size_t size);

void *judge_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *data = malloc(size);

	(void)at, (void)protection, (void)flags;
	return data && pread(fd, data, size, offset) == (ssize_t)size ? data : MAP_FAILED;
}

int judge_munmap(void *data, size_t size)
{
	(void)size;
	free(data);
	return 0;
}

static size_t read_all(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(whole, 1, LARGEST, file) : 0;

	if (file)
		fclose(file);
	return size;
}

static int write_all(const char *path, size_t size)
{
	FILE *file = fopen(path, "wb");
	int failed = !file || fwrite(copy, 1, size, file) != size;

	return (file && fclose(file)) || failed || chmod(path, 0755);
}

/* A few bytes of the headers, some of them all ones, and sometimes the end. */
static size_t damage(size_t size)
{
	memcpy(copy, whole, size);
	for (uint64_t n = chance(8); n; n--)
		copy[chance(HEADERS)] = chance(2) ? 0xff : (unsigned char)chance(256);
	return chance(4) ? size : chance(size);
}

int main(int argc, char **argv)
{
	static struct program program;
	const char *first, *second;
	unsigned long count = argc == 5 ? strtoul(argv[4], NULL, 0) : 0;
	size_t size = argc == 5 ? read_all(argv[1]) : 0;

	if (size < HEADERS)
		return 2;
	for (unsigned long i = 0; i < count; i++) {
		chance_begin(strtoul(argv[3], NULL, 0), i);
		if (write_all(argv[2], damage(size)))
			return 2;
		seen[program_judge(&program, argv[2], &first, &second)]++;
	}
	for (int i = 0; i < FINDINGS; i++)
		if (seen[i])
			printf("%d %u\n", i, seen[i]);
	return 0;
}
