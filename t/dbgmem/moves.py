# SPDX-License-Identifier: Apache-2.0
"""Gives device memory to ctypes.memmove; the argument is the driver's library."""
import ctypes
import sys

driver = ctypes.CDLL(sys.argv[1])
context = ctypes.c_void_p()
memory = ctypes.c_uint64()
here = ctypes.create_string_buffer(100)
assert not driver.cuInit(0)
assert not driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
assert not driver.cuCtxSetCurrent(context)
assert not driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4 << 20))
ctypes.memmove(here, ctypes.string_at(here, 100), 100)
print("so far right", flush=True)
ctypes.memmove(here, memory.value, 100)
print("came through")
