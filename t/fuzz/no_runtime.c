/* SPDX-License-Identifier: Apache-2.0 */
/* For parts of the core that are built by themselves: no slot is a runtime's or a table's, and no other domain is on. */
#include "hooks/domain.h"
#include "hooks/export_slot.h"
#include "hooks/runtime_flags.h"
#include "hooks/runtime_row.h"

bool domain_is_on(enum domain domain)
{
	return domain == DOMAIN_DRIVER;
}

const struct runtime_row *runtime_row_of_slot(uint32_t slot)
{
	(void)slot;
	return NULL;
}

const struct runtime_row *runtime_row_bound(uint32_t slot)
{
	(void)slot;
	return NULL;
}

const struct runtime_row *runtime_row_bind(uint32_t slot, const char *name)
{
	(void)slot;
	(void)name;
	return NULL;
}

const struct layout *runtime_row_layout(uint32_t slot)
{
	(void)slot;
	return NULL;
}

const char *runtime_row_name(const struct runtime_row *row)
{
	(void)row;
	return "";
}

void runtime_row_param(const struct runtime_row *row, uint32_t index, struct cuaudit_param *param)
{
	(void)row;
	(void)index;
	(void)param;
}

void runtime_flags_want(uint32_t callback, bool wanted)
{
	(void)callback;
	(void)wanted;
}

bool export_slot_is(uint32_t slot)
{
	(void)slot;
	return false;
}

const char *export_slot_base(uint32_t slot)
{
	(void)slot;
	return "";
}
