/* SPDX-License-Identifier: Apache-2.0 */
/* Ends at once if the runtime it is linked to could start, and calls the driver. */
#include "t/fake/driver.h"
#include "t/routes/checks.h"

int ompt_depth(void);

int main(void)
{
	is_int(ompt_depth(), 1, "asked once: nobody comes next");
	is_int(cuInit(0), 0, "a call");
	return done_testing();
}
