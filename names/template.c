/* SPDX-License-Identifier: Apache-2.0 */
/* The %-fields of CUAUDIT_OUTPUT. */
#include "names/template.h"

#include <string.h>

const char *template_fault(const char *template)
{
	for (; *template; template++)
		if (*template == '%' && !strchr("phert%", *++template ? *template : '?'))
			return template - 1;
	return NULL;
}
