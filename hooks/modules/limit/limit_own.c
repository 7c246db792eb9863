/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that the driver takes for a process beside what is allocated: contexts, code, buffers. */
/*
 * It is what the process has of a device, as NVML tells it, less what is counted
 * of allocations. Nobody can refuse it, since it is taken by the time it is known:
 * it is charged whatever the limit, and what is allocated afterwards finds less left.
 */
#include "hooks/modules/limit/limit_own.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/hook.h>
#include <cuaudit/params.h>

#include "hooks/modules/limit/limit.h"
#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_nvml.h"
#include "hooks/modules/limit/limit_stack.h"

enum { OWNS = 1001 };	/* outside of the quotas, which have counted what a call frees by then */

static const char changes[] =
#define CHANGES(selector, source) "," selector
#include "tables/own.def"
	;

static const char loads[] =
#define LOADS(selector, source) "," selector
#include "tables/own.def"
	;

static const char tells[] =
#define TELLS(selector, source) "," selector
#include "tables/own.def"
	;

static _Atomic uint64_t own[ACCOUNT_DEVICES], peaks[ACCOUNT_DEVICES];

/* Whether NVML knows the devices: asked where a call may take what nobody allocates, by the first thread. */
enum { UNASKED, ASKING, ASKED };

enum { PATIENCE = 2 };	/* seconds */

static _Atomic uint32_t stage;
static _Atomic int prepared;	/* devices; 0: none, or not yet */
static int found;		/* the same, while ASKING */

/* One thread at a time asks; one that comes meanwhile has it ask again, about its own devices, by bit. */
static _Atomic uint64_t wanted, current;	/* current: of a context that some thread has */
static _Atomic uint32_t asking;

/* What was counted of a device when NVML was asked last, and 1; 0: ask. Whether work was submitted since. */
static _Atomic uint64_t known[ACCOUNT_DEVICES];
static _Atomic bool told[ACCOUNT_DEVICES], worked;

static void prepare(void)
{
	int count = driver_devices(), unknown = 0;

	if (count > ACCOUNT_DEVICES)
		count = ACCOUNT_DEVICES;
	if (!nvml_open()) {
		gap_report(GAP_OWN, "NVML", "libnvidia-ml.so.1 cannot be used");
		limit_options.all = false;
		return;
	}
	for (int i = 0; i < count; i++) {
		uint8_t uuid[16];
		const char *why = driver_uuid(i, uuid) ? nvml_prepare((uint32_t)i, uuid) :
							 "the driver does not tell the UUID of the device";

		if (why)
			gap_report(GAP_OWN, "NVML", why);
		unknown += !!why;
	}
	if (unknown == count)
		limit_options.all = false;
	else
		found = count;
}

/*
 * A thread that comes meanwhile waits: who is on a device before this process would else be asked when this
 * process is. Not for ever: it may be in a library's constructor, for which NVML waits as it opens libraries.
 * Without signals, which a handler could leave by siglongjmp, and which threads of NVML's are not to take.
 */
