/* SPDX-License-Identifier: Apache-2.0 */
/* What the limit hook asks of the driver itself. */
#include "hooks/modules/limit/limit_driver.h"

#include <errno.h>
#include <string.h>

#include "hooks/driver_ask.h"

#include "hooks/modules/limit/limit_driver.def"
#include "util/pages.h"

/* An attribute of devices, and one of its values: one process at a time. */
enum { COMPUTE_MODE = 20, EXCLUSIVE_PROCESS = 3 };

/* A flag of events. */
enum { DISABLE_TIMING = 2 };

int driver_device(void)
{
	CUdevice device;

	return ask(context_device, &device) ? -1 : device;
}

int driver_devices(void)
{
	int count;

	return ask(device_count, &count) ? -1 : count;
}

uint64_t driver_total(int device)
{
	CUdevice handle;
	size_t bytes;

	return ask(device_get, &handle, device) || ask(device_total, &bytes, handle) ? 0 : bytes;
}

static int device_of(CUcontext context)
{
	CUcontext current;
	int device;

	if (!ask(context_current, &current) && current == context)
		return driver_device();
	if (ask(context_push, context))
		return -1;
	device = driver_device();
	ask(context_pop, &current);
	return device;
}

/* One of the default streams, which are the current context's. */
static bool is_default(CUstream stream)
{
	return (uintptr_t)stream <= (uintptr_t)CU_STREAM_PER_THREAD;
}

int driver_stream_device(CUstream stream)
{
	CUcontext context;

	if (is_default(stream) || ask(stream_context, stream, &context))
		return driver_device();
	return device_of(context);
}

uint64_t driver_context(CUcontext context)
{
	unsigned long long id;

	if (!ask(context_id, context, &id))
		return id + 1;
	if (!context && ask(context_current, &context))
		return 0;
	return (uintptr_t)context;
}

uint64_t driver_primary(CUdevice device)
{
	CUcontext context;
	unsigned int flags;
	uint64_t id;
	int active;

	if (ask(primary_state, device, &flags, &active) || !active ||
	    ask(primary_retain, &context, device))
		return 0;
	id = driver_context(context);
	ask(primary_release, device);
	return id;
}

