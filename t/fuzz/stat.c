/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for the modules but the stat hook's options, which are read. */
#include <errno.h>
#include <string.h>

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>

#include "hooks/core_link.h"
#include "hooks/modules/stat/stat_cell.h"
#include "hooks/modules/stat/stat_fast_path.h"
#include "hooks/modules/stat/stat_print.h"
#include "hooks/modules/stat/stat_store.h"
#include "hooks/modules/stat/stat_thread.h"
#include "t/fuzz/fuzz.h"

struct cuaudit_clock_state cuaudit_clock;
const uint32_t *cuaudit_generation;
uint32_t stat_cell_key;

static int started;

/* It goes on: stat reads one that stands still a million times. */
uint64_t cuaudit_clock_monotonic(void)
{
	static uint64_t now;

	return now += 20;
}

static int start(const struct cuaudit_options *options)
{
	fuzz_check(cuaudit_option_get(options, "key") && !cuaudit_option_get(options, "none"));
	fuzz_check(!started++);
	if (chance(8))
		return 0;
	started--;
	return -EINVAL;
}

static void end(void)
{
	fuzz_check(started--);
}

static const struct cuaudit_option options[] = {
	{ "key", "value", "value|other", "" },
	{ "text", NULL, "TEXT", "" },
	{ "any", "no", NULL, "" },
	{ NULL, NULL, NULL, NULL }
};

/* Next to stat in the stand-in for hooks/builtin.def. */
const struct cuaudit_module coverage_module = {
	.size = sizeof(coverage_module),
	.abi = CUAUDIT_ABI,
	.name = "coverage",
	.options = options,
	.init = start,
	.finish = end
};

const struct cuaudit_module leak_module = {
	.size = sizeof(leak_module),
	.abi = CUAUDIT_ABI,
	.name = "leak",
	.options = options,
	.init = start,
	.finish = end
};

int cuaudit_hook_check(const struct cuaudit_hook *hook)
{
	return cuaudit_selector_check(hook->name, hook->functions);
}

int cuaudit_hook_add(const struct cuaudit_hook *hook)
{
	(void)hook;
	return 0;
}

/* Now and then the module does not start. */
int stat_store_setup(const char *save, const struct cuaudit_stat_header *header)
{
	fuzz_check(header->start_ns == cuaudit_clock.start_ns);
	fuzz_check(strstr(cuaudit_core_link->environment.hooks, "save") || !strcmp(save, "auto"));
	return chance(4) ? 0 : -ENOMEM;
}

struct cuaudit_stat_header *stat_store_header(void)
{
	return NULL;
}

int stat_cell_setup(const struct cuaudit_module *owner, int timed, uint32_t threads)
{
	(void)owner;
	fuzz_check((timed == 0 || timed == 1) && threads <= STAT_THREADS_MAX);
	return 0;
}

void stat_print_setup(const struct stat_print *settings)
{
	fuzz_check(settings->format <= STAT_OPENMETRICS && settings->libraries <= 1);
	fuzz_check(settings->threads <= STAT_THREADS_MAX);
	fuzz_check(settings->interval_ns / 1000000000 <= 10000000009);
}

struct cuaudit_stat_cell *stat_cell_find(const struct cuaudit_call *call)
{
	(void)call;
	return NULL;
}

void stat_cell_thread_exit(struct stat_thread *thread)
{
	(void)thread;
}

void stat_cell_forked(void)
{
}

int stat_print_finish(void)
{
	return 1;
}

void stat_store_keep(bool silent)
{
	(void)silent;
}

void stat_print_forked(void)
{
}

void stat_store_finish(void)
{
}

void stat_store_forked(void)
{
}
