/* SPDX-License-Identifier: Apache-2.0 */
/* The table that the auditor shares with the core. */
#include "audit/object.h"

struct link_table object_table;
