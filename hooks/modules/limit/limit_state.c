/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the limit hook share. */
#include "hooks/modules/limit/limit.h"

struct limit_options limit_options;
_Atomic uint32_t limit_denied[CUAUDIT_SLOTS_MAX];
_Atomic uint64_t limit_lost;
