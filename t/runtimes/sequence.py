# SPDX-License-Identifier: Apache-2.0
"""A sequence of driver calls by cuda-bindings; prints each result and whether bytes came back."""
from cuda.bindings import driver

SIZE = 1 << 16


def call(function, *arguments):
    result, *values = function(*arguments)
    print(function.__name__, int(result))
    return values[0] if values else None


def context(device):
    # Its first parameter came with CUDA 13.
    try:
        return call(driver.cuCtxCreate, None, 0, device)
    except TypeError:
        return call(driver.cuCtxCreate, 0, device)


call(driver.cuInit, 0)
print("version", call(driver.cuDriverGetVersion))
print("devices", call(driver.cuDeviceGetCount))
device = call(driver.cuDeviceGet, 0)
current = context(device)
sent = bytes(i * 7 % 251 for i in range(SIZE))
received = bytearray(SIZE)
first = call(driver.cuMemAlloc, SIZE)
second = call(driver.cuMemAlloc, SIZE)
call(driver.cuMemcpyHtoD, first, sent, SIZE)
call(driver.cuMemcpyDtoD, second, first, SIZE)
call(driver.cuMemcpyDtoH, received, second, SIZE)
print("the same bytes", bytes(received) == sent)
for i in range(10):
    call(driver.cuMemsetD8, second, i, SIZE)
call(driver.cuMemcpyDtoH, received, second, SIZE)
print("the last value", received == bytes([9]) * SIZE)
call(driver.cuMemFree, first)
call(driver.cuMemFree, second)
call(driver.cuMemFree, second)
call(driver.cuCtxDestroy, current)
