/* SPDX-License-Identifier: Apache-2.0 */
/* Whose functions hooks are called for: CUAUDIT_DOMAINS. */
#include "hooks/domain.h"

#include "hooks/core_link.h"
#include "util/words.h"

bool domain_is_on(enum domain domain)
{
	static const char *const names[] = {
#define DOMAIN(name, word) [DOMAIN_##name] = #word,
#include <internal/domains.def>
#undef DOMAIN
	};

	return words_have(cuaudit_core_link->environment.domains, names[domain]);
}
