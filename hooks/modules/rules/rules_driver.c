/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules hook asks of the driver itself. */
#include "hooks/modules/rules/rules_driver.h"

#include <cuaudit/replace.h>

/* CUDA_ERROR_NOT_FOUND where it has no such function. */
#define ASK(name, symbol, parameters) \
	typedef CUresult name##_fn parameters; \
	static name##_fn *name(void) \
	{ \
		return (name##_fn *)(uintptr_t)cuaudit_real(CUAUDIT_ID_##symbol); \
	}
#include "hooks/modules/rules/rules.def"

#define ask(name, ...) (name() ? name()(__VA_ARGS__) : CUDA_ERROR_NOT_FOUND)

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
