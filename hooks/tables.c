/* SPDX-License-Identifier: Apache-2.0 */
/* Observes which of the driver's export tables are handed out, see export_table.h and runtime_table.h. */
#include "hooks/tables.h"

#include "hooks/coverage.h"
#include "hooks/export_table.h"
#include "hooks/hook.h"
#include "hooks/runtime_table.h"
#include "hooks/safe_read.h"

enum { WHERE, UUID };

/* Some tables begin with their size in bytes, others with a pointer. */
enum { LARGEST = 0x1000 };

static void answered(struct cuaudit_call *call, void *data)
{
	const uint64_t *const *where = (const uint64_t *const *)call->words[WHERE];
	uint64_t size = 0;
	uint8_t uuid[16];

	(void)data;
	/* A driver that refuses the call need not have read the UUID: it may be unmapped. */
	if (!safe_read(call->words[UUID], uuid, sizeof(uuid)))
		return;
	if (!call->result && where && *where && **where < LARGEST)
		size = **where;
	coverage_table(uuid, size, call->result, cuaudit_call_library(call), call->caller);
	runtime_table_asked(uuid, call->caller);
	if (call->result || !where || !*where) {
		runtime_table_refused(uuid, call->caller);
		return;
	}
	/* Two slots of one table are the runtime's, where it is on: they are no function of the driver then. */
	runtime_table_answered(uuid, (uint64_t *)*where);
	export_table_answered(uuid, (uint64_t *)*where, call->function->driver);
}

int tables_setup(void)
{
	static const char functions[] =
#define TABLES(symbol) #symbol ","
#include "hooks/core_functions.def"
	;

	return hook_add_core("tables", functions, answered);
}
