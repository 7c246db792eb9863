# SPDX-License-Identifier: Apache-2.0
"""PyTorch under limit(device0=4GiB): what it is told, whether its context is part of it, how much it gets, twice."""
import torch

GIB = 1 << 30
free, total = torch.cuda.mem_get_info()
print("told", total / GIB)
print("context", total - free > 50 << 20)
least = free / GIB - 0.5  # its kernels are loaded meanwhile
for attempt in range(2):
    blocks = []
    try:
        while len(blocks) < 1000:
            blocks.append(torch.zeros(64 << 20, dtype=torch.uint8, device="cuda"))
    except torch.cuda.OutOfMemoryError:
        pass
    print("got", least <= len(blocks) * (64 << 20) / GIB <= 4)
    del blocks
    torch.cuda.empty_cache()
torch.cuda.synchronize()
free, total = torch.cuda.mem_get_info()
print("back", free / GIB > least + 0.3)
