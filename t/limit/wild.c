/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wild probe WHEN: prints the functions of the driver that refuse arguments which lead nowhere,
 * without looking behind them. wild call WHEN: calls those its input names, all in one process.
 * WHEN: first, before cuInit; init, after it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int any_fn(long, long, long, long, long, long, long, long, long, long, long, long);

static const char *const names[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) #symbol,
#include <cuaudit/driver_api.def>
#undef CUAPI
};

static void *driver;

static int call(const char *name)
{
	any_fn *function = (any_fn *)dlsym(driver, name);

	return function ? function(16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16) : -1;
}

static void begin(const char *when)
{
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");

	if (!strcmp(when, "init") && init(0))
		_exit(9);
}

static void probe(const char *when)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int status = 0;
		pid_t child = fork();

		if (!child) {
			begin(when);
			_exit(call(names[i]) > 0 ? 7 : 1);
		}
		waitpid(child, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 7)
			puts(names[i]);
	}
}

int main(int argc, char **argv)
{
	char name[80];

	if (argc < 3 || !(driver = dlopen("libcuda.so.1", RTLD_NOW)))
		return 8;
	if (!strcmp(argv[1], "probe")) {
		probe(argv[2]);
		return 0;
	}
	begin(argv[2]);
	while (scanf("%79s", name) == 1)
		if (call(name) < 0)
			return 8;
	puts("all called");
	return 0;
}
