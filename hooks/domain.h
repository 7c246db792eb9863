/* SPDX-License-Identifier: Apache-2.0 */
/* Whose functions hooks are called for: CUAUDIT_DOMAINS. */
#ifndef HOOKS_DOMAIN_H
#define HOOKS_DOMAIN_H

#include <stdbool.h>

enum domain { DOMAIN_DRIVER, DOMAIN_LIBC, DOMAIN_RUNTIME, DOMAIN_TABLES };

/* Context: call. */
bool domain_is_on(enum domain domain);

#endif
