/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen threads make the first call of the process at once. */
#include <pthread.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

enum { THREADS = 16 };

static pthread_barrier_t barrier;

static void *race(void *data)
{
	unsigned long long pointer = 0;
	int results;

	pthread_barrier_wait(&barrier);
	results = cuInit(0);
	results += cuMemAlloc_v2(&pointer, (size_t)data);
	return (void *)(long)(results || pointer != (unsigned long)data);
}

static int count_cores(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	int count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, "r-xp") && strstr(line, "/cuaudit-core.so");
	if (maps)
		fclose(maps);
	return count;
}

int main(void)
{
	pthread_t threads[THREADS];
	long failed = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, race, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		failed += (long)result;
	}
	is_int(failed, 0, "every thread got its own answer");
	is_int(cuaudit_fake_calls("cuInit"), THREADS, "every call arrived once");
	is_int(cuaudit_fake_calls("cuMemAlloc_v2"), THREADS, "and the next ones");
	is_int(count_cores(), observe_routed(), "one core");
	observe_attach();
	cuInit(0);
	seen("cuInit", 1, NULL);
	return done_testing();
}
