/* SPDX-License-Identifier: Apache-2.0 */
/* What the limit hook asks of the driver itself. Context of all: call. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_DRIVER_H
#define HOOKS_MODULES_LIMIT_LIMIT_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/cuda_types.h>

/* The device of the current context, or of a stream's; -1 if there is none. */
int driver_device(void);
int driver_stream_device(CUstream stream);

/* How many devices the program sees, -1 before cuInit; and the memory of one, 0 if unknown. */
int driver_devices(void);
uint64_t driver_total(int device);

/* A number no other context has, or had; NULL: the current one. 0: unknown. */
uint64_t driver_context(CUcontext context);

/* The same of a device's primary context; 0 while it is not active. */
uint64_t driver_primary(CUdevice device);

bool driver_capturing(CUstream stream);

/* The pool a device allocates from, and whether it is a device's first pool. */
CUmemoryPool driver_pool(CUdevice device);
bool driver_is_default(CUmemoryPool pool, CUdevice device);

/* Whether the driver knows a pool. */
bool driver_pool_is(CUmemoryPool pool);

/* What a pool, or all graphs of a device, hold; then what they need not is given back. */
uint64_t driver_pool_holds(CUmemoryPool pool);
uint64_t driver_graphs_hold(CUdevice device);
void driver_pool_trim(CUmemoryPool pool);
void driver_graphs_trim(CUdevice device);

/* What the nodes of a graph allocate, and on which device; -1 for none. UINT64_MAX: no memory. */
uint64_t driver_graph_needs(CUgraph graph, int *device);

/* The device of physical memory, -1 for the host's. */
int driver_handle_device(CUmemGenericAllocationHandle handle);

/* The size of the allocation that begins at an address, 0 if there is none. */
uint64_t driver_size(CUdeviceptr address);

/* What identifies a device, or the part of one that the program sees; false: unknown. */
bool driver_uuid(int device, uint8_t uuid[16]);

/* Whether one process at a time may have a context on it. */
bool driver_is_exclusive(int device);

/*
 * An event without time in the current context; NULL, or false, for an error. None of these ends a
 * capture. One that failed is not pending.
 */
CUevent driver_event_create(void);
void driver_event_destroy(CUevent event);
bool driver_event_record(CUevent event, CUstream stream);
bool driver_event_pending(CUevent event);

/* Give back what is not to be. */
void driver_undo(CUdeviceptr address);
void driver_undo_async(CUdeviceptr address, CUstream stream);
void driver_undo_open(CUdeviceptr address);

#endif
