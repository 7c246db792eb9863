/* SPDX-License-Identifier: Apache-2.0 */
/* The first call of the process comes from a constructor of the program. */
#include <dlfcn.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

static int result = -1;

static void __attribute__((constructor)) begin(void)
{
	result = cuInit(1);
}

int main(void)
{
	is_int(result, 1, "the constructor's call");
	is_int(cuaudit_fake_calls("cuInit"), 1, "arrived");
	is_int(observe_loaded(), observe_routed(), "the core is there");
	observe_attach();
	is_int(cuInit(0), 0, "main's call");
	is_int(cuaudit_fake_calls("cuInit"), 2, "arrived");
	seen("cuInit", 1, NULL);
	bound_by("cuInit", CUAUDIT_ROUTE_PLT, 1);
	return done_testing();
}
