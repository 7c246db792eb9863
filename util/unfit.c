/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions around which no hook can be. */
#include "util/unfit.h"

/*
 * A call that returns twice, of one whose frame would be gone by then, those that pass more than the ABI
 * says, and what the loader calls itself, also where it cannot load the core: amid relocating.
 */
static const char *const names[] = {
	"__cyg_profile_func_enter", "__cyg_profile_func_exit", "__fentry__", "__morestack",
	"__sigsetjmp", "__tls_get_addr", "__vfork", "_mcount", "_setjmp", "calloc", "free",
	"getcontext", "malloc", "mcount", "realloc", "savectx", "setjmp", "sigsetjmp",
	"swapcontext", "vfork",
};

/* How many of length bytes text begins with. */
static size_t common(const char *text, const char *name, size_t length)
{
	size_t i = 0;

	while (i < length && text[i] && text[i] == name[i])
		i++;
	return i;
}

bool unfit_name(const char *name, size_t length)
{
	static const char vectors[] = "_ZGV";

	/* Functions of vectors, as a compiler calls them, have arguments where no others have. */
	if (common(vectors, name, length) == sizeof(vectors) - 1)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (common(names[i], name, length) == length && !names[i][length])
			return true;
	return false;
}
