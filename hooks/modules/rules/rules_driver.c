/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules hook asks of the driver itself. */
#include "hooks/modules/rules/rules_driver.h"

#include "hooks/driver_ask.h"

#include "hooks/modules/rules/rules.def"

int rules_current_device(void)
{
	CUdevice device;

	return ask(context_device, &device) ? -1 : device;
}

bool rules_is_device(uint64_t address)
{
	unsigned int type = 0;

	return !ask(pointer_attribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)address) &&
	       type == CU_MEMORYTYPE_DEVICE;
}
