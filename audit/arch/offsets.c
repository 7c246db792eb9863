/* SPDX-License-Identifier: Apache-2.0 */
/* What the auditor's assembly has to know of C. */
#include "arch.h"
#include <internal/link.h>
#include <internal/offsets.h>

static __attribute__((used)) void offsets(void)
{
	VALUE(STUBS, LINK_SLOTS);
	VALUE(STUB_SIZE, ARCH_STUB_SIZE);
	OFFSET(TABLE_WIDE_VECTORS, struct link_table, wide_vectors);
}
