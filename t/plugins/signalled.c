/* SPDX-License-Identifier: Apache-2.0 */
/* Sends itself a signal, or is sent one, while a plug-in starts. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t handled, sender;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	handled++;
	sender = info->si_pid != getpid();
}

static void plain(int number)
{
	handled += number != 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int number = atoi(argv[1]);
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");

	if (argc > 2 && !strcmp(argv[2], "ignored"))
		signal(number, SIG_IGN);
	else if (argc > 2 && !strcmp(argv[2], "once"))
		sigaction(number, &(struct sigaction){ .sa_handler = plain, .sa_flags = SA_RESETHAND }, NULL);
	else if (argc > 2)
		sigaction(number, &action, NULL);
	init(0);
	sigaction(number, NULL, &action);
	if (action.sa_handler == SIG_DFL)
		printf("once ");
	printf("handled %d, from another process %d\n", (int)handled, (int)sender);
	return 0;
}
