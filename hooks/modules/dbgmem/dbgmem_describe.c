/* SPDX-License-Identifier: Apache-2.0 */
/* What memory is that a call cannot use. */
#include <sys/mman.h>

#include <cuaudit/hook.h>

#include "hooks/call_site.h"
#include "hooks/maps.h"
#include "hooks/modules/dbgmem/dbgmem.h"
#include "hooks/modules/leak/leak_object.h"
#include "util/buffer.h"

enum { NULL_PAGE = 65536 };	/* vm.mmap_min_addr keeps it empty */

void dbgmem_size(struct buffer *out, uint64_t size)
{
	static const char *const units[] = { " bytes", " KiB", " MiB", " GiB", " TiB" };
	int unit = 0;

	while (unit < 4 && size && !(size % 1024)) {
		size /= 1024;
		unit++;
	}
	buffer_unsigned(out, size);
	buffer_text(out, size == 1 && !unit ? " byte" : units[unit]);
}

static void put_site(struct buffer *out, const char *verb, const struct leak_site *site)
{
	static char text[CALL_SITE_TEXT];	/* under dbgmem_report's lock */

	if (!site->function)
		return;
	buffer_text(out, verb);
	buffer_name(out, site->function->name);
	buffer_text(out, " by ");
	buffer_text(out, call_site_text(text, site->caller, site->library));
	if (!site->python)
		return;
	buffer_text(out, " at ");
	buffer_name(out, site->python);
}

/* The processor can come at it, unless its mapping is another one by now. */
static bool is_of_host(enum leak_kind kind)
{
	return kind == LEAK_KIND_HOST_MEMORY || kind == LEAK_KIND_MANAGED_MEMORY ||
	       kind == LEAK_KIND_REGISTERED;
}

/* The driver's object that an address is in, by what was seen of its calls. */
static bool put_object(struct buffer *out, const char *before, uintptr_t at, bool *of_host)
{
	struct leak_object *object = leak_find_address(at);

	if (!object)
		return false;
	buffer_text(out, before);
	if (leak_state_of(object) == LEAK_DEAD)
		buffer_text(out, "freed: ");
	if (object->size != LEAK_UNSIZED && object->size) {
		dbgmem_size(out, object->size);
		buffer_text(out, " of ");
	}
	buffer_text(out, leak_kind_text(object->kind));
	buffer_text(out, " at ");
	buffer_hex(out, object->handle);
	put_site(out, ", allocated in ", &object->allocated);
	if (leak_state_of(object) == LEAK_DEAD)
		put_site(out, ", freed in ", &object->freed);
	*of_host = is_of_host(object->kind);
	return true;
}

static bool look_up(struct buffer *out, const char *before, uintptr_t at, bool *of_host)
{
	sigset_t saved;
	bool known;

	leak_lock(&saved);
	known = put_object(out, before, at, of_host);
	leak_unlock(&saved);
	return known;
}

void dbgmem_object(struct buffer *out, const char *before, uintptr_t at)
{
	bool of_host;

	look_up(out, before, at, &of_host);
}

/* Whose the memory before the end is: a stack, a library. */
static void put_owner(struct buffer *out, uintptr_t at, const struct maps_line *line)
{
	const struct cuaudit_library *library = cuaudit_library_at((const void *)at);
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (line->end == MAPS_MAIN_STACK || (here >= line->bounds[0] && here < line->bounds[1]))
		buffer_text(out, " of a stack");
	else if (library->index) {
		buffer_text(out, " of ");
		buffer_name(out, library->name);
	}
}

static void put_right(struct buffer *out, uintptr_t at, const struct maps_line *line, bool write)
{
	buffer_text(out, write && line->protection & PROT_READ ? "read-only memory" :
			 "memory without access (a guard page, or reserved)");
	put_owner(out, at, line);
}

static void put_mapping(struct buffer *out, uintptr_t at, size_t size, bool write)
{
	uintptr_t end = at + size, next = at;
	struct maps_line line, last = { .field = 0 };
	bool found, allowed;

	while ((found = maps_find(next, &line)) && (allowed = dbgmem_allows(&line, next, end, write)) &&
	       line.bounds[1] < end) {
		last = line;
		next = line.bounds[1];
	}
	if (found && allowed) {
		buffer_text(out, "past the end of its file, or memory that failed");
		return;
	}
	if (next == at) {
		if (found)
			put_right(out, at, &line, write);
		else
			buffer_text(out, "not mapped");
		return;
	}
	buffer_text(out, "past the end of a mapping");
	put_owner(out, next - 1, &last);
	buffer_text(out, ": after ");
	dbgmem_size(out, next - at);
	buffer_text(out, found ? " begins " : " nothing is mapped");
	if (found)
		put_right(out, next, &line, write);
}

void dbgmem_describe(struct buffer *out, uintptr_t at, size_t size, bool write)
{
	uintptr_t end = at + size;
	bool known, of_host = false;

	buffer_hex(out, at);
	buffer_text(out, " is ");
	if (at < NULL_PAGE) {
		buffer_text(out, at ? "in the page of NULL" : "NULL");
		return;
	}
	known = look_up(out, "", at, &of_host);
	if (known && !of_host)
		return;
	if (known)
		buffer_text(out, ", and is ");
	if (end < at)
		buffer_text(out, "too near to the end of all addresses for so many bytes");
	else
		put_mapping(out, at, size, write);
}
