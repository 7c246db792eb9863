# SPDX-License-Identifier: Apache-2.0
"""PyTorch at work, and beside it a stream and a megabyte that nobody gives back."""
import ctypes

import torch

a = torch.ones(1 << 20, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    b = a.cumsum(0)
event = torch.cuda.Event()
event.record(side)
event.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    c = a + 1
graph.replay()
torch.cuda.synchronize()
print("sum %.0f" % (b[-1].item() + c.sum().item()))
del graph, c, event
driver = ctypes.CDLL("libcuda.so.1")
stream, memory = ctypes.c_void_p(), ctypes.c_uint64()
assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
assert driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1 << 20)) == 0
