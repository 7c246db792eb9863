/* SPDX-License-Identifier: Apache-2.0 */
/* Calls each function of comm.h once, with addresses that are the same in each run. */
#include "comm.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* A string that ends where memory does, without a NUL. */
static const char *at_the_end(void)
{
	char *pages = mmap((void *)0x7000000, 8192, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	munmap(pages + 4096, 4096);
	return memcpy(pages + 4093, "abc", 3);
}

int main(void)
{
	unsigned int values[4] = { 1, 2, 3, 4 };
	char text[200];
	comm_id id = { .internal = { [127] = 7 } };
	comm_t comm = (comm_t)0xc0;
	int bad = 0;

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	bad += commReduce((void *)0x1000, NULL, 4096, commFloat, commSum, comm, NULL, commDouble) != commOk;
	bad += commInit(NULL, 2, id, 1, NULL) != commOk;
	bad += strcmp(commError(commLost), "lost") != 0;
	bad += commLog(comm, "rank %d", 3) != commOk;
	bad += commLog(comm, NULL) != commLost;
	bad += commLog(comm, (const char *)0x10) != commOk;
	bad += commLog(comm, at_the_end()) != commOk;
	bad += commLog(comm, text) != commOk;
	bad += commWatch(comm, NULL, (void (*)(void *))0x40, PLAIN_ON) != commOk;
	bad += commNumbers(-1, 255, -2, 4000000000u, -5, 1, values) != commOk;
	bad += commScale(1.5f, -0.25, "s", 9) != commOk;
	bad += commMean(2.5, 0.5f, 2, NULL) != 1.5;
	bad += commHalf(-1.0f) != -0.5f;
	bad += !commIs(1);
	bad += commIs(0);
	bad += commSame(NULL) != NULL;
	bad += commSame((void *)0x123456789abc) != (void *)0x123456789abc;
	bad += strncmp(commText(1), "a ", 2) != 0;
	bad += commText(0) != NULL;
	bad += commText(2) != (char *)0x10;
	bad += commSmall(-3) != -3;
	bad += commWide(-5000000000) != -5000000000;
	bad += commPair(1, (pair){ 1, 2 }, 3) != commOk;
	bad += commId(5).internal[0] != 5;
	commEnd();
	bad += commVersion() != 22106;
	bad += commMany(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17) != commOk;
	bad += commReduce((void *)0x1000, NULL, 0, (comm_type)99, commOpLast, comm, NULL, commInt8) != commBad;
	printf("%d bad\n", bad);
	return 0;
}
