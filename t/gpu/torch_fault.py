# SPDX-License-Identifier: Apache-2.0
"""Ten tensors of 64 MiB; what PyTorch makes of allocations that fail."""
import torch

failed, held = [], []
for i in range(10):
    try:
        held.append(torch.empty(64 << 20, dtype=torch.uint8, device="cuda"))
    except torch.cuda.OutOfMemoryError:
        failed.append(i)
stats = torch.cuda.memory_stats()
print("failed", failed, "retries", stats["num_alloc_retries"], "ooms", stats["num_ooms"])
print("and works", (torch.ones(1000, device="cuda") + 1).sum().item())
