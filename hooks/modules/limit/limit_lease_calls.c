/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that give a device work, wait for it, or begin or end what it is given in. */
#include <stddef.h>
#include <string.h>

#include <cuaudit/api.h>
#include <cuaudit/cuda_types.h>
#include <cuaudit/hook.h>
#include <cuaudit/params.h>

#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_flight.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_lease.h"

enum { LEASES = 1003 };	/* inside of the quotas, which may refuse a call */
enum { NOT_CAPTURED = 1 };	/* in a call's scratch, beside the lease: the driver was asked */

/* Where a function has its stream. */
enum stream_at {
	AT_DEFAULT = 64,	/* nowhere: the default stream */
	AT_CONFIG,		/* in the structure of the first argument */
	AT_UNKNOWN
};

static struct {
	uint8_t at;		/* a word, or enum stream_at */
	bool per_thread;	/* its default stream is the thread's own */
} streams[] = {
#define CUAPI(id, ...) [id] = { .at = AT_DEFAULT },
#include <cuaudit/driver_api.def>
#undef CUAPI
};

enum { ROWS = sizeof(streams) / sizeof(streams[0]) };

static const char submits[] =
#define SUBMITS(selector, source) "," selector
#include "tables/submission.def"
	;

static const char waits[] =
#define WAITS(selector, source) "," selector
#include "tables/submission.def"
	;

static const char waits_for_all[] =
#define ALL(selector, source) "," selector
#include "tables/submission.def"
	;

static const char marks[] =
#define MARKS(selector, source) "," selector
#include "tables/submission.def"
	;

static const char looks[] =
#define LOOKS(selector, source) "," selector
#include "tables/submission.def"
	;

static const char destroys[] =
#define DESTROYS(selector, source) "," selector
#include "tables/submission.def"
	;

static const char ends[] =
#define ENDS(selector, source) "," selector
#include "tables/submission.def"
	;

static const char captures[] =
#define CAPTURES(selector, source) "," selector
#include "tables/submission.def"
	;

static const char captured[] =
#define CAPTURED(selector, source) "," selector
#include "tables/submission.def"
	;

static const char begins[] =
#define BEGINS(selector, source) "," selector
#include "tables/submission.def"
	;

static uint8_t find_stream(const struct cuaudit_function *function)
{
	struct cuaudit_param param;

	for (uint32_t i = 0; !cuaudit_param_get(function, i, &param); i++) {
		if (!strcmp(param.type, "CUstream") && param.word < AT_DEFAULT)
			return (uint8_t)param.word;
		if (!strcmp(param.type, "const CUlaunchConfig *") && !i)
			return AT_CONFIG;
		if (!strcmp(param.type, "CUDA_LAUNCH_PARAMS *"))
			return AT_UNKNOWN;
	}
	return AT_DEFAULT;
}

static void find_streams(void)
{
	struct cuaudit_function function;

	for (uint32_t id = 0; id < ROWS && !cuaudit_row_get(id, &function); id++) {
		streams[id].at = find_stream(&function);
		streams[id].per_thread = strstr(function.name, "_ptsz") ||
					 strstr(function.name, "_ptds");
	}
}

/* False: nobody knows which. */
static bool stream_of(const struct cuaudit_call *call, CUstream *stream)
{
	int32_t id = call->function->id;
	CUlaunchConfig config;

	if (id < 0 || id >= ROWS || streams[id].at == AT_UNKNOWN)
		return false;
	*stream = NULL;
	if (streams[id].at < AT_DEFAULT) {
		*stream = (CUstream)(uintptr_t)call->words[streams[id].at];
	} else if (streams[id].at == AT_CONFIG) {
		if (cuaudit_safe_read((const void *)(uintptr_t)call->words[0], &config, sizeof(config)))
			return false;
		*stream = config.hStream;
	}
	if (!*stream && streams[id].per_thread)
		*stream = CU_STREAM_PER_THREAD;
	return true;
}

static bool names_stream(const struct cuaudit_call *call)
{
	int32_t id = call->function->id;

	return id >= 0 && id < ROWS && streams[id].at < AT_DEFAULT;
}

/* The current context's device, -1 where there is none. */
static int current_device(void)
{
	static _Atomic int devices;
	int count = atomic_load_explicit(&devices, memory_order_relaxed);

	if (count <= 0)
		devices = count = driver_devices();
	return count == 1 ? 0 : driver_device();
}

