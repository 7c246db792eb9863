/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of what was not intercepted, as reports name them. */
#include "analysis/escape_kind.h"

#include <cuaudit/coverage.h>
#include <stddef.h>

static const char *const keys[CUAUDIT_ESCAPES] = {
#define ESCAPE(kind, key, reason) [CUAUDIT_ESCAPE_##kind] = key,
#include <cuaudit/escapes.def>
#undef ESCAPE
};

static const char *const reasons[CUAUDIT_ESCAPES] = {
#define ESCAPE(kind, key, reason) [CUAUDIT_ESCAPE_##kind] = ", " reason,
#include <cuaudit/escapes.def>
#undef ESCAPE
};

const char *escape_key(uint32_t kind)
{
	return kind < CUAUDIT_ESCAPES ? keys[kind] : NULL;
}

const char *escape_reason(uint32_t kind)
{
	return kind < CUAUDIT_ESCAPES && kind != CUAUDIT_ESCAPE_PROCADDR ? reasons[kind] : "";
}
