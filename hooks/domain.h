/* SPDX-License-Identifier: Apache-2.0 */
/* Whose functions hooks are called for: CUAUDIT_DOMAINS. */
#ifndef HOOKS_DOMAIN_H
#define HOOKS_DOMAIN_H

#include <stdbool.h>

enum domain {
#define DOMAIN(name, word) DOMAIN_##name,
#include <internal/domains.def>
#undef DOMAIN
};

/* Context: call. */
bool domain_is_on(enum domain domain);

#endif
