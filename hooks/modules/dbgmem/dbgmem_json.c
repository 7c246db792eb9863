/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as objects in a file, whose call sites cuaudit report completes. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "hooks/call_site.h"
#include "hooks/modules/dbgmem/dbgmem.h"
#include "hooks/modules/leak/leak_object.h"
#include "hooks/modules/leak/leak_python.h"
#include "util/io.h"
#include "util/writer.h"

enum { OBJECT = 8192, SYMBOL = 256 };

static char path[PATH_MAX];	/* "": none is wanted */

/* Under dbgmem_report's lock. */
static char data[OBJECT], name[SYMBOL];
static uint64_t unwritten;

bool dbgmem_json_possible(void)
{
	char unused[1];

	return cuaudit_output_path(".dbgmem", unused, sizeof(unused)) != -ENOENT;
}

void dbgmem_json_setup(void)
{
	int file = cuaudit_output(".dbgmem");

	if (file >= 0)
		io_close(file);
	dbgmem_json_forked();
}

void dbgmem_json_forked(void)
{
	unwritten = 0;
	if (cuaudit_output_path(".dbgmem", path, sizeof(path)))
		path[0] = '\0';
}

static void put_site(struct writer *json, const char *key, const struct leak_site *site)
{
	if (!site->function)
		return;
	writer_begin(json, key, '{');
	writer_text(json, "function", site->function->name);
	if (site->python)
		writer_text(json, "python", site->python);
	call_site_json(json, site->caller, site->library, name, sizeof(name));
	writer_end(json, '}');
}

/* Where the driver's object that an address is in comes from. */
static void put_object(struct writer *json, const char *key, uintptr_t at)
{
	struct leak_object *object;
	sigset_t saved;

	leak_lock(&saved);
	object = leak_find_address(at);
	if (object) {
		writer_begin(json, key, '{');
		put_site(json, "allocated", &object->allocated);
		if (leak_state_of(object) == LEAK_DEAD)
			put_site(json, "freed", &object->freed);
		writer_end(json, '}');
	}
	leak_unlock(&saved);
}

void dbgmem_json(const struct dbgmem_call *call, const char *finding)
{
	struct out out = { .data = data, .size = sizeof(data), .fixed = true };
	struct writer json = { .out = &out };
	const char *python = leak_python_here();

	if (!*path)
		return;
	writer_begin(&json, NULL, '{');
	writer_number(&json, "version", 1);
	writer_number(&json, "pid", (uint64_t)getpid());
	writer_text(&json, "finding", finding);
	writer_text(&json, "memory_function", call->function);
	writer_number(&json, "bytes", call->writes);
	if (python)
		writer_text(&json, "python", python);
	call_site_json(&json, call->caller, cuaudit_library_at(call->caller), name, sizeof(name));
	put_object(&json, "source", call->reads ? call->from : 0);
	put_object(&json, "destination", call->to);
	writer_end(&json, '}');
	out_text(&out, "\n");
	if (out.error || io_append(path, out.data, out.used))
		unwritten++;
}

void dbgmem_json_finish(void)
{
	if (unwritten)
		cuaudit_log(CUAUDIT_WARN, "dbgmem: findings that could not be written to %s: %llu", path,
			    (unsigned long long)unwritten);
}
