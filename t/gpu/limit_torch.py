# SPDX-License-Identifier: Apache-2.0
"""PyTorch under limit(device0=4GiB): what it is told, how much it gets, twice."""
import torch

GIB = 1 << 30
free, total = torch.cuda.mem_get_info()
print("told", total / GIB)
for attempt in range(2):
    blocks = []
    try:
        while len(blocks) < 1000:
            blocks.append(torch.zeros(64 << 20, dtype=torch.uint8, device="cuda"))
    except torch.cuda.OutOfMemoryError:
        pass
    print("got", 3.5 <= len(blocks) * (64 << 20) / GIB <= 4)
    del blocks
    torch.cuda.empty_cache()
torch.cuda.synchronize()
free, total = torch.cuda.mem_get_info()
print("back", free > 3.9 * GIB)
