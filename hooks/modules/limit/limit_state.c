/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the limit hook share. */
#include "hooks/modules/limit/limit.h"
#include "hooks/modules/limit/limit_lease.h"

struct limit_options limit_options;
_Atomic uint32_t limit_denied[CUAUDIT_SLOTS_MAX];
_Atomic uint64_t limit_lost;
struct lease_options lease_options;
struct lease leases[LEASE_ORDINALS];
_Atomic bool lease_beyond;
