/* SPDX-License-Identifier: Apache-2.0 */
/* The limit hook: quotas of device memory, and functions that are forbidden. */
/*
 * What a call would take is charged before the driver is asked, and given
 * back if it refuses: what is charged is never less than what is held. What
 * it frees is found before and given back after, since an address may be
 * another allocation's before the call returns.
 */
#include "hooks/modules/limit/limit.h"

#include <cuaudit/api.h>
#include <errno.h>
#include <string.h>

#include "hooks/call_site.h"
#include "hooks/modules/helper.h"
#include "hooks/modules/limit/limit_calls.h"
#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_lease.h"
#include "hooks/modules/limit/limit_own.h"
#include "hooks/modules/limit/limit_pool.h"
#include "hooks/modules/limit/limit_refusals.h"
#include "hooks/modules/limit/limit_share.h"
#include "hooks/modules/limit/limit_shared.h"
#include "hooks/modules/limit/limit_size.h"
#include "hooks/modules/limit/limit_table.h"
#include "util/selector.h"

/* Inside of the hooks that count or trace, which see what is refused. */
enum { DENIES = 1000, LIMITS = 1002 };

extern const struct cuaudit_module limit_module;

static _Atomic bool called, denied;

static int deny(struct cuaudit_call *call, void *data)
{
	char site[CALL_SITE_TEXT];
	const char *kernel;

	(void)data;
	denied = true;
	if (!limit_denied[call->function->slot]++) {
		kernel = cuaudit_call_kernel(call);
		cuaudit_log(CUAUDIT_WARN, "limit: %s%s%s by %s %s", call->function->name,
			    kernel ? " of kernel " : "", kernel ? kernel : "",
			    call_site_text(site, call->caller, cuaudit_call_library(call)),
			    limit_options.dry_run ? "would be denied" : "is denied");
	}
	if (limit_options.dry_run)
		return CUAUDIT_CONTINUE;
	call->result = limit_options.denial;
	return CUAUDIT_SKIP;
}

static void clip(const struct cuaudit_call *call, uint32_t index, uint64_t most)
{
	if (calls_pointer(call, index) && calls_read(call, index) > most)
		calls_write(call, index, most);
}

static void clamped(const struct cuaudit_call *call)
{
	int device = driver_device();

	if (limit_options.dry_run || device < 0 || device >= ACCOUNT_DEVICES)
		return;
	pool_settle(false);
	clip(call, 0, size_fitting(account_left((uint32_t)device)));
	clip(call, 1, account_least((uint32_t)device)->limit);
}

static void total_told(const struct cuaudit_call *call)
{
	uint32_t device = (uint32_t)call->words[1];

	if (!limit_options.dry_run && device < ACCOUNT_DEVICES)
		clip(call, 0, account_least(device)->limit);
}

static void pool_created(const struct cuaudit_call *call)
{
	const CUmemPoolProps *props = calls_pointer(call, 1);

	pool_create((CUmemoryPool)(uintptr_t)calls_handle(call),
		    props->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? props->location.id : -1);
}

static int enter(struct cuaudit_call *call, void *data)
{
	enum limit_kind kind = calls_kind(call);

	(void)data;
	if (!called)
		called = true;
	limit_settle();
	call->scratch = 0;
	if (kind >= LIMIT_FIRST_TO_TAKE)
		return take_enter(call, kind);
	if (kind >= LIMIT_FIRST_TO_GIVE)
		give_enter(call, kind);
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	enum limit_kind kind = calls_kind(call);

	(void)data;
	if (kind >= LIMIT_FIRST_TO_TAKE)
		take_exit(call, kind);
	else if (kind >= LIMIT_FIRST_TO_GIVE)
		give_exit(call, kind);
	else if (kind == LIMIT_INFO && cuaudit_call_succeeded(call))
		clamped(call);
	else if (kind == LIMIT_TOTAL && cuaudit_call_succeeded(call))
		total_told(call);
	else if (kind == LIMIT_POOL_CREATE && cuaudit_call_succeeded(call))
		pool_created(call);
}

