/* SPDX-License-Identifier: Apache-2.0 */
/* The limit hook: quotas of device memory, and functions that are forbidden. */
#include "hooks/modules/limit/limit.h"

#include <errno.h>
#include <string.h>

#include <cuaudit/coverage.h>

#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_pool.h"
#include "hooks/modules/limit/limit_share.h"
#include "hooks/modules/limit/limit_shared.h"
#include "hooks/modules/limit/limit_table.h"

/* Inside of the hooks that count or trace, which see what is refused. */
enum { DENIES = 1000, LIMITS = 1001 };

struct limit_options limit_options;
_Atomic uint32_t limit_denied[CUAUDIT_SLOTS_MAX];

static _Atomic bool denied;

static int deny(struct cuaudit_call *call, void *data)
{
	(void)data;
	denied = true;
	if (!limit_denied[call->function->slot]++)
		cuaudit_log(CUAUDIT_WARN, "limit: %s %s", call->function->name,
			    limit_options.dry_run ? "would be denied" : "is denied");
	if (limit_options.dry_run)
		return CUAUDIT_CONTINUE;
	call->result = limit_options.denial;
	return CUAUDIT_SKIP;
}

static const char *denials;	/* the selector of deny; NULL: not given */

static int check(const struct cuaudit_options *given)
{
	const char *forbidden = cuaudit_option_get(given, "deny");

	if (limit_read(given))
		return -ECANCELED;
	if (!forbidden)
		return 0;
	denials = limit_read_denial(forbidden);
	return denials && !cuaudit_selector_check("limit: deny", denials) ? 0 : -ECANCELED;
}

static int init(const struct cuaudit_options *given)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "limit", .priority = LIMITS,
		.functions = limit_functions, .enter = limit_enter, .exit = limit_exit,
	};
	int error = 0;

	if (limit_begin(given))
		return -ECANCELED;
	if (denials) {
		const struct cuaudit_hook denies = {
			.size = sizeof(denies), .name = "limit", .priority = DENIES,
			.functions = denials, .enter = deny,
		};

		error = cuaudit_hook_add(&denies);
	}
	return error ? error : cuaudit_hook_add(&hook);
}

static void finish(void)
{
	if (limit_called() || denied)
		limit_print();
	shared_close();
}

static void forked(void)
{
	memset(limit_denied, 0, sizeof(limit_denied));
	denied = false;
	limit_calls_forked();
	gap_forked();
	account_forked();
	pool_forked();
	share_forked();
	table_forked();
	shared_forked();
}

const struct cuaudit_module limit_module = {
	.size = sizeof(limit_module),
	.abi = CUAUDIT_ABI,
	.name = "limit",
	.summary = "quotas of device memory, devices to see, functions to deny",
	.options = limit_option_table,
	.init = init,
	.finish = finish,
	.forked = forked,
	.check = check,
	.enforces = "",
};
