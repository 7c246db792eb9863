# SPDX-License-Identifier: Apache-2.0
"""What watching a training step costs, of small operations or of a model.

overhead.py small|model [-r ROUNDS] [-p PROCESSES] [MODE...], with LIBCUAUDIT set. So many
processes of each mode are started, then all take turns at a few steps, so that whatever else the
machine does meets all of them alike; several, since where its memory lies makes one process faster
than the next, plain ones too. A round's ratio is the sum of a mode's times to that of "plain" in
the same round; the median is printed. Modes: plain loaded stat trace trace-some (launches, memory and
waits) trace-noargs kineto nsys, and "plain2" for the noise.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BLOCK = {"small": 10, "model": 2}
WARM = {"small": 60, "model": 6}
HOOKS = {
    "loaded": "",
    "stat": "stat",
    "trace": "trace(file={folder}/%p.cutrace)",
    "trace-some": "trace(functions=%launch,%memory,%sync;file={folder}/%p.cutrace)",
    "trace-noargs": "trace(args=no;file={folder}/%p.cutrace)",
}


def small(torch):
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


def model(torch):
    """A decoder of 24 layers, 300 million parameters, in bfloat16."""
    layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, norm_first=True,
                                             dropout=0.0, activation="gelu")
    net = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 24, enable_nested_tensor=False),
                              torch.nn.Linear(1024, 1024)).cuda().bfloat16()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    x = torch.randn(64, 512, 1024, device="cuda", dtype=torch.bfloat16)

    def step():
        optimizer.zero_grad(set_to_none=True)
        net(x).float().square().mean().backward()
        optimizer.step()
    return step


def work(name, mode):
    """The watched process: a block of steps for each line it reads."""
    import gc

    import torch

    torch.manual_seed(7)
    step = {"small": small, "model": model}[name](torch)

    def block(count):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            step()
        torch.cuda.synchronize()
        return time.perf_counter() - start

    profiler = None
    if mode == "kineto":
        from torch.profiler import ProfilerActivity, profile
        profiler = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
        profiler.__enter__()
    block(WARM[name])
    gc.disable()
    print("ready", flush=True)
    for line in sys.stdin:
        print(block(int(line)), flush=True)
    if profiler:
        profiler.__exit__(None, None, None)


def start(name, mode, folder):
    environment = dict(os.environ)
    command = [sys.executable, os.path.abspath(__file__), "--work", mode, name]
    if mode in HOOKS:
        environment["LD_AUDIT"] = os.environ["LIBCUAUDIT"]
        environment["CUAUDIT_HOOKS"] = HOOKS[mode].format(folder=folder)
        environment["CUAUDIT_OUTPUT"] = folder + "/%p"
    if mode == "nsys":
        command = ["nsys", "profile", "-t", "cuda", "-s", "none", "--cpuctxsw=none", "-f", "true",
                   "-o", folder + "/nsys"] + command
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def ask(process, text):
    process.stdin.write(text + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work")
    parser.add_argument("-r", type=int, default=60)
    parser.add_argument("-p", type=int, default=1)
    parser.add_argument("step", choices=sorted(BLOCK))
    parser.add_argument("modes", nargs="*", default=[])
    given = parser.parse_intermixed_args()
    if given.work:
        return work(given.step, given.work)
    modes = given.modes or ["plain", "plain2", "stat", "trace", "trace-noargs", "kineto", "nsys"]
    if "nsys" in modes and not shutil.which("nsys"):
        modes.remove("nsys")
        print("nsys is not installed here")
    folder = tempfile.mkdtemp()
    # Every process of a mode is as far from the others of it as can be.
    processes = [(mode, start(given.step, mode, folder)) for _ in range(given.p) for mode in modes]
    for mode, process in processes:
        while process.stdout.readline() != "ready\n":
            if process.poll() is not None:
                sys.exit("%s did not start" % mode)
    times = {mode: [] for mode in modes}
    for number in range(given.r):
        sums = {mode: 0.0 for mode in modes}
        # Another one begins each round.
        first = number % len(processes)
        for mode, process in processes[first:] + processes[:first]:
            sums[mode] += ask(process, str(BLOCK[given.step]))
        for mode in modes:
            times[mode].append(sums[mode] / BLOCK[given.step] / given.p)
    for _, process in processes:
        process.stdin.close()
        process.wait()
    for mode in modes:
        ratios = sorted(a / b for a, b in zip(times[mode], times["plain"]))
        print(json.dumps({
            "step": given.step, "mode": mode, "rounds": given.r, "processes": given.p,
            "median_us": round(statistics.median(times[mode]) * 1e6, 1),
            "least_us": round(min(times[mode]) * 1e6, 1),
            "ratio": round(statistics.median(ratios), 4),
            "quartiles": [round(ratios[len(ratios) // 4], 4), round(ratios[len(ratios) * 3 // 4], 4)],
        }), flush=True)
    shutil.rmtree(folder)


main()