static struct lease *lease_of(int device)
{
	return device >= 0 && device < LEASE_ORDINALS ? &leases[device] : NULL;
}

static struct lease *current(void)
{
	return lease_of(current_device());
}

/* A submission to a device that has no lease. */
static void submit_beyond(int device)
{
	_Static_assert(LEASE_ORDINALS == 16, "the number in the text");
	if (device < LEASE_ORDINALS || lease_lost)
		return;
	lease_beyond = true;
	gap_report(GAP_LEASE, "a device", "it is not among the first 16 that the program sees");
}

/*
 * Captures that go on, those that were seen to begin: without any nobody asks the driver at each submission. What was
 * not seen, of an excluded library say, is asked for where something is waited for or recorded.
 */
static _Atomic uint32_t capturing;

/* It adds to a graph, which is work once it is launched. */
static bool is_captured(const struct cuaudit_call *call)
{
	CUstream stream;

	return stream_of(call, &stream) && driver_capturing(stream);
}

/* It is not this process's turn; whether the call is to be counted. */
static bool wait_for_turn(struct cuaudit_call *call, struct lease *lease)
{
	CUstream stream;

	lease_return(lease);
	if (driver_device() < 0 || is_captured(call))
		return false;
	if (!stream_of(call, &stream))
		stream = FLIGHT_NONE;
	if (!lease->used)
		lease_use((uint32_t)(lease - leases));
	flight_cover(lease, stream);
	do {
		lease_wait(lease);
		flight_goes_on(lease);
		atomic_fetch_add(&lease->entered, 1);
		if (lease->open)
			return true;
		lease_return(lease);
	} while (true);
}

/* What a thread waits in. */
struct wait {
	struct lease *lease;		/* NULL: in nothing */
	uint64_t correlation;
};

static int waits_key = -1;

static void stop_waiting(struct lease *lease)
{
	uint32_t count = lease->syncing;

	/* The child of a thread that left a wait has none. */
	while (count && !atomic_compare_exchange_weak(&lease->syncing, &count, count - 1))
		;
}

/* A wait that the thread is in still was left, by a signal's handler say: it would count as one for ever. */
static void begin_wait(const struct cuaudit_call *call, struct lease *lease)
{
	struct wait *wait = waits_key < 0 ? NULL : cuaudit_thread_block((uint32_t)waits_key);

	if (wait && wait->lease)
		stop_waiting(wait->lease);
	atomic_fetch_add(&lease->syncing, 1);
	if (wait)
		*wait = (struct wait){ lease, call->correlation };
}

static void end_wait(const struct cuaudit_call *call, struct lease *lease)
{
	struct wait *wait = waits_key < 0 ? NULL : cuaudit_thread_block((uint32_t)waits_key);

	/* Given up by a wait inside of it, as of a handler that returned. */
	if (wait && wait->correlation != call->correlation)
		return;
	stop_waiting(lease);
	if (wait)
		wait->lease = NULL;
}

void lease_thread_exit(void *block)
{
	struct wait *wait = block;

	if (wait->lease)
		stop_waiting(wait->lease);
	wait->lease = NULL;
}

/* Copies and sets, of which many wait for the device; launches do not. */
static bool may_wait(const struct cuaudit_call *call)
{
	return !(call->function->classes & CUAUDIT_CLASS_LAUNCH);
}

static int submit(struct cuaudit_call *call, void *data)
{
	int device = current_device();
	struct lease *lease = lease_of(device);
	bool asks;

	(void)data;
	call->scratch = 0;
	if (!lease) {
		submit_beyond(device);
		return CUAUDIT_CONTINUE;
	}
	/* Nobody asks the driver for what makes no difference. */
	asks = capturing && (lease->contested || !lease->open);
	if (asks && is_captured(call))
		return CUAUDIT_CONTINUE;
	if (lease->contested) {
		flight_throttle(lease);
		lease_begins(lease);
	}
	/* Said before it is asked: the helper closes, then looks who is inside. */
	atomic_fetch_add(&lease->entered, 1);
	if (__builtin_expect(!lease->open, 0) && !wait_for_turn(call, lease))
		return CUAUDIT_CONTINUE;
	if (lease->contested)
		lease_busy(lease);
	if (may_wait(call))
		begin_wait(call, lease);
	call->scratch = (uintptr_t)lease | (asks ? NOT_CAPTURED : 0);
	return CUAUDIT_CONTINUE;
}

