# SPDX-License-Identifier: Apache-2.0
# Calls Python from C from Python, and there the driver, or a function that waits: usage: native.py driver|wait.
import ctypes
import sys

libc = ctypes.CDLL(None)
if sys.argv[1] == "driver":
    target, arguments = ctypes.CDLL("libcuda.so.1").cuDriverGetVersion, (ctypes.byref(ctypes.c_int()),)
else:
    target, arguments = libc.poll, (None, 0, 20000)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def compare(a, b):
    inner()
    return 0


def inner():
    target(*arguments)


def outer():
    libc.qsort((ctypes.c_int * 2)(2, 1), 2, 4, compare)


print("waits", flush=True)
list(map(lambda _: outer(), [0]))
