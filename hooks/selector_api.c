/* SPDX-License-Identifier: Apache-2.0 */
/* What modules ask about users' words. */
#include <cuaudit/hook.h>
#include <errno.h>
#include <string.h>

#include "util/globs.h"
#include "util/nearest.h"
#include "util/selector.h"

int cuaudit_selector_rows(const char *text, uint8_t *rows, uint32_t count)
{
	struct cuaudit_function function;
	struct selector *selector;
	size_t length;
	int taken = 0;

	if (selector_fault(text, &length))
		return -EINVAL;
	selector = selector_open(text);
	if (!selector)
		return -ENOMEM;
	memset(rows, 0, count);
	for (uint32_t i = 0; i < count && !cuaudit_row_get(i, &function); i++)
		taken += rows[i] = selector_takes(selector, &function);
	selector_close(selector);
	return taken;
}

const char *cuaudit_nearest(const char *word, const char *const *words)
{
	return nearest(word, strlen(word), words);
}

int cuaudit_libraries_check(const char *name, const char *globs)
{
	if (globs_are(globs))
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "%s takes GLOB[:GLOB...], with colons between, not '%s'", name,
		    globs);
	return -EINVAL;
}
