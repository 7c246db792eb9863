# SPDX-License-Identifier: Apache-2.0
"""A kernel written in Triton."""
import torch
import triton
import triton.language as tl


@triton.jit
def double_and_one(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2 + 1, mask=at < n)


x = torch.arange(10000, device="cuda", dtype=torch.float32)
y = torch.empty_like(x)
double_and_one[(40,)](x, y, 10000, BLOCK=256)
print("triton", y.sum().item())
