/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the loader lists namespaces, for debuggers. */
#include <link.h>

int main(void)
{
	return _r_debug.r_version < 2;
}
