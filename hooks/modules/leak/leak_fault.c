/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong uses of objects, equal ones counted together. */
#include "hooks/modules/leak/leak_fault.h"

#include <stdbool.h>
#include <string.h>

#include <cuaudit/hook.h>

#include "hooks/call_site.h"
#include "hooks/modules/leak/leak_suppress.h"

enum { FAULTS = 1024 };

static struct leak_fault faults[FAULTS];
static uint32_t count;
static uint64_t lost;

static bool same_site(const struct leak_site *a, const struct leak_site *b)
{
	return a->function == b->function && a->caller == b->caller;
}

static bool same(const struct leak_fault *a, const struct leak_fault *b)
{
	return a->type == b->type && a->kind == b->kind && same_site(&a->site, &b->site) &&
	       same_site(&a->allocated, &b->allocated) && same_site(&a->freed, &b->freed);
}

static const char *text(char to[CALL_SITE_TEXT], const struct leak_site *site)
{
	return call_site_text(to, site->caller, site->library);
}

static void say(const struct leak_fault *fault)
{
	const struct leak_site *allocated = &fault->allocated, *freed = &fault->freed;
	const char *what = fault->kind < LEAK_KINDS ? leak_kind_text(fault->kind) : "handle";
	char site[CALL_SITE_TEXT], first[CALL_SITE_TEXT], last[CALL_SITE_TEXT];

	if (!allocated->function)
		cuaudit_log(CUAUDIT_WARN, "leak: %s: %s by %s: %s 0x%llx",
			    leak_fault_text(fault->type), fault->site.function->name,
			    text(site, &fault->site), what, (unsigned long long)fault->handle);
	else
		cuaudit_log(CUAUDIT_WARN, "leak: %s: %s by %s: %s 0x%llx allocated in %s by %s%s%s%s%s",
			    leak_fault_text(fault->type), fault->site.function->name,
			    text(site, &fault->site), what, (unsigned long long)fault->handle,
			    allocated->function->name, text(first, allocated),
			    freed->function ? ", freed in " : "",
			    freed->function ? freed->function->name : "", freed->function ? " by " : "",
			    freed->function ? text(last, freed) : "");
}

struct leak_fault *leak_fault_add(enum leak_fault_type type, const struct leak_site *site,
				  enum leak_space space, uint64_t handle,
				  const struct leak_object *object)
{
	struct leak_fault fault = {
		.type = type, .handle = handle, .space = (uint8_t)space, .kind = LEAK_KINDS,
		.result = LEAK_NO_RESULT, .site = *site,
	};
	uint32_t i = 0;

	if (object) {
		fault.kind = object->kind;
		fault.size = object->size;
		fault.allocated = object->allocated;
		fault.contexts[0] = object->context;
	}
	if (object && leak_state_of(object) == LEAK_DEAD) {
		fault.freed = object->freed;
		fault.died_with = object->died_with;
	}
	while (i < count && !same(&faults[i], &fault))
		i++;
	if (i == FAULTS) {
		lost++;
		return NULL;
	}
	if (i == count) {
		fault.suppressed = (uint8_t)leak_suppressed(leak_fault_text(type), site);
		faults[count++] = fault;
		if (!fault.suppressed)
			say(&fault);
	}
	faults[i].count++;
	return &faults[i];
}

const struct leak_fault *leak_fault_get(uint32_t index)
{
	return index < count ? &faults[index] : NULL;
}

uint64_t leak_fault_lost(void)
{
	return lost;
}

void leak_fault_forked(void)
{
	count = 0;
	lost = 0;
}
