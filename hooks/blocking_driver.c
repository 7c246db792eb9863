/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the driver itself to know whether a call waits. */
#include "hooks/blocking_driver.h"

#include <errno.h>
#include <stddef.h>

#include "hooks/driver_ask.h"

#include "hooks/blocking_driver.def"

/*
 * A call that is unsafe while the thread captures a stream ends the capture, and there is no list of
 * such calls. In the relaxed mode they do not (API, the description of the exchange).
 */
static bool relax(CUstreamCaptureMode *mode)
{
	*mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	return !ask(capture_mode, mode);
}

/* Several of one address; one that the driver does not know is no error, and has zeros. */
static bool attributes(uint64_t address, unsigned int count, CUpointer_attribute *which,
		       void **values)
{
	CUstreamCaptureMode mode;
	int error = errno;
	bool relaxed = relax(&mode);
	CUresult result = ask(pointer_attributes, count, which, values, address);

	if (relaxed)
		ask(capture_mode, &mode);
	errno = error;
	return !result;
}

enum blocking_memory blocking_memory_at(uint64_t address)
{
	CUpointer_attribute which[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED
	};
	unsigned int type = 0, managed = 0;
	void *values[] = { &type, &managed };

	if (!attributes(address, 2, which, values) || !type)
		return BLOCKING_PAGEABLE;
	if (managed)
		return BLOCKING_MANAGED;
	return type == CU_MEMORYTYPE_HOST ? BLOCKING_PINNED : BLOCKING_DEVICE;
}

bool blocking_in_pool(uint64_t address)
{
	CUpointer_attribute which = CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
	CUmemoryPool pool = NULL;
	void *value = &pool;

	return attributes(address, 1, &which, &value) && pool;
}

bool blocking_captured(uint64_t stream)
{
	CUstreamCaptureStatus status;
	int error = errno;
	CUresult result = ask(stream_capturing, (CUstream)(uintptr_t)stream, &status);

	errno = error;
	return !result && status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}
