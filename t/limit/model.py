# SPDX-License-Identifier: Apache-2.0
"""The limit's accounts against a model of them: model.py OPERATIONS SEED FAULTS PROCESS USER.

Memory of each kind is taken and given back in a random order, on two devices, under a quota
for each, one for the process and one for the user. After each operation what is left, as the
program sees it, has to be what the model says. PROCESS and USER are those two quotas in MiB. The model adds up what it asked for; what pools
hold it asks the driver. FAULTS is 1 where calls fail that the limit would have let through.
Prints what happened, and ends with 1 at the first difference."""

import ctypes
import random
import sys

MIB = 1 << 20
DEVICE = [40 * MIB, 24 * MIB]
OUT_OF_MEMORY = 2
RESERVED = 5  # CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT

driver = ctypes.CDLL("libcuda.so.1")
operations, seed, faults = (int(a) for a in sys.argv[1:4])
PROCESS, USER = (int(a) * MIB for a in sys.argv[4:6])
choose = random.Random(seed)


class Flat(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t),
                ("format", ctypes.c_int), ("channels", ctypes.c_uint)]


class Cube(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t),
                ("depth", ctypes.c_size_t), ("format", ctypes.c_int),
                ("channels", ctypes.c_uint), ("flags", ctypes.c_uint)]


class Physical(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("place", ctypes.c_int),
                ("device", ctypes.c_int), ("security", ctypes.c_void_p), ("rest", ctypes.c_uint64)]


class Pool(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("place", ctypes.c_int),
                ("device", ctypes.c_int), ("security", ctypes.c_void_p), ("most", ctypes.c_size_t),
                ("rest", ctypes.c_char * 56)]


class Context:
    def __init__(self, device, handle, primary):
        self.device, self.handle, self.primary = device, handle, primary


class Thing:
    """What was allocated: bytes are charged to a device until it is freed."""

    def __init__(self, kind, value, size):
        self.kind, self.value, self.size = kind, value, size
        self.context, self.device = current, current.device
        self.holds = 1  # handles and mappings of physical memory
        self.handles, self.mapped = 1, []


def call(name, *arguments):
    return getattr(driver, name)(*arguments)


def must(name, *arguments):
    result = call(name, *arguments)
    while faults and result == OUT_OF_MEMORY:
        result = call(name, *arguments)
    if result:
        fail(f"{name} answers {result}")


def fail(why):
    print(f"{why}, operation {done} of seed {seed}: {last}; things {len(things)}")
    sys.exit(1)


def rounded(size):
    return (size + 511) // 512 * 512


def out():
    return ctypes.c_uint64(0)


def held(pool):
    value = out()
    must("cuMemPoolGetAttribute", pool, RESERVED, ctypes.byref(value))
    return value.value


def used(device):
    return (sum(t.size for t in things if t.device == device) +
            sum(held(p) for p, d in pools if d == device))


def left(device):
    both = [used(0), used(1)]
    return min(DEVICE[device] - both[device], PROCESS - sum(both), USER - sum(both))


# Each kind: asks for memory, and returns the result, the value and what is charged.
def linear():
    value, size = out(), choose.randrange(1, 6 * MIB)
    return call("cuMemAlloc_v2", ctypes.byref(value), ctypes.c_size_t(size)), value, rounded(size)


def managed():
    value, size = out(), choose.randrange(1, 6 * MIB)
    return (call("cuMemAllocManaged", ctypes.byref(value), ctypes.c_size_t(size), 1), value,
            rounded(size))


def pitched():
    value, pitch = out(), ctypes.c_size_t(0)
    width, height = choose.randrange(1, 5000), choose.randrange(1, 1000)
    result = call("cuMemAllocPitch_v2", ctypes.byref(value), ctypes.byref(pitch),
                  ctypes.c_size_t(width), ctypes.c_size_t(height), 4)
    return result, value, (rounded(width) if result else pitch.value) * height


def array():
    value = out()
    texels = Flat(choose.randrange(1, 800), choose.randrange(0, 800), 0x20, choose.choice([1, 2, 4]))
    result = call("cuArrayCreate_v2", ctypes.byref(value), ctypes.byref(texels))
    return result, value, rounded(texels.width * max(texels.height, 1) * 4 * texels.channels)


def cube():
    value = out()
    texels = Cube(choose.randrange(1, 90), choose.randrange(1, 90), choose.randrange(1, 60), 0x01, 2, 0)
    result = call("cuArray3DCreate_v2", ctypes.byref(value), ctypes.byref(texels))
    return result, value, rounded(texels.width * texels.height * texels.depth * 2)


def physical():
    value, size = out(), 2 * MIB * choose.randrange(1, 4)
    wanted = Physical(1, 0, 1, current.device, None, 0)
    return (call("cuMemCreate", ctypes.byref(value), ctypes.c_size_t(size), ctypes.byref(wanted),
                 ctypes.c_uint64(0)), value, size)


FREES = {linear: "cuMemFree_v2", managed: "cuMemFree_v2", pitched: "cuMemFree_v2",
         array: "cuArrayDestroy", cube: "cuArrayDestroy", physical: "cuMemRelease"}


