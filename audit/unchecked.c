/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a file by which cuaudit check knows of a process that no rule judges. */
#include "audit/unchecked.h"

#include <stdatomic.h>

#include "audit/sys.h"
#include "util/check_mark.h"

enum { PATH_SIZE = 4096 };

void unchecked_leave(const char *saved, const char *name)
{
	static _Atomic long left;
	long pid = sys_process();
	char path[PATH_SIZE];

	if (check_mark_path(saved, name, pid, path, sizeof(path)) &&
	    atomic_exchange_explicit(&left, pid, memory_order_relaxed) != pid)
		sys_make_empty(path);
}
