# SPDX-License-Identifier: Apache-2.0
# Three calls that fail, from lines that have a mark: the program of attribution.sh.
import ctypes

import cupy
import torch

driver = ctypes.CDLL("libcuda.so.1")
kernel = cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing")


def allocation():
    try:
        torch.empty(1 << 44, dtype=torch.uint8, device="cuda")  # mark: cuMemAlloc_v2 CUDA_ERROR_OUT_OF_MEMORY
    except torch.OutOfMemoryError:
        pass


def module():
    loaded = ctypes.c_void_p()
    driver.cuModuleLoadData(ctypes.byref(loaded), b"no module")  # mark: cuModuleLoadData CUDA_ERROR_INVALID_IMAGE


def launch():
    try:
        kernel((1,), (4096,), ())  # mark: cuLaunchKernel CUDA_ERROR_INVALID_VALUE
    except cupy.cuda.driver.CUDADriverError:
        pass


torch.zeros(1, device="cuda")
kernel((1,), (1,), ())
allocation()
module()
launch()
torch.cuda.synchronize()
