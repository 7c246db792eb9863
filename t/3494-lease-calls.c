/* SPDX-License-Identifier: Apache-2.0 */
/* limit(share=): each function that gives a device work waits for the lease; waits for the device that are left. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include <cuaudit/api.h>
#include <cuaudit/cuda_types.h>
#include <cuaudit/hook.h>
#include <cuaudit/params.h>

#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_flight.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_lease.h"
#include "print/table.h"
#include "t/tap.h"
#include "util/selector.h"

enum { HOOKS = 16, WORDS = 32, STREAM = 0x5000, CONFIGURED = 0x7000, DEVICE = 1 };

static const struct cuaudit_function functions[] = {
#define CUAPI(number, symbol, text, from, variant, flavour, hdr, bits, n, params) \
	[number] = { .name = #symbol, .base = #text, .id = number, .nparams = n },
#include <cuaudit/driver_api.def>
#undef CUAPI
};

enum { ROWS = sizeof(functions) / sizeof(functions[0]) };

struct lease leases[LEASE_ORDINALS];
_Atomic bool lease_lost, lease_beyond;

static struct cuaudit_hook submits, waits;	/* the first two, */
static struct cuaudit_hook captures, captured;	/* and those of captures */
static uint64_t block[8];	/* the thread's */
static bool capturing;

/* What was done for a call. */
static struct {
	int waits, events, unseen, gaps, asked;
	CUstream stream;
} seen;

int cuaudit_hook_add(const struct cuaudit_hook *given)
{
	if (!submits.functions)
		submits = *given;
	else if (!waits.functions)
		waits = *given;
	else if (strstr(given->functions, "cuStreamBeginCapture"))
		captures = *given;
	else if (strstr(given->functions, "cuStreamEndCapture"))
		captured = *given;
	return 0;
}

int cuaudit_thread_key(size_t size, const struct cuaudit_module *owner)
{
	(void)size, (void)owner;
	return 0;
}

void *cuaudit_thread_block(uint32_t key)
{
	(void)key;
	return block;
}

int cuaudit_row_get(uint32_t id, struct cuaudit_function *function)
{
	if (id >= ROWS)
		return -1;
	*function = functions[id];
	return 0;
}

int cuaudit_param_get(const struct cuaudit_function *function, uint32_t index, struct cuaudit_param *param)
{
	struct print_param params[PRINT_PARAMS];

	if (index >= print_params(function->id, params))
		return -1;
	*param = (struct cuaudit_param){
		.name = params[index].name, .type = params[index].type, .word = params[index].word,
	};
	return 0;
}

int cuaudit_safe_read(const void *from, void *to, size_t size)
{
	memcpy(to, from, size);
	return 0;
}

int driver_devices(void)
{
	return DEVICE + 1;
}

int driver_device(void)
{
	return DEVICE;
}

bool driver_capturing(CUstream stream)
{
	seen.asked++;
	return capturing && (uintptr_t)stream > (uintptr_t)CU_STREAM_LEGACY;
}

void gap_report(enum gap gap, const char *what, const char *why)
{
	(void)gap, (void)what, (void)why;
	seen.gaps++;
}

void lease_wait(struct lease *lease)
{
	seen.waits += lease == &leases[DEVICE];
	lease->open = 1;
}

void lease_use(uint32_t ordinal)
{
	leases[ordinal].used = LEASE_KNOWN;
}

void flight_submitted(struct lease *lease, CUstream stream)
{
	seen.events += lease == &leases[DEVICE];
	seen.stream = stream;
}

void flight_unseen(struct lease *lease)
{
	seen.unseen += lease == &leases[DEVICE];
}

#define NOTHING(name, ...) void name(__VA_ARGS__) { }
#define UNUSED __attribute__((unused))
NOTHING(lease_start, void)
NOTHING(lease_busy, UNUSED struct lease *lease)
NOTHING(lease_settle, UNUSED struct lease *lease)
NOTHING(lease_begins, UNUSED struct lease *lease)
NOTHING(flight_cover, UNUSED struct lease *lease, UNUSED CUstream now)
NOTHING(flight_drop, void)
NOTHING(flight_goes_on, UNUSED struct lease *lease)
NOTHING(flight_leave, UNUSED struct lease *lease)
NOTHING(flight_mark, UNUSED struct lease *lease, UNUSED CUstream stream)
NOTHING(flight_seen, UNUSED struct lease *lease, UNUSED CUstream stream)
NOTHING(flight_throttle, UNUSED struct lease *lease)

