/* SPDX-License-Identifier: Apache-2.0 */
/* The table that the auditor and the core share, as the core finds it. */
#include "hooks/core_link.h"

struct link_table *cuaudit_core_link;
