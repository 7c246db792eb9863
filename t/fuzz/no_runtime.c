/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For parts of the core that are built by themselves: no slot is a runtime's or a table's, nothing is
 * said of others' types, and no other domain is on.
 */
#include "hooks/domain.h"
#include "hooks/export_slot.h"
#include "hooks/provider_types.h"
#include "hooks/runtime_flags.h"
#include "hooks/runtime_row.h"

const struct runtime_row runtime_rows[1];
struct runtime_slots runtime_slots;

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

const char *export_slot_refused(void)
{
	return "d4082055";
}

void provider_types_describe(uint32_t slot, const char *name)
{
	(void)slot;
	(void)name;
}

const struct prototype *provider_types_of(const struct cuaudit_function *function)
{
	(void)function;
	return NULL;
}

const char *provider_types_value_name(const struct cuaudit_function *function, int32_t value)
{
	(void)function;
	(void)value;
	return NULL;
}

bool provider_types_value(const char *name, int32_t *value)
{
	(void)name;
	(void)value;
	return false;
}

const char *provider_types_near(const char *name)
{
	(void)name;
	return NULL;
}

bool provider_types_result(const struct cuaudit_function *function, struct print_param *result)
{
	(void)function;
	(void)result;
	return false;
}

uint32_t provider_types_words(const struct cuaudit_function *function, uint8_t words[PRINT_TYPED])
{
	(void)function;
	(void)words;
	return 0;
}

struct print_param provider_types_param(const struct cuaudit_function *function, uint32_t index, uint8_t word)
{
	(void)function;
	(void)index;
	(void)word;
	return (struct print_param){ .name = "" };
}
