/* SPDX-License-Identifier: Apache-2.0 */
/* Prints findings: the first of each call site, and how many there were. */
#include <stdatomic.h>
#include <stdlib.h>

#include <cuaudit/hook.h>

#include "hooks/call_site.h"
#include "hooks/modules/dbgmem/dbgmem.h"
#include "hooks/modules/leak/leak_python.h"
#include "util/buffer.h"
#include "util/signals.h"

enum { TEXT = 960, SITES = 256 };

static bool aborts;

/* Under the lock. */
static char text[TEXT];
static const void *sites[SITES];
static uint32_t nsites;
static uint64_t findings;
static atomic_flag lock = ATOMIC_FLAG_INIT;

void dbgmem_report_setup(bool abort)
{
	aborts = abort;
}

/* Signals are blocked: no handler finds it taken by its own thread. */
static void take_lock(sigset_t *saved)
{
	signals_block(saved);
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
}

static void release_lock(const sigset_t *saved)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
	signals_restore(saved);
}

static bool is_new(const void *caller)
{
	uint32_t i = 0;

	while (i < nsites && sites[i] != caller)
		i++;
	if (i < nsites || i == SITES)
		return false;
	sites[nsites++] = caller;
	return true;
}

/* For a debugger's breakpoint: nothing may be left out of it, nor the call. */
__attribute__((noinline)) void cuaudit_dbg_memcpy(const char *function, void *to, const void *from,
						  size_t size, const char *finding)
{
	__asm__ volatile("" : : "r"(function), "r"(to), "r"(from), "r"(size), "r"(finding) : "memory");
}

static void put_call(struct buffer *out, const struct dbgmem_call *call)
{
	static char site[CALL_SITE_TEXT];
	const char *python = leak_python_here();

	buffer_text(out, "dbgmem: ");
	buffer_text(out, call->function);
	buffer_text(out, " of ");
	dbgmem_size(out, call->writes);
	buffer_text(out, " by ");
	buffer_text(out, call_site_text(site, call->caller, cuaudit_library_at(call->caller)));
	if (python) {
		buffer_text(out, " at ");
		buffer_name(out, python);
	}
}

static void put_overlap(struct buffer *out, const struct dbgmem_call *call)
{
	buffer_text(out, "source ");
	buffer_hex(out, call->from);
	buffer_text(out, " and destination ");
	buffer_hex(out, call->to);
	buffer_text(out, " overlap; use memmove");
	dbgmem_object(out, "; the source is in ", call->from);
}

static void put(struct buffer *out, const struct dbgmem_call *call)
{
	const char *between = ": ";

	put_call(out, call);
	if (call->bad_from) {
		buffer_text(out, between);
		buffer_text(out, "source ");
		dbgmem_describe(out, call->from, call->reads, false);
		between = "; ";
	}
	if (call->bad_to) {
		buffer_text(out, between);
		buffer_text(out, "destination ");
		dbgmem_describe(out, call->to, call->writes, true);
		between = "; ";
	}
	if (call->overlap) {
		buffer_text(out, between);
		put_overlap(out, call);
	}
	buffer_end(out);
}

void dbgmem_report(const struct dbgmem_call *call)
{
	struct buffer out = { text, sizeof(text), 0 };
	sigset_t saved;

	libc_function_thread(true);
	take_lock(&saved);
	findings++;
	if (is_new(call->caller) || aborts) {
		put(&out, call);
		cuaudit_log(CUAUDIT_ERROR, "%s", text);
		dbgmem_json(call, text);
	} else {
		text[0] = '\0';
	}
	cuaudit_dbg_memcpy(call->function, (void *)call->to, (const void *)call->from, call->writes,
			   text);
	release_lock(&saved);
	if (aborts)
		abort();
}

void dbgmem_report_finish(void)
{
	if (findings)
		cuaudit_log(CUAUDIT_ERROR, "dbgmem: findings: %llu, call sites: %u%s",
			    (unsigned long long)findings, nsites, nsites == SITES ? " or more" : "");
}

void dbgmem_report_forked(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_relaxed);
	findings = 0;
	nsites = 0;
}
