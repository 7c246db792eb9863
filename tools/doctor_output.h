/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor tells of CUAUDIT_OUTPUT. */
#ifndef TOOLS_DOCTOR_OUTPUT_H
#define TOOLS_DOCTOR_OUTPUT_H

#include <stdbool.h>

/*
 * Prints what keeps hooks from writing there, as they open it themselves: the file of that name, or one beside
 * it, to whose name they append. No file is changed, and none is left that was not there.
 */
void doctor_output(bool of_that_name);

#endif
