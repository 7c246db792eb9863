/* SPDX-License-Identifier: Apache-2.0 */
/* Whose functions hooks are called for: CUAUDIT_DOMAINS. */
#include "hooks/domain.h"

#include <string.h>

#include "hooks/core_link.h"

bool domain_is_on(enum domain domain)
{
	static const char *const names[] = {
#define DOMAIN(name, word) [DOMAIN_##name] = #word,
#include <internal/domains.def>
#undef DOMAIN
	};
	const char *list = cuaudit_core_link->environment.domains;
	size_t length = strlen(names[domain]);

	for (;;) {
		if (!strncmp(list, names[domain], length) && (!list[length] || list[length] == ','))
			return true;
		list = strchr(list, ',');
		if (!list)
			return false;
		list++;
	}
}
