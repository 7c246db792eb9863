/* SPDX-License-Identifier: Apache-2.0 */
/* The stress test's calls, of the fake driver under the auditor. */
#include "t/fake/driver.h"
#include "t/plugins/stress.h"

const char *const stress_names[] = { "cuInit", "cuStreamQuery", "cuLaunchCooperativeKernel", "cu*" };

static const char *const counted[] = { "cuInit", "cuStreamQuery", "cuLaunchCooperativeKernel" };
static int before[STRESS_FUNCTIONS];

static void nothing(void *data)
{
	(void)data;
}

void stress_start(void)
{
	cuInit(0);
	for (int i = 0; i < STRESS_FUNCTIONS; i++)
		before[i] = cuaudit_fake_calls(counted[i]);
}

int stress_call(int function)
{
	switch (function) {
	case 0:
		return cuInit(0);
	case 1:
		return cuStreamQuery(&before) != 600;
	default:
		return cuLaunchCooperativeKernel(nothing, 2, 3, 4, 5, 6, 7, 8, (void *)9, &before);
	}
}

long stress_arrived(int function)
{
	return (unsigned int)cuaudit_fake_calls(counted[function]) - (unsigned int)before[function];
}