def allocate():
    global refused, injected
    kind = choose.choice(list(FREES))
    result, value, size = kind()
    fits = size <= left(current.device)
    if not result:
        if not fits:
            fail(f"{kind.__name__} of {size} bytes over the quota")
        things.append(Thing(kind, value, size))
    elif result != OUT_OF_MEMORY:
        fail(f"{kind.__name__} answers {result}")
    elif fits and not faults:
        fail(f"{kind.__name__} of {size} bytes refused")
    injected += bool(result) and fits
    refused += bool(result) and not fits
    return kind.__name__


def drop(thing):
    thing.holds -= 1
    if not thing.holds:
        things.remove(thing)


def free():
    if not things:
        return "nothing to free"
    thing = choose.choice(things)
    if not thing.handles:
        return unmap(thing)
    if not call(FREES[thing.kind], thing.value):
        thing.handles -= 1
        drop(thing)
    return f"free of {thing.kind.__name__}"


def map_physical():
    candidates = [t for t in things if t.kind == physical and t.handles]
    if not candidates:
        return "nothing to map"
    thing, address, size = choose.choice(candidates), out(), 0
    size = ctypes.c_size_t(thing.size)
    must("cuMemAddressReserve", ctypes.byref(address), size, ctypes.c_size_t(0), out(), out())
    if call("cuMemMap", address, size, ctypes.c_size_t(0), thing.value, out()):
        must("cuMemAddressFree", address, size)
    else:
        thing.mapped.append(address)
        thing.holds += 1
    return "mapping"


def unmap(thing=None):
    candidates = [thing] if thing else [t for t in things if t.mapped]
    if not candidates:
        return "nothing to unmap"
    thing = choose.choice(candidates)
    size = ctypes.c_size_t(thing.size)
    if not call("cuMemUnmap", thing.mapped[-1], size):
        must("cuMemAddressFree", thing.mapped.pop(), size)
        drop(thing)
    return "unmapping"


def retain():
    candidates = [t for t in things if t.mapped]
    if not candidates:
        return "nothing to retain"
    thing, value = choose.choice(candidates), out()
    if not call("cuMemRetainAllocationHandle", ctypes.byref(value), thing.mapped[0]):
        thing.handles += 1
        thing.holds += 1
        thing.value = value
    return "retaining"


def pooled():
    value, size = out(), ctypes.c_size_t(512 * choose.randrange(1, 6000))
    before = left(current.device)
    if choose.randrange(2):
        result = call("cuMemAllocAsync", ctypes.byref(value), size, None)
    else:
        pool = choose.choice([p for p, d in pools if d == current.device])
        result = call("cuMemAllocFromPoolAsync", ctypes.byref(value), size, pool, None)
    if not result:
        blocks.append(value)
    elif result != OUT_OF_MEMORY:
        fail(f"a pool answers {result}")
    elif not faults and before > 128 * MIB:
        fail("a pool refused")
    return "of a pool"


def unpooled():
    if blocks:
        at = choose.randrange(len(blocks))
        if not call(choose.choice(["cuMemFreeAsync", "cuMemFree_v2"]), blocks[at], None):
            must("cuCtxSynchronize")
            blocks.pop(at)
    return "back to a pool"


def trim():
    must("cuMemPoolTrimTo", choose.choice(pools)[0], ctypes.c_size_t(0))
    return "trimming"


def switch():
    global current
    current = choose.choice(contexts)
    must("cuCtxSetCurrent", current.handle)
    return f"device {current.device}"


def create_context():
    global current
    if len(contexts) > 4:
        return "enough contexts"
    handle, device = ctypes.c_void_p(), choose.randrange(2)
    must("cuCtxCreate_v2", ctypes.byref(handle), 0, device)
    current = Context(device, handle, False)
    contexts.append(current)
    return "a context"


def end_context():
    candidates = [c for c in contexts if not c.primary and c is not current]
    if not candidates:
        return "no context to end"
    context = choose.choice(candidates)
    must("cuCtxDestroy_v2", context.handle)
    contexts.remove(context)
    things[:] = [t for t in things if t.context is not context or t.kind == physical]
    return "a context's end"


contexts, pools, things, blocks = [], [], [], []
refused = injected = done = 0
last = "nothing"
current = None

must("cuInit", 0)
for number in range(2):
    handle, pool = ctypes.c_void_p(), ctypes.c_void_p()
    must("cuDevicePrimaryCtxRetain", ctypes.byref(handle), number)
    contexts.append(Context(number, handle, True))
    must("cuDeviceGetDefaultMemPool", ctypes.byref(pool), number)
    pools.append((pool, number))
    pool = ctypes.c_void_p()
    must("cuMemPoolCreate", ctypes.byref(pool), ctypes.byref(Pool(1, 0, 1, number, None, 0, b"")))
    pools.append((pool, number))
switch()

WEIGHTS = {allocate: 40, free: 30, map_physical: 5, unmap: 4, retain: 2, pooled: 8, unpooled: 8,
           trim: 1, switch: 6, create_context: 2, end_context: 1}
for done in range(operations):
    last = choose.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]()
    free_bytes, all_bytes = ctypes.c_size_t(0), ctypes.c_size_t(0)
    must("cuMemGetInfo_v2", ctypes.byref(free_bytes), ctypes.byref(all_bytes))
    if free_bytes.value != left(current.device):
        fail(f"{free_bytes.value} bytes are left, not {left(current.device)}")
print(f"{done + 1} operations, {refused} refused, {injected} failed; in use {used(0)} {used(1)}")
sys.exit(not refused or bool(faults) != bool(injected))
