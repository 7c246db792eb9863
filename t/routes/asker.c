/* SPDX-License-Identifier: Apache-2.0 */
/* A library that asks the driver's look-up it was given, and others for the same function. */
#include "t/routes/asker.h"

#include <dlfcn.h>
#include <stddef.h>

void *asker_by(asker_look_up_fn look_up)
{
	void *answer = NULL;

	look_up("cuInit", &answer, 13000, 0, NULL);
	return answer;
}

void *asker_by_dlsym(void *driver)
{
	return dlsym(driver, "cuInit");
}

int asker_call(int (*init)(unsigned int))
{
	int result = init(0);

	return result;
}
