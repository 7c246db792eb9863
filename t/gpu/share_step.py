# SPDX-License-Identifier: Apache-2.0
"""share_step.py torch small|large SECONDS FILE NUMBER PROCESSES, or jax SECONDS ...: training steps for so long, from
when all processes are ready. Prints as share.cu does, for the sum one of the parameters after some of these steps."""
import hashlib
import mmap
import os
import sys
import time

SUMMED = 8


def torch_step(size):
    import torch
    torch.manual_seed(0)
    width, rows = (256, 64) if size == "small" else (4096, 4096)
    layers = []
    for _ in range(6):
        layers += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(rows, width, device="cuda")

    def step():
        optimizer.zero_grad()
        loss = model(data).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()


    def parameters():
        return [parameter.detach().clone() for parameter in model.parameters()]
    return step, parameters


def jax_step():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    # Kernels are chosen by what they take, and so by what else the device does meanwhile: by rules.
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_autotune_level=0 --xla_gpu_enable_triton_gemm=false"
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(weights, data):
        gradient = jax.grad(lambda w: jnp.mean(jnp.tanh(data @ w) ** 2))(weights)
        return weights - 0.01 * gradient
    state = [jnp.ones((2048, 2048)) / 2048]
    data = jnp.ones((2048, 2048))

    def run():
        state[0] = step(state[0], data)
        state[0].block_until_ready()


    def parameters():
        return list(state)
    return run, parameters


def digest(arrays):
    """Of their bytes, whether they are PyTorch's or JAX's."""
    import numpy
    made = hashlib.sha256()
    for array in arrays:
        made.update(numpy.asarray(array.cpu() if hasattr(array, "cpu") else array).tobytes())
    return made.hexdigest()[:16]


def together(path, number, processes):
    """Each makes its byte 1; returns when all are."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(fd, 64)
    ready = mmap.mmap(fd, 64)
    ready[number] = 1
    while sum(ready[:]) < processes:
        time.sleep(0.001)


def main():
    kind, *rest = sys.argv[1:]
    run, parameters = torch_step(rest.pop(0)) if kind == "torch" else jax_step()
    for _ in range(20):
        run()
    together(rest[1], int(rest[2]), int(rest[3]))
    rounds, gap, summed = 0, 0.0, None
    start = last = time.monotonic()
    while last < start + float(rest[0]):
        run()
        rounds += 1
        now = time.monotonic()
        gap = max(gap, now - last)
        last = now
        if rounds == SUMMED:
            summed = parameters()
    print(rounds, "%.2f" % (rounds / (last - start)), "%.1f" % (gap * 1000), digest(summed) if summed else "none")


if __name__ == "__main__":
    main()
