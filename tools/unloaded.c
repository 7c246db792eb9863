/* SPDX-License-Identifier: Apache-2.0 */
/* That no process had a library of CUAUDIT_PROVIDERS, or of CUAUDIT_LIBC. */
#include "tools/unloaded.h"

#include <stdlib.h>

#include "tools/tool.h"

enum { SHOWN = 200 };

void unloaded_complain(const char *command)
{
	const char *list = getenv("CUAUDIT_PROVIDERS"), *libc = getenv("CUAUDIT_LIBC");

	if (list && *list)
		tool_complain("CUAUDIT_PROVIDERS: '%.*s': no process of %s called a function of any such "
			      "library; cuaudit doctor says which ones the program is linked with", SHOWN, list,
			      command);
	if (libc && *libc)
		tool_complain("CUAUDIT_LIBC: '%.*s': no process of %s called a memory function of the C library "
			      "in any such library", SHOWN, libc, command);
}
