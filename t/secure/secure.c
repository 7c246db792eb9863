/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the driver, and says whether the kernel started it with AT_SECURE. */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

int cuInit(unsigned int flags);

/* Whether a mapping of the process has the name. */
static int mapped(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	int found = 0;

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, name) != NULL;
	if (maps)
		fclose(maps);
	return found;
}

int main(void)
{
	int result = cuInit(0);

	printf("secure %lu cuInit %d%s\n", getauxval(AT_SECURE), result,
	       mapped("cuaudit") ? " mapped" : "");
	return 0;
}
