/* SPDX-License-Identifier: Apache-2.0 */
/* The last calls that allocated device memory, with their stacks. */
#include "hooks/modules/rules/rules_grown.h"

#include <pthread.h>
#include <stdatomic.h>

#include <cuaudit/api.h>

#include "hooks/modules/leak/leak_object.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/safe_read.h"

enum { KEPT = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rules_grown kept[KEPT];	/* by number, under the lock */
static _Atomic uint64_t last;
static _Atomic int32_t open;

uint64_t rules_grown_range(int by)
{
	atomic_fetch_add(&open, by);
	return atomic_load(&last);
}

/* Whatever allocates has the handle's place first. */
static void keep(struct rules_grown *grown, const struct cuaudit_call *call, uint64_t handle)
{
	grown->number = last + 1;
	grown->handle = handle;
	grown->function = call->function;
	grown->nframes = cuaudit_call_stack(call, grown->frames, CHECK_FRAMES,
					    CUAUDIT_STACK_MERGED);
	if (!grown->nframes) {
		grown->frames[0] = (struct cuaudit_stack_frame){ .address = call->caller };
		grown->nframes = 1;
	}
	cuaudit_call_print(call, CUAUDIT_PRINT_AFTER, grown->text, sizeof(grown->text));
	atomic_store(&last, grown->number);
}

void rules_grown_add(const struct cuaudit_call *call)
{
	struct rules_lock saved;
	uint64_t handle;

	if (!atomic_load_explicit(&open, memory_order_relaxed) || call->result ||
	    !(call->function->classes & CUAUDIT_CLASS_ALLOCATION))
		return;
	rules_block(&saved);
	if (safe_read(call->words[0], &handle, sizeof(handle)) && leak_device_size(handle)) {
		pthread_mutex_lock(&lock);
		keep(&kept[last % KEPT], call, handle);
		pthread_mutex_unlock(&lock);
	}
	rules_unblock(&saved);
}

void rules_grown_last(uint64_t since, struct rules_grown *grown)
{
	struct rules_lock saved;
	uint64_t number;

	grown->number = 0;
	rules_block(&saved);
	pthread_mutex_lock(&lock);
	for (number = last; number > since && last - number < KEPT; number--)
		if (leak_device_size(kept[(number - 1) % KEPT].handle)) {
			*grown = kept[(number - 1) % KEPT];
			break;
		}
	pthread_mutex_unlock(&lock);
	rules_unblock(&saved);
}

/* The ranges of the thread stay open in the child; those of other threads keep what nobody asks for. */
void rules_grown_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
