/* SPDX-License-Identifier: Apache-2.0 */
/* Globs over libraries' names. */
#include "audit/filter.h"

#include "audit/sys.h"
#include "util/globs.h"

static const char main_name[] = "(main)";

static bool has_slash(const char *pattern, size_t length)
{
	while (length--)
		if (pattern[length] == '/')
			return true;
	return false;
}

bool filter_list(const char *list, const char *path, bool is_main)
{
	while (*list) {
		size_t length = 0;

		while (list[length] && list[length] != ':')
			length++;
		if (is_main && glob_matches(list, length, main_name))
			return true;
		if (length && glob_matches(list, length, has_slash(list, length) ? path
										 : sys_basename(path)))
			return true;
		list += length + (list[length] == ':');
	}
	return false;
}