bool driver_capturing(CUstream stream)
{
	CUstreamCaptureStatus status;

	/* The legacy stream cannot be captured, and asking would end others' captures. */
	return (uintptr_t)stream > (uintptr_t)CU_STREAM_LEGACY &&
	       !ask(stream_capturing, stream, &status) &&
	       status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUmemoryPool driver_pool(CUdevice device)
{
	CUmemoryPool pool;

	return ask(device_pool, &pool, device) ? NULL : pool;
}

bool driver_is_default(CUmemoryPool pool, CUdevice device)
{
	CUmemoryPool its;

	return !ask(default_pool, &its, device) && its == pool;
}

uint64_t driver_pool_holds(CUmemoryPool pool)
{
	cuuint64_t bytes;

	return ask(pool_attribute, pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes) ? 0 : bytes;
}

bool driver_pool_is(CUmemoryPool pool)
{
	cuuint64_t bytes;
	CUresult result = ask(pool_attribute, pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes);

	return !result || result == CUDA_ERROR_NOT_FOUND;
}

uint64_t driver_graphs_hold(CUdevice device)
{
	cuuint64_t bytes;

	return ask(graph_attribute, device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes) ?
	       0 : bytes;
}

/* What the program did not ask for is not to end a capture of one of its streams. */
static CUstreamCaptureMode relax(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	ask(capture_mode, &mode);
	return mode;
}

static void restore(CUstreamCaptureMode mode)
{
	ask(capture_mode, &mode);
}

void driver_pool_trim(CUmemoryPool pool)
{
	CUstreamCaptureMode mode = relax();

	ask(pool_trim, pool, 0);
	restore(mode);
}

void driver_graphs_trim(CUdevice device)
{
	CUstreamCaptureMode mode = relax();

	ask(graph_trim, device);
	restore(mode);
}

static uint64_t node_needs(CUgraphNode node, int *device)
{
	CUDA_MEM_ALLOC_NODE_PARAMS params;
	CUgraphNodeType type;
	CUgraph child;

	if (ask(node_type, node, &type))
		return 0;
	if (type == CU_GRAPH_NODE_TYPE_GRAPH && !ask(node_child, node, &child))
		return driver_graph_needs(child, device);
	if (type != CU_GRAPH_NODE_TYPE_MEM_ALLOC || ask(node_allocates, node, &params) ||
	    params.poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return 0;
	*device = params.poolProps.location.id;
	return params.bytesize;
}

uint64_t driver_graph_needs(CUgraph graph, int *device)
{
	uint64_t bytes = 0, more;
	size_t count = 0, most, room;
	CUgraphNode *nodes;
	int error = errno;

	*device = -1;
	if (ask(graph_nodes, graph, NULL, &count) || !count)
		return 0;
	most = count;
	room = most * sizeof(*nodes);
	nodes = pages_map(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (nodes == MAP_FAILED) {
		errno = error;
		return UINT64_MAX;
	}
	if (!ask(graph_nodes, graph, nodes, &count))
		for (size_t i = 0; i < count && i < most; i++) {
			int its = -1;

			more = node_needs(nodes[i], &its);
			bytes = bytes > UINT64_MAX - more ? UINT64_MAX : bytes + more;
			if (its >= 0)
				*device = its;
		}
	pages_unmap(nodes, room);
	errno = error;
	return bytes;
}

int driver_handle_device(CUmemGenericAllocationHandle handle)
{
	CUmemAllocationProp prop;

	return ask(handle_properties, &prop, handle) ||
	       prop.location.type != CU_MEM_LOCATION_TYPE_DEVICE ? -1 : prop.location.id;
}

uint64_t driver_size(CUdeviceptr address)
{
	CUdeviceptr base;
	size_t size;

	return ask(address_range, &base, &size, address) ? 0 : size;
}

void driver_undo(CUdeviceptr address)
{
	CUstreamCaptureMode mode = relax();

	ask(undo, address);
	restore(mode);
}

void driver_undo_async(CUdeviceptr address, CUstream stream)
{
	ask(undo_async, address, stream);
}

void driver_undo_open(CUdeviceptr address)
{
	CUstreamCaptureMode mode = relax();

	if (ask(undo_open, address))
		ask(undo, address);
	restore(mode);
}

bool driver_uuid(int device, uint8_t uuid[16])
{
	CUdevice handle;
	CUuuid its;

	if (ask(device_get, &handle, device) ||
	    (ask(device_uuid, &its, handle) && ask(device_uuid_old, &its, handle)))
		return false;
	memcpy(uuid, its.bytes, sizeof(its.bytes));
	return true;
}

bool driver_is_exclusive(int device)
{
	CUdevice handle;
	int mode;

	return !ask(device_get, &handle, device) &&
	       !ask(device_attribute, &mode, COMPUTE_MODE, handle) &&
	       mode == EXCLUSIVE_PROCESS;
}

CUevent driver_event_create(void)
{
	CUstreamCaptureMode mode = relax();
	CUevent event;
	CUresult result = ask(event_create, &event, DISABLE_TIMING);

	restore(mode);
	return result ? NULL : event;
}

void driver_event_destroy(CUevent event)
{
	CUstreamCaptureMode mode = relax();

	ask(event_destroy, event);
	restore(mode);
}

bool driver_event_record(CUevent event, CUstream stream)
{
	CUstreamCaptureMode mode = relax();
	CUresult result = ask(event_record, event, stream);

	restore(mode);
	return !result;
}

bool driver_event_pending(CUevent event)
{
	CUstreamCaptureMode mode = relax();
	CUresult result = ask(event_query, event);

	restore(mode);
	return result == CUDA_ERROR_NOT_READY;
}