/* By the words of the API: what is asynchronous has a stream, and kernels and graphs have. */
static bool has_stream(const char *name)
{
	return strstr(name, "Async") || !strncmp(name, "cuLaunchKernel", 14) ||
	       (!strncmp(name, "cuLaunchCooperativeKernel", 25) && !strstr(name, "MultiDevice")) ||
	       !strncmp(name, "cuGraphLaunch", 13);
}

/* One call, of which each word that is no configuration tells which one it is. */
static void submit(const struct cuaudit_function *function, int32_t result)
{
	CUlaunchConfig config = { .hStream = (CUstream)CONFIGURED };
	struct cuaudit_call call = { .function = function, .nwords = WORDS };
	uint64_t words[WORDS];

	for (int i = 0; i < WORDS; i++)
		words[i] = STREAM + (uint64_t)i;
	if (!strncmp(function->name, "cuLaunchKernelEx", 16))
		words[0] = (uintptr_t)&config;
	call.words = words;
	memset(&seen, 0, sizeof(seen));
	memset(leases, 0, sizeof(leases));
	leases[DEVICE].contested = 1;
	submits.enter(&call, submits.data);
	call.result = result;
	submits.exit(&call, submits.data);
}

/* A capture begins or ends, and a call says so. */
static void capture(bool begins, int32_t result)
{
	const struct cuaudit_hook *hook = begins ? &captures : &captured;
	struct cuaudit_call call = { .function = &functions[CUAUDIT_ID_cuStreamEndCapture], .result = result };

	hook->exit(&call, hook->data);
	if (!result)
		capturing = begins;
}

/* The word that is its stream, by the name that headers give it. */
static CUstream stream_by_name(const struct cuaudit_function *function)
{
	struct cuaudit_param param;

	if (!strncmp(function->name, "cuLaunchKernelEx", 16))
		return (CUstream)CONFIGURED;
	for (uint32_t i = 0; !cuaudit_param_get(function, i, &param); i++)
		if (!strcmp(param.name, "hStream") || !strcmp(param.name, "stream"))
			return (CUstream)(uintptr_t)(STREAM + param.word);
	return strstr(function->name, "_ptds") ? CU_STREAM_PER_THREAD : NULL;
}

static void check(const struct cuaudit_function *function)
{
	bool many = strstr(function->name, "MultiDevice") != NULL;
	CUstream stream = stream_by_name(function);

	ok(many || has_stream(function->name) == ((uintptr_t)stream > (uintptr_t)CU_STREAM_PER_THREAD),
	   "%s has its stream", function->name);
	submit(function, 0);
	ok(seen.waits == 1 && !seen.gaps, "... waits for the lease of the current device");
	ok(many ? seen.unseen == 1 && !seen.events : seen.events == 1 && seen.stream == stream && !seen.unseen,
	   "... and an event goes behind it in stream %p", (void *)stream);
	is_int((long long)(leases[DEVICE].entered - lease_returned(&leases[DEVICE])), 0, "... and it is known to be over");
	is_int(seen.asked, !many, "... for which the driver is asked where it waits");
	submit(function, 1);
	ok(seen.waits == 1 && !seen.events && !seen.unseen, "... but if it fails, none");
	capture(true, 0);
	submit(function, 0);
	if ((uintptr_t)stream > (uintptr_t)CU_STREAM_LEGACY)
		ok(!seen.waits && !seen.events && leases[DEVICE].entered == lease_returned(&leases[DEVICE]),
		   "... nor while it is captured, for which nothing is waited");
	else
		is_int(seen.waits, 1, "... and nothing captures it");
	capture(false, 0);
}

/* submit of one that the lease is open for: whether the driver is asked about a capture. */
static int asked(void)
{
	static const uint64_t words[WORDS] = { [8] = STREAM };
	struct cuaudit_call call = {
		.function = &functions[CUAUDIT_ID_cuLaunchKernel], .nwords = WORDS, .words = (uint64_t *)words,
	};

	memset(&seen, 0, sizeof(seen));
	leases[DEVICE].open = leases[DEVICE].contested = 1;
	submits.enter(&call, submits.data);
	submits.exit(&call, submits.data);
	return seen.asked;
}

