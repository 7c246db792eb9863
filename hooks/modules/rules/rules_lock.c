/* SPDX-License-Identifier: Apache-2.0 */
/* No signal and no cancellation while a lock of the rules is held. */
#include <errno.h>

#include "hooks/modules/rules/rules.h"
#include "util/signals.h"

void rules_block(struct rules_lock *saved)
{
	saved->error = errno;
	signals_block(&saved->signals);
}

void rules_unblock(const struct rules_lock *saved)
{
	signals_restore(&saved->signals);
	errno = saved->error;
}
