/* SPDX-License-Identifier: Apache-2.0 */
/* An auditor that ends the program with the version that the loader asks it for. */
#include <link.h>
#include <unistd.h>

unsigned int la_version(unsigned int version)
{
	_exit((int)version);
}