static void submitted(struct cuaudit_call *call, void *data)
{
	struct lease *lease = (struct lease *)(uintptr_t)(call->scratch & ~(uint64_t)NOT_CAPTURED);
	bool asked = call->scratch & NOT_CAPTURED;
	CUstream stream;

	(void)data;
	if (!lease)
		return;
	if (lease->contested && cuaudit_call_succeeded(call)) {
		if (!stream_of(call, &stream))
			flight_unseen(lease);
		else if (asked || !capturing || !driver_capturing(stream))
			flight_submitted(lease, stream);
	}
	if (may_wait(call))
		end_wait(call, lease);
	lease_return(lease);
}

/* Not by an event: there is no telling in which stream it was. */
static void see_done(const struct cuaudit_call *call, struct lease *lease)
{
	CUstream stream;

	if (cuaudit_call_succeeded(call) && names_stream(call) && stream_of(call, &stream))
		flight_seen(lease, stream);
}

static int sync(struct cuaudit_call *call, void *data)
{
	struct lease *lease = current();

	(void)data;
	call->scratch = 0;
	if (!lease || lease->used != LEASE_KNOWN)
		return CUAUDIT_CONTINUE;
	if (lease->contested)
		flight_cover(lease, FLIGHT_NONE);
	begin_wait(call, lease);
	call->scratch = (uintptr_t)lease;
	return CUAUDIT_CONTINUE;
}

static void synced(struct cuaudit_call *call, void *data)
{
	struct lease *lease = (struct lease *)(uintptr_t)call->scratch;

	(void)data;
	if (!lease)
		return;
	lease->covered = lease->entered;
	end_wait(call, lease);
	see_done(call, lease);
	if (lease->contested)
		lease_settle(lease);
}

static void synced_all(struct cuaudit_call *call, void *data)
{
	struct lease *lease = (struct lease *)(uintptr_t)call->scratch;

	if (lease && cuaudit_call_succeeded(call))
		flight_seen(lease, FLIGHT_NONE);
	synced(call, data);
}

static void looked(struct cuaudit_call *call, void *data)
{
	struct lease *lease = current();

	(void)data;
	if (lease)
		see_done(call, lease);
}

static int mark(struct cuaudit_call *call, void *data)
{
	struct lease *lease = current();
	CUstream stream;

	(void)data;
	if (lease && stream_of(call, &stream))
		flight_mark(lease, stream);
	return CUAUDIT_CONTINUE;
}

static int destroy(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++)
		flight_leave(&leases[i]);
	return CUAUDIT_CONTINUE;
}

static int end(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	flight_drop();
	return CUAUDIT_CONTINUE;
}

static void began(struct cuaudit_call *call, void *data)
{
	(void)data;
	if (cuaudit_call_succeeded(call))
		lease_start();
}

static void capture_began(struct cuaudit_call *call, void *data)
{
	(void)data;
	if (cuaudit_call_succeeded(call))
		capturing++;
}

/* One that was invalidated ends with an error, and counts as one that goes on. */
static void capture_ended(struct cuaudit_call *call, void *data)
{
	uint32_t count = capturing;

	(void)data;
	if (cuaudit_call_succeeded(call))
		while (count && !atomic_compare_exchange_weak(&capturing, &count, count - 1))
			;
}

int lease_add_hooks(const struct cuaudit_module *owner)
{
	static const struct {
		const char *functions;		/* behind a comma */
		cuaudit_enter_fn enter;
		cuaudit_exit_fn exit;
	} hooks[] = {
		{ submits, submit, submitted },
		{ waits, sync, synced },
		{ waits_for_all, sync, synced_all },
		{ marks, mark, NULL },
		{ looks, NULL, looked },
		{ destroys, destroy, NULL },
		{ ends, end, NULL },
		{ begins, NULL, began },
		{ captures, NULL, capture_began },
		{ captured, NULL, capture_ended },
	};
	struct cuaudit_hook hook = { .size = sizeof(hook), .name = "limit", .priority = LEASES };
	int error = 0;

	find_streams();
	waits_key = cuaudit_thread_key(sizeof(struct wait), owner);
	for (size_t i = 0; !error && i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		hook.functions = hooks[i].functions + 1;
		hook.enter = hooks[i].enter;
		hook.exit = hooks[i].exit;
		error = cuaudit_hook_add(&hook);
	}
	return error;
}
