/* SPDX-License-Identifier: Apache-2.0 */
/* Calls before and behind a fork. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/fake/driver.h"

int main(void)
{
	int status, result = cuInit(0);
	pid_t pid = fork();

	if (!pid)
		exit(cuInit(0));
	return waitpid(pid, &status, 0) != pid || status || result;
}
