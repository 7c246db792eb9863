/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of globs over libraries, GLOB[:GLOB...]. */
#include "names/globs.h"

bool globs_are(const char *text)
{
	bool set = false;

	for (; *text; text++) {
		if (!set && *text == ',')
			return false;
		set = set ? *text != ']' : *text == '[';
	}
	return !set;
}
