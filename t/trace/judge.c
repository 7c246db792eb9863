/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a conversion to csv: how many calls, and which were never made. */
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void)
{
	unsigned long long calls = 0, wrong = 0, now = (unsigned long long)time(NULL);
	/* Of each thread, by what a call's correlation id is more than twice its counter. */
	static unsigned long long more[16], last[16];
	static char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		unsigned long long start = 0, took = 0, address = 0, count = 0, id = 0;
		char function[64] = "", *at = strchr(line, '"');
		unsigned int byte = 0, thread = 0;
		int good = 0;

		if (sscanf(line, "%*[^,],%*u,,%u,%*u,%*[^,],%llu,%llu,%llu,%*u,%63[^,],", &thread,
			   &start, &took, &id, function) != 5)
			continue;
		thread %= 16;
		calls++;
		if (at && !strcmp(function, "cuMemsetD8_v2"))
			good = sscanf(at, "\"dstDevice = 0x%llx, uc = %u, N = %llu\"", &address, &byte,
				      &count) == 3 &&
			       address + count == 4294967295 && byte == (address & 255) &&
			       (!more[thread] || more[thread] == id - 2 * address) &&
			       last[thread] < address;
		else if (at && !strcmp(function, "cuMemAlloc_v2"))
			good = sscanf(at, "\"dptr = [0x123456789abc], bytesize = %llu\"", &count) == 1 &&
			       (count == 1 || count == 2);
		else
			good = !strcmp(function, "cuInit");
		if (address) {
			more[thread] = id - 2 * address;
			last[thread] = address;
		}
		start /= 1000000000;
		if (good && start + 3600 > now && start < now + 3600 && took < 3600000000000)
			continue;
		if (!wrong++)
			printf("wrong: %s", line);
	}
	printf("%llu calls, %llu wrong\n", calls, wrong);
	return 0;
}
