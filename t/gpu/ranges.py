# SPDX-License-Identifier: Apache-2.0
# Thirty steps in NVTX ranges, a launch in each: usage: ranges.py torch|cupy|nvtx
import contextlib
import sys

import torch

if sys.argv[1] == "nvtx":
    import nvtx

    def step(number):
        return nvtx.annotate("step %d" % number, color="blue", domain="steps", category="loop", payload=number)
elif sys.argv[1] == "cupy":
    import cupy.cuda.nvtx

    @contextlib.contextmanager
    def step(number):
        cupy.cuda.nvtx.RangePush("step %d" % number)
        yield
        cupy.cuda.nvtx.RangePop()
else:
    def step(number):
        return torch.cuda.nvtx.range("step %d" % number)

x = torch.zeros(8, device="cuda")
x.add_(1)
torch.cuda.synchronize()
for i in range(30):
    with step(i):
        x.add_(1)
torch.cuda.synchronize()
