/* SPDX-License-Identifier: Apache-2.0 */
/* The %-fields of CUAUDIT_OUTPUT. */
#include "util/template.h"

#include <stddef.h>

const char *template_fault(const char *template)
{
	static const char fields[] = "phert%";

	for (; *template; template++) {
		const char *known = fields;

		if (*template != '%')
			continue;
		template++;
		while (*known && *known != *template)
			known++;
		if (!*known)
			return template - 1;
	}
	return NULL;
}

bool template_is_directory(const char *template)
{
	const char *last = template;

	for (const char *at = template; *at; at++)
		if (*at == '/')
			last = at + 1;
	for (int dots = 0; dots < 2 && *last == '.'; dots++)
		last++;
	return last > template && !*last;
}