/* The driver is asked about captures while there may be one. */
static void ask_while_captured(void)
{
	is_int(asked(), 0, "where nothing is captured, nobody asks at each submission");
	capture(true, 1);
	is_int(asked(), 0, "... nor where no capture could begin");
	capture(true, 0);
	is_int(asked(), 1, "while something is, it is asked once");
	capture(true, 0);
	capture(false, 0);
	is_int(asked(), 1, "... as long as one of two goes on");
	capture(false, 1);
	is_int(asked(), 1, "... which does not end by a call that fails");
	capture(false, 0);
	capture(false, 0);
	is_int(asked(), 0, "... and not behind the last one");
	capture(true, 0);
	is_int(asked(), 1, "one that ended unseen is none less");
	capture(false, 0);
}

enum { THREADS = 3, MANY = 400000 };

static pthread_barrier_t together;
static _Atomic int handled;

static void submit_many(int count)
{
	static const uint64_t words[WORDS];
	struct cuaudit_call call = {
		.function = &functions[CUAUDIT_ID_cuLaunchKernel], .nwords = WORDS, .words = (uint64_t *)words,
	};

	for (int i = 0; i < count; i++) {
		submits.enter(&call, submits.data);
		submits.exit(&call, submits.data);
	}
}

static void submit_in_handler(int number)
{
	(void)number;
	submit_many(1);
	handled++;
}

static void *submit_in_thread(void *given)
{
	pthread_barrier_wait(&together);
	submit_many(MANY);
	return given;
}

/* Whoever submits: the thread that was first, others, and handlers that come amid that of either. */
static void count_all(void)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	struct lease *lease = &leases[DEVICE];
	pthread_t threads[THREADS];

	memset(leases, 0, sizeof(leases));
	lease->open = 1;
	lease->first = pthread_self();
	signal(SIGALRM, submit_in_handler);
	if (pthread_barrier_init(&together, NULL, THREADS + 1) || setitimer(ITIMER_REAL, &often, NULL))
		bail_out("no barrier, or no timer");
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, submit_in_thread, NULL))
			bail_out("no thread");
	submit_in_thread(NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	ok(handled > 0, "%d handlers have submitted", handled);
	is_int((long long)lease->entered, (THREADS + 1LL) * MANY + handled, "... beside %d threads", THREADS + 1);
	is_int((long long)lease_returned(lease), (long long)lease->entered, "... and all came back");
}

/* Of waits of one thread, some of which have no end. */
static void wait_and_leave(void)
{
	struct cuaudit_call calls[3];
	_Atomic uint32_t *inside = &leases[DEVICE].syncing;

	memset(leases, 0, sizeof(leases));
	leases[DEVICE].used = LEASE_KNOWN;
	for (int i = 0; i < 3; i++)
		calls[i] = (struct cuaudit_call){
			.function = &functions[CUAUDIT_ID_cuCtxSynchronize], .correlation = 10 + (uint64_t)i,
		};
	waits.enter(&calls[0], waits.data);
	is_int(*inside, 1, "a wait for the device is known while it lasts");
	waits.exit(&calls[0], waits.data);
	is_int(*inside, 0, "... and over");
	waits.enter(&calls[0], waits.data);
	waits.enter(&calls[1], waits.data);
	is_int(*inside, 1, "one that is left, by siglongjmp, is not counted beside the next one");
	waits.exit(&calls[1], waits.data);
	is_int(*inside, 0, "... and for ever");
	waits.exit(&calls[0], waits.data);
	is_int(*inside, 0, "one in which a handler waited, and that goes on, is ended once");
	waits.enter(&calls[2], waits.data);
	lease_thread_exit(block);
	is_int(*inside, 0, "a thread that ends in one is in none");
	lease_thread_exit(block);
	is_int(*inside, 0, "... once");
	waits.enter(&calls[2], waits.data);
	memset(leases, 0, sizeof(leases));
	leases[DEVICE].used = LEASE_KNOWN;
	waits.enter(&calls[0], waits.data);
	waits.exit(&calls[0], waits.data);
	is_int(*inside, 0, "nor is the child of one that left a wait");
}

int main(void)
{
	struct selector *selector;
	int taken = 0;

	if (lease_add_hooks(NULL))
		bail_out("no hooks");
	selector = selector_open(submits.functions);
	for (int id = 0; selector && id < ROWS; id++) {
		if (!functions[id].name || !selector_takes(selector, &functions[id]))
			continue;
		check(&functions[id]);
		taken++;
	}
	ok(taken > 100, "%d functions", taken);
	ask_while_captured();
	count_all();
	wait_and_leave();
	selector_close(selector);
	return done_testing();
}
