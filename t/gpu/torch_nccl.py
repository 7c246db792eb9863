# SPDX-License-Identifier: Apache-2.0
# PyTorch with NCCL: ten all_reduce of 4 MiB and a product in each process, one process a GPU, in NVTX
# ranges; prints the sums.
import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, world):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29531")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world)
    values = torch.ones(1 << 20, device="cuda") * (rank + 1)
    matrix = torch.ones(64, 64, device="cuda")
    for step in range(10):
        with torch.cuda.nvtx.range(f"step {step}"):
            reduced = values.clone()
            with torch.cuda.nvtx.range("all_reduce"):
                dist.all_reduce(reduced)
    torch.cuda.synchronize()
    print("rank", rank, "of", world, "sum", reduced[0].item(), "product", (matrix @ matrix)[0, 0].item(), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    count = torch.cuda.device_count() if len(sys.argv) < 2 else int(sys.argv[1])
    if count == 1:
        work(0, 1)
    else:
        mp.spawn(work, args=(count,), nprocs=count)
