# SPDX-License-Identifier: Apache-2.0
"""Steps on the simulated driver in nine threads: NVTX ranges, the runtime, kernels. Its child is killed amid a call."""
import ctypes
import os
import signal
import subprocess
import sys
import threading

PTX = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry gemm(.param .u64 a)\n{\nret;\n}\n"

driver = ctypes.CDLL("libcuda.so.1")
runtime = ctypes.CDLL("libcudart.so.13")
nvtx = ctypes.CDLL("library.so")
context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()


def begin():
    nvtx.library_initialize()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)
    if driver.cuModuleLoadData(ctypes.byref(module), PTX):
        sys.exit("no module")
    driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"gemm")


def load(pointer, size):
    return runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size))


def forward(weights):
    parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(weights), ctypes.c_void_p))
    return driver.cuLaunchKernel(kernel, 2, 1, 1, 32, 1, 1, 0, None, parameters, None)


def step(number):
    nvtx.library_push(b"step %d" % number)
    weights = ctypes.c_void_p()
    nvtx.library_push(b"load")
    load(weights, 4096)
    nvtx.library_pop()
    nvtx.library_push(b"forward")
    forward(weights)
    nvtx.library_pop()
    load(weights, 0)
    driver.cuMemFree_v2(weights)
    nvtx.library_pop()


def work():
    driver.cuCtxSetCurrent(context)
    for number in range(10):
        step(number)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def leave(_):
    os.kill(os.getpid(), signal.SIGKILL)


begin()
if len(sys.argv) > 1:
    nvtx.library_push(b"never popped")
    driver.cuLaunchHostFunc(None, leave, None)
    driver.cuStreamSynchronize(None)
    sys.exit("not killed")
others = [threading.Thread(target=work) for _ in range(8)]
for other in others:
    other.start()
for other in others:
    other.join()
work()
subprocess.run([sys.executable, __file__, "child"], check=False)
