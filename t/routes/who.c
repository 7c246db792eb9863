/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose bindings are routed. Arguments: "main" or "-", whether the program
 * is; "library" or "-", whether libasker.so is.
 */
#include <dlfcn.h>

#include "t/fake/driver.h"
#include "t/routes/asker.h"
#include "t/routes/checks.h"

static void expect(void *got, bool routed, const char *what)
{
	void *own = cuaudit_fake_address("cuInit");

	is_int(got != own, routed && observe_routed(), "%s: %s", what,
	       routed ? "routed" : "the driver's own");
}

int main(int argc, char **argv)
{
	bool program, library, everybody = observe_symtab_interposed();
	void *driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY), *answer = NULL;
	int mine = 0, its = 0;

	if (argc < 3)
		return 2;
	program = !strcmp(argv[1], "main");
	library = !strcmp(argv[2], "library");

	if (program)
		observe_start(driver);
	expect((void *)cuInit, program || everybody, "the program's &f");
	expect(dlsym(driver, "cuInit"), program, "the program's dlsym");
	cuGetProcAddress_v2("cuInit", &answer, 13000, 0, NULL);
	expect(answer, program, "the program's cuGetProcAddress");
	expect(asker_by_dlsym(driver), library, "the library's dlsym");
	expect(asker_by(cuGetProcAddress_v2), library && (program || everybody),
	       "the library's cuGetProcAddress");
	if (!program && !library)
		is_int(observe_loaded(), everybody, "no core but to decide");
	if (everybody)
		observe_attach();

	cuInit(0);
	mine = program;
	asker_call((int (*)(unsigned int))asker_by_dlsym(driver));
	its = library;
	is_int(cuaudit_fake_calls("cuInit"), 2, "both calls arrived");
	if (everybody || (program && observe_routed())) {
		is_int(observe_enters("cuInit"), mine + its, "the routed ones were seen");
		is_int(observe_from("cuInit", NULL), mine, "the program's");
		is_int(observe_from("cuInit", "libasker.so"), its, "the library's");
	}
	return done_testing();
}
