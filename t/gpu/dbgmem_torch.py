# SPDX-License-Identifier: Apache-2.0
"""Gives the address of a tensor on the GPU to ctypes.memmove."""
import ctypes

import torch

tensor = torch.arange(1 << 20, dtype=torch.float32, device="cuda")
host = torch.arange(1 << 10, dtype=torch.float32).pin_memory()
here = ctypes.create_string_buffer(4096)
ctypes.memmove(here, host.data_ptr(), 4096)
print("pinned came through", flush=True)
ctypes.memmove(here, tensor.data_ptr(), 4096)
print("device came through")
