# SPDX-License-Identifier: Apache-2.0
"""A context under a quota: whether it counts, whether what is left can be had, whether NVML is loaded."""
import ctypes
import threading

cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
free, total = ctypes.c_size_t(), ctypes.c_size_t()


def told():
    cuda.cuCtxSetCurrent(context)
    cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))


cuda.cuInit(0) or cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
threading.stack_size(32 << 10)
thread = threading.Thread(target=told)
thread.start()
thread.join()
limited = total.value == 4 << 30
counts = limited and 50 << 20 < total.value - free.value < 2 << 30
# A device without a quota is left as it is.
size = free.value - (64 << 20) if limited else 64 << 20
had = not cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size))
with open("/proc/self/maps") as maps:
    print(counts, had, "libnvidia-ml" in maps.read())
