/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is never given back, and no allocator's of the program. */
#include <cuaudit/hook.h>
#include <errno.h>

#include "util/pages.h"

void *cuaudit_pages(size_t size)
{
	int error = errno;
	void *at = pages_map(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = error;
	return at == MAP_FAILED ? NULL : at;
}