static struct cuaudit_hook denies = {	/* without functions: deny is not given */
	.size = sizeof(denies), .name = "limit: deny", .priority = DENIES, .enter = deny,
};

static bool is_any(const char *glob)
{
	(void)glob;
	return true;
}

/* A selector of functions of libraries: what they return is no CUresult, so that nothing denies them. */
static bool names_libraries(const char *functions)
{
	struct selector *selector = selector_open(functions);
	bool any = false;

	if (!selector)
		return false;
	selector_libraries(selector, is_any, &any);
	selector_close(selector);
	if (any)
		cuaudit_log(CUAUDIT_ERROR, "limit: deny takes functions of the driver, not those of libraries as in '%s'",
			    functions);
	return any;
}

/* A selector of functions of the runtime alone, whose calls are only reported. */
static bool names_runtime(const char *functions)
{
	static const char *const names[] = {
#define RUNTIME(id, symbol, ...) #symbol,
#include <cuaudit/runtime_api.def>
#undef RUNTIME
	};
	struct selector *selector = selector_open(functions);
	struct cuaudit_function function;
	bool driver = false, runtime = false;

	if (!selector)
		return false;
	for (uint32_t id = 0; !driver && !cuaudit_row_get(id, &function); id++)
		driver = selector_takes(selector, &function);
	for (size_t i = 0; !driver && !runtime && i < sizeof(names) / sizeof(names[0]); i++) {
		function = (struct cuaudit_function){
			.id = CUAUDIT_ID_RUNTIME, .name = names[i], .base = names[i],
		};
		runtime = selector_takes(selector, &function);
	}
	selector_close(selector);
	if (runtime)
		cuaudit_log(CUAUDIT_ERROR, "limit: deny takes functions of the driver, not those of the runtime as in '%s'",
			    functions);
	return runtime;
}

static int check(const struct cuaudit_options *given)
{
	const char *forbidden = cuaudit_option_get(given, "deny");

	if (limit_read(given))
		return -ECANCELED;
	if (!forbidden)
		return 0;
	denies.functions = limit_read_denial(forbidden);
	if (!denies.functions || names_libraries(denies.functions) || names_runtime(denies.functions))
		return -ECANCELED;
	return cuaudit_hook_check(&denies) ? -ECANCELED : 0;
}

static int init(const struct cuaudit_options *given)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "limit", .priority = LIMITS,
		.functions = calls_functions, .enter = enter, .exit = leave,
	};
	int error = 0;

	if (limit_begin(given))
		return -ECANCELED;
	if (denies.functions)
		error = cuaudit_hook_add(&denies) ?: cuaudit_kernel_prepare();
	if (!error && limit_options.all)
		error = own_add_hooks();
	if (!error && lease_options.on) {
		helper_prepare();
		error = lease_add_hooks(&limit_module);
	}
	return error ? error : cuaudit_hook_add(&hook);
}

static void finish(void)
{
	bool shared = lease_finish();

	if (called || denied || shared || own_any())
		limit_print();
	shared_close();
}

static void forked(void)
{
	memset(limit_denied, 0, sizeof(limit_denied));
	called = denied = false;
	limit_lost = 0;
	give_forked();
	gap_forked();
	account_forked();
	pool_forked();
	refusals_forked();
	lease_forked();
	own_forked();
	share_forked();
	table_forked();
	shared_forked();
}

const struct cuaudit_module limit_module = {
	.size = sizeof(limit_module), .abi = CUAUDIT_ABI, .name = "limit",
	.summary = "quotas of device memory, shares of its time, devices to see, functions to deny",
	.options = limit_option_table, .init = init, .finish = finish, .forked = forked, .thread_exit = lease_thread_exit,
	.check = check, .enforces = "",
};
