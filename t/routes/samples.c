/* SPDX-License-Identifier: Apache-2.0 */
/* Unwinds from a signal handler wherever it hits a loop of driver calls. Argument: hooks. */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unwind.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

enum { SAMPLES = 10000, INTERVAL = 40 /* us */ };

/* The ends every unwinding must come to: the functions that call the driver and set the timer. */
static __attribute__((noinline, section("samples_text"))) int loop(void);
int main(int argc, char **argv) __attribute__((section("samples_text")));
extern const char __start_samples_text[], __stop_samples_text[];

static atomic_int samples, lost, in_driver;
static void *lost_at[SAMPLES * 2];

struct walk {
	bool arrived;
	int frames;
	uintptr_t first;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
	struct walk *walk = data;
	uintptr_t ip = _Unwind_GetIP(context);

	/* Frames 0 and 1 are the handler and the kernel's trampoline. */
	if (walk->frames++ == 2)
		walk->first = ip;
	if (ip >= (uintptr_t)__start_samples_text && ip < (uintptr_t)__stop_samples_text)
		walk->arrived = true;
	return walk->arrived || walk->frames > 100 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void handler(int number)
{
	struct walk walk = { false, 0, 0 };

	(void)number;
	_Unwind_Backtrace(step, &walk);
	samples++;
	in_driver += walk.first < (uintptr_t)__start_samples_text ||
		     walk.first >= (uintptr_t)__stop_samples_text;
	if (!walk.arrived)
		lost_at[lost++ % (SAMPLES * 2)] = (void *)walk.first;
}

/*
 * Before glibc 2.35 an unwinder sees no namespace but the caller's: a stub,
 * which is one jump of the auditor's, has no unwind table there.
 */
static bool excused(const Dl_info *info)
{
	const char *name = strrchr(info->dli_fname, '/');

	return !dlsym(RTLD_DEFAULT, "_dl_find_object") && name &&
	       !strcmp(name, "/libcuaudit.so");
}

static void judge_lost(void)
{
	int bad = 0;

	for (int i = 0; i < lost && i < SAMPLES * 2; i++) {
		Dl_info info = { .dli_fname = "" };

		if (dladdr(lost_at[i], &info) && excused(&info))
			continue;
		if (!bad++)
			diag("one was at %p, in %s + %#lx", lost_at[i], info.dli_fname,
			     (unsigned long)((uintptr_t)lost_at[i] - (uintptr_t)info.dli_fbase));
	}
	if (lost > bad)
		diag("%d in the auditor could not be", lost - bad);
	is_int(bad, 0, "each was unwound to the loop");
}

static void nothing(void *data)
{
	(void)data;
}

static int loop(void)
{
	unsigned long long pointer;
	int failed = 0;

	while (samples < SAMPLES) {
		failed |= cuMemAlloc_v2(&pointer, 1);
		failed |= cuLaunchCooperativeKernel(nothing, 2, 3, 4, 5, 6, 7, 8, (void *)9, NULL);
		failed |= cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void **)10,
					 (void **)11);
		failed |= cuTexRefSetMipmapLevelClamp((void *)7, 1.5f, -2.25f);
		failed |= cuNewReal(4) != 1;
	}
	return failed;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const struct itimerval often = { { 0, INTERVAL }, { 0, INTERVAL } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.name = how,
		.enter = strstr(how, "enter") ? enter_nothing : NULL,
		.exit = strstr(how, "exit") ? exit_nothing : NULL,
	};
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	int (*add)(const struct cuaudit_hook *);
	void *core;
	int failed;

	cuInit(0);
	core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	is_int(core != NULL, observe_routed(), "the core");
	if (core && (hook.enter || hook.exit)) {
		add = (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add");
		is_int(add(&hook), 0, "a hook");
	}
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	failed = loop();
	setitimer(ITIMER_REAL, &never, NULL);
	is_int(failed, 0, "the calls");
	ok(in_driver > 100, "%d of %d samples lie outside the loop", in_driver, samples);
	judge_lost();
	return done_testing();
}
