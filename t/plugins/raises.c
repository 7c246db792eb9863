/* SPDX-License-Identifier: Apache-2.0 */
/* Raises the signals of faults once its plug-ins have started. */
#include <dlfcn.h>
#include <signal.h>

int main(void)
{
	static const int signals[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV };
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);

	((int (*)(unsigned int))dlsym(driver, "cuInit"))(0);
	for (int i = 0; i < 4; i++)
		raise(signals[i]);
	return 0;
}
