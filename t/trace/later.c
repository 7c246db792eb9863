/* SPDX-License-Identifier: Apache-2.0 */
/* Copies its trace in the middle, from $FILE. */
#include <stdlib.h>

#include "sim/api.h"

int main(void)
{
	int value;

	cuInit(0);
	cuDriverGetVersion(&value);
	if (system("cp \"$FILE\" \"${FILE%/*}/a.cutrace\""))
		return 1;
	cuDeviceGetCount(&value);
	return (int)cuDriverGetVersion(&value);
}
