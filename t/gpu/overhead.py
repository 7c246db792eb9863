# SPDX-License-Identifier: Apache-2.0
"""The time of a training step, of small operations or of a model, as a line of JSON.

overhead.py small|model [kineto]: the latter under the PyTorch profiler. quartile_us is what a
quarter of the steps took no longer than: other users of the machine make steps longer, not shorter.
"""
import gc
import json
import sys
import time

import torch

torch.manual_seed(7)
torch.backends.cuda.matmul.allow_tf32 = True
STEPS = {"small": 1000, "model": 30}
WARM = 20


def small():
    """Launches of kernels that take no time: the host is what is waited for."""
    layers = [torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.LayerNorm(32), torch.nn.GELU())
              for _ in range(16)]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(32, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, foreach=False)
    x, y = torch.randn(8, 32, device="cuda"), torch.randn(8, 1, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return step


def model():
    """A decoder of 24 layers, 200 million parameters, in bfloat16."""
    layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, norm_first=True,
                                             dropout=0.0, activation="gelu")
    net = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 24, enable_nested_tensor=False),
                              torch.nn.Linear(1024, 1024)).cuda().bfloat16()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    x = torch.randn(16, 512, 1024, device="cuda", dtype=torch.bfloat16)

    def step():
        optimizer.zero_grad(set_to_none=True)
        net(x).float().square().mean().backward()
        optimizer.step()
    return step


def measure(step, steps):
    times = []
    for i in range(WARM + steps):
        torch.cuda.synchronize()
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        if i >= WARM:
            times.append(time.perf_counter() - start)
    times.sort()
    return times


def main():
    name = sys.argv[1]
    step = {"small": small, "model": model}[name]()
    gc.disable()
    if sys.argv[2:] == ["kineto"]:
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
            times = measure(step, STEPS[name])
    else:
        times = measure(step, STEPS[name])
    print(json.dumps({"step": name, "quartile_us": round(times[len(times) // 4] * 1e6, 2),
                      "median_us": round(times[len(times) // 2] * 1e6, 2)}), flush=True)


main()
