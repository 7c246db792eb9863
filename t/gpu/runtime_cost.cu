/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the nanoseconds of two calls of the runtime: the least of several rounds, 4,000 if no number is given. */
#include <cstdio>
#include <cstdlib>
#include <ctime>

/* Rounds so short that some are not interrupted on a busy machine. */
enum { CALLS = 1000, QUERIES = 100 };

static double now()
{
	timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 4000;
	double device = 1e9, query = 1e9;
	cudaEvent_t event;
	int which;

	if (cudaEventCreate(&event) || cudaEventRecord(event, 0) || cudaEventSynchronize(event))
		return 1;
	for (int round = 0; round < rounds; round++) {
		double begin = now(), middle, end;

		for (int i = 0; i < CALLS; i++)
			cudaGetDevice(&which);
		middle = now();
		for (int i = 0; i < QUERIES; i++)
			cudaEventQuery(event);
		end = now();
		device = (middle - begin) / CALLS < device ? (middle - begin) / CALLS : device;
		query = (end - middle) / QUERIES < query ? (end - middle) / QUERIES : query;
	}
	printf("%.1f %.1f\n", device, query);
	return 0;
}
