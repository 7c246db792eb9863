# SPDX-License-Identifier: Apache-2.0
"""Steps of a small PyTorch model, with a fault in them that a gate is to find, or without.

torch_step.py NAME broken|clean STEPS. The line at which a fault calls the driver ends in
"# breaks NAME"; torch_step_NAME.rules finds it. Prints the steps that were made.
"""
import contextlib
import os
import sys
import threading

import torch

WARM = 20


class Model:
    def __init__(self, device):
        torch.manual_seed(7)
        layers = [layer for _ in range(4) for layer in (torch.nn.Linear(64, 64), torch.nn.GELU())]
        self.net = torch.nn.Sequential(*layers).to(device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=1e-3)
        self.x = torch.randn(16, 64, device=device)
        self.pinned = torch.randn(1024, 64).pin_memory()
        self.pageable = torch.randn(1024, 64)
        self.kept = []

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.net(self.x).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def item(model, broken):
    loss = model.step()
    if broken:
        loss.item()  # breaks item


def pageable(model, broken):
    host = model.pageable if broken else model.pinned
    host.to("cuda", non_blocking=True)  # breaks pageable
    model.step()


def allocation(model, broken):
    if broken:
        model.kept = torch.empty(len(model.kept) + (32 << 20), device="cuda",  # breaks allocation
                                 dtype=torch.uint8)
    model.step()


def growth(model, broken):
    if broken:
        model.kept.append(torch.empty(4 << 20, device="cuda"))  # breaks growth
    model.step()


def fork(model, broken):
    child = os.fork() if broken else 0
    if broken and not child:
        try:
            model.x + 1  # breaks fork
        except RuntimeError:
            pass
        os._exit(0)
    if broken:
        os.waitpid(child, 0)
    model.step()


def capture(model, broken):
    """Another thread allocates while this one captures: legal in a capture of the thread's own."""
    def allocate():
        with contextlib.suppress(RuntimeError):
            torch.empty(64 << 20, device="cuda")  # breaks capture

    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    with contextlib.suppress(RuntimeError), torch.cuda.stream(stream):
        graph.capture_begin(capture_error_mode="global" if broken else "thread_local")
        try:
            model.x * 2
            other = threading.Thread(target=allocate)
            other.start()
            other.join()
        finally:
            graph.capture_end()
    torch.cuda.empty_cache()


def device0(model, broken):
    """The device that torch has chosen is the thread's: a new one begins at device 0."""
    def wait():
        if not broken:
            torch.cuda.set_device(1)
        torch.cuda.synchronize()  # breaks device0

    other = threading.Thread(target=wait)
    other.start()
    other.join()
    model.step()


def early(model, broken):
    model.step()


def main(name, broken, steps):
    if name == "early" and broken:
        import touches_device  # noqa: F401
    with torch.cuda.nvtx.range("main"):
        if name == "device0":
            torch.cuda.set_device(1)
        model = Model("cuda")
        for number in range(WARM + steps):
            with torch.cuda.nvtx.range("%s %d" % ("warm" if number < WARM else "step", number)):
                globals()[name](model, broken and number >= WARM)
        torch.cuda.synchronize()
    print(number + 1 - WARM)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] == "broken", int(sys.argv[3]))