static void prepare_once(void)
{
	uint64_t signals = stack_block_signals();
	const struct timespec patience = { .tv_sec = PATIENCE };
	uint32_t was = UNASKED;
	int error = errno;
	long waits = 0;

	if (atomic_compare_exchange_strong(&stage, &was, ASKING)) {
		found = 0;
		stack_call(prepare);
		/* In this order: who finds it asks, on the same stack. */
		prepared = found;
		stage = ASKED;
		syscall(SYS_futex, &stage, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	}
	while (stage == ASKING && !(waits && errno == ETIMEDOUT))
		waits = syscall(SYS_futex, &stage, FUTEX_WAIT_PRIVATE, ASKING, &patience, NULL, 0);
	errno = error;
	stack_restore_signals(signals);
}

static void charge(uint32_t device, uint64_t bytes)
{
	static _Atomic bool reported;
	uint64_t had = own[device];

	own[device] = bytes;
	if (bytes > peaks[device])
		peaks[device] = bytes;
	if (bytes < had)
		account_give(device, had - bytes, false);
	if (bytes <= had)
		return;
	account_take(device, bytes - had, false, true);
	account_keep(device);
	if (account_left(device) || atomic_exchange(&reported, true))
		return;
	cuaudit_log(CUAUDIT_WARN, "limit: contexts and code of the process take %llu bytes of device %u, "
		    "which leaves nothing for allocations", (unsigned long long)bytes, device);
}

/* Allocations that other threads make meanwhile are counted before they are there. */
static void ask(uint32_t device, bool expected)
{
	uint64_t before, counted, used;
	const char *why;
	int tries = 4;

	do {
		before = account_own(device);
		why = nvml_used(device, expected, &used);
		counted = account_own(device);
	} while (before != counted && --tries);
	known[device] = 0;
	if (why) {
		gap_report(GAP_OWN, "NVML", why);
		return;
	}
	if (used)
		told[device] = true;
	charge(device, used > counted - own[device] ? used - (counted - own[device]) : 0);
	if (before == counted)
		known[device] = account_own(device) + 1;
}

static uint64_t bit(int device)
{
	_Static_assert(ACCOUNT_DEVICES <= 64, "a bit for each");
	return device >= 0 && device < ACCOUNT_DEVICES ? UINT64_C(1) << device : 0;
}

static void ask_wanted(void)
{
	uint64_t these = atomic_exchange(&wanted, 0), contexts = atomic_fetch_and(&current, ~these);

	for (int i = 0; i < prepared; i++)
		if (these >> i & 1)
			ask((uint32_t)i, contexts >> i & 1);
}

/* named: a device that the call was given, or -1. */
static void look(int named)
{
	uint64_t here = bit(driver_device());
	uint64_t there = bit(named), signals;

	/* First: who takes what is wanted finds it. */
	atomic_fetch_or(&current, here | (there && driver_primary(named) ? there : 0));
	atomic_fetch_or(&wanted, here | there ? here | there : UINT64_MAX);
	signals = stack_block_signals();
	while (wanted && !atomic_exchange(&asking, 1)) {
		stack_call(ask_wanted);
		asking = 0;
	}
	stack_restore_signals(signals);
}

static int begin(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	/* There are no devices before cuInit, nor in a child of fork. */
	if (atomic_load_explicit(&stage, memory_order_acquire) != ASKED && driver_devices() > 0)
		prepare_once();
	return CUAUDIT_CONTINUE;
}

static int device_named(const struct cuaudit_call *call)
{
	struct cuaudit_param param;

	for (uint32_t i = 0; !cuaudit_param_get(call->function, i, &param); i++)
		if (!strcmp(param.type, "CUdevice") && param.word < call->nwords)
			return (int)call->words[param.word];
	return -1;
}

static void changed(struct cuaudit_call *call, void *data)
{
	(void)data;
	if (prepared && cuaudit_call_succeeded(call))
		look(device_named(call));
}

static void loaded(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	if (!atomic_load_explicit(&worked, memory_order_relaxed))
		worked = true;
}

/* NVML takes long, and a program may ask in a loop: not where nothing can have changed. */
static int tell(struct cuaudit_call *call, void *data)
{
	int device;

	(void)call;
	(void)data;
	if (!prepared)
		return CUAUDIT_CONTINUE;
	device = driver_device();
	if (atomic_exchange(&worked, false))
		for (int i = 0; i < prepared; i++)
			known[i] = 0;
	if (device < 0 || device >= prepared || known[device] != account_own((uint32_t)device) + 1)
		look(-1);
	return CUAUDIT_CONTINUE;
}

bool own_known(uint32_t device)
{
	return told[device];
}

bool own_any(void)
{
	bool any = false;

	for (uint32_t i = 0; i < ACCOUNT_DEVICES; i++)
		any |= told[i];
	return any;
}

uint64_t own_bytes(uint32_t device)
{
	return own[device];
}

uint64_t own_peak(uint32_t device)
{
	return peaks[device];
}

int own_begin(void)
{
	if (!limit_options.all_given || nvml_load())
		return 0;
	limit_options.all = false;
	cuaudit_log(limit_options.exits ? CUAUDIT_ERROR : CUAUDIT_WARN, "limit: count=all asks NVML, and "
		    "libnvidia-ml.so.1 cannot be used; %s", limit_options.exits ?
		    "give count=allocations, or let the program run without it by on-error=run" :
		    "memory of contexts and code is not counted");
	if (limit_options.exits)
		return -ECANCELED;
	gap_note(GAP_OWN);
	return 0;
}

int own_add_hooks(void)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "limit", .priority = OWNS,
		.functions = changes + 1, .enter = begin, .exit = changed,
	};
	int error = cuaudit_hook_add(&hook);

	hook.functions = tells + 1;
	hook.enter = tell;
	hook.exit = NULL;
	error = error ?: cuaudit_hook_add(&hook);
	hook.functions = loads + 1;
	hook.enter = NULL;
	hook.exit = loaded;
	return error ?: cuaudit_hook_add(&hook);
}

void own_forked(void)
{
	for (uint32_t i = 0; i < ACCOUNT_DEVICES; i++) {
		own[i] = peaks[i] = known[i] = 0;
		told[i] = false;
	}
	wanted = current = 0;
	asking = 0;
	prepared = 0;
	stage = limit_options.all ? UNASKED : ASKED;
	nvml_forked();
}
