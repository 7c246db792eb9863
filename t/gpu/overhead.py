# SPDX-License-Identifier: Apache-2.0
"""What watching a training step costs, of small operations or of a model, of fifty empty kernels (tiny), or
of share_step.py (share).

overhead.py small|model|tiny|share [-s] [-r ROUNDS] [-p PROCESSES] [MODE...], with LIBCUAUDIT set. So many
processes of each mode are started, then all take turns at a few steps, so that whatever else the
machine does meets all of them alike; several, since where its memory lies makes one process faster
than the next, plain ones too. A round's ratio is the sum of a mode's times to that of "plain" in
the same round; the median is printed. Modes: plain loaded stat trace trace-some (launches, memory and
waits) trace-noargs kineto nsys, "plain2" for the noise, and NAME=HOOKS for any other CUAUDIT_HOOKS.

With -s there are no plain processes: a watched one itself takes turns at a few steps with its hooks
and without, when its stubs jump to the driver's functions, as they do where no hook wants a call.
Of one process with the same memory that shows differences which two processes' own hide; what the
stubs cost, "loaded" tells. Beside the median of the pairs' ratios, the ratio of all their times.
"""
import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BLOCK = {"small": 10, "model": 2, "tiny": 200, "share": 20}
SWITCHED = {"small": 3, "model": 1, "tiny": 40, "share": 8}
WARM = {"small": 60, "model": 6, "tiny": 1000, "share": 100}
HOOKS = {
    "loaded": "",
    "stat": "stat",
    "trace": "trace(file={directory}/%p.cutrace)",
    "trace-some": "trace(functions=%launch,%memory,%sync;file={directory}/%p.cutrace)",
    "trace-noargs": "trace(args=no;file={directory}/%p.cutrace)",
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


def tiny():
    """Launches of kernels that take no time, as fast as the driver takes them: nothing else to hide a cost in."""
    with tempfile.TemporaryDirectory() as directory:
        with open(directory + "/tiny.cu", "w") as source:
            source.write("""
                __global__ void nothing(void) { }
                extern "C" int launches(void)
                {
                    for (int i = 0; i < 50; i++)
                        nothing<<<1, 32>>>();
                    return cudaDeviceSynchronize();
                }""")
        subprocess.run([os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin/nvcc", "-O2", "-arch=native", "-shared",
                        "-Xcompiler", "-fPIC", "-o", directory + "/tiny.so", directory + "/tiny.cu"], check=True)
        return ctypes.CDLL(directory + "/tiny.so").launches


def share(torch):
    """The small step of share_step.py, which waits for its loss each time."""
    from share_step import torch_step
    return torch_step("small")[0]


class Switch:
    """Where the stubs of this process jump to: to hooks, or past them."""

    def __init__(self):
        with open("/proc/self/maps") as maps:
            core = next(line.split()[-1] for line in maps if "cuaudit-core.so" in line)
        place = ctypes.c_void_p
        table = place.in_dll(ctypes.CDLL(core), "cuaudit_core_link")
        layout = self.layout()
        count = layout.switch_count(table)
        layout.switch_routes.restype = layout.switch_real.restype = place
        self.routes = (place * count).from_address(layout.switch_routes(table))
        real = [layout.switch_real(table, slot) for slot in range(count)]
        self.states = {True: (place * count)(*self.routes), False: (place * count)(*real)}
        # Look-ups are hooked always.
        if layout.switch_hooked(table) < 8:
            sys.exit("next to no stub of this process jumps to a hook")

    @staticmethod
    def layout():
        top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with tempfile.TemporaryDirectory() as directory:
            library = directory + "/switch.so"
            subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-I" + top,
                            "-I" + top + "/include", "-o", library, top + "/t/bench/switch.c"],
                           check=True)
            return ctypes.CDLL(library)

    def turn(self, hooked):
        ctypes.memmove(self.routes, self.states[hooked], ctypes.sizeof(self.routes))


def work(name, mode, switched):
    """The watched process: a block of steps for each line it reads."""
    import gc

    if name == "tiny":
        step = synchronize = tiny()
    else:
        import torch

        torch.manual_seed(7)
        step = {"small": small, "model": model, "share": share}[name](torch)
        synchronize = torch.cuda.synchronize

    def block(count):
        synchronize()
        start = time.perf_counter()
        for _ in range(count):
            step()
        synchronize()
        return time.perf_counter() - start

    profiler = None
    if mode == "kineto":
        from torch.profiler import ProfilerActivity, profile
        profiler = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
        profiler.__enter__()
    block(WARM[name])
    gc.disable()
    switch = Switch() if switched else None
    print("ready", flush=True)
    for number, line in enumerate(sys.stdin):
        if not switch:
            print(block(int(line)), flush=True)
            continue
        times = {}
        for hooked in (True, False) if number % 2 else (False, True):
            switch.turn(hooked)
            block(1)
            times[hooked] = block(int(line))
        switch.turn(True)
        print(times[True], times[False], flush=True)
    if profiler:
        profiler.__exit__(None, None, None)


def start(name, mode, directory, switched=False):
    environment = dict(os.environ)
    command = [sys.executable, os.path.abspath(__file__), "--work", mode, name] + ["-s"] * switched
    if mode in HOOKS:
        environment["LD_AUDIT"] = os.environ["LIBCUAUDIT"]
        environment["CUAUDIT_HOOKS"] = HOOKS[mode].format(directory=directory)
        environment["CUAUDIT_OUTPUT"] = directory + "/%p"
    if mode == "nsys":
        command = ["nsys", "profile", "-t", "cuda", "-s", "none", "--cpuctxsw=none", "-f", "true",
                   "-o", directory + "/nsys"] + command
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def ask(process, text):
    process.stdin.write(text + "\n")
    process.stdin.flush()
    times = [float(word) for word in process.stdout.readline().split()]
    return times if len(times) > 1 else times[0]


def quartiles(ratios):
    ratios = sorted(ratios)
    return [round(ratios[len(ratios) * i // 4], 4) for i in (1, 2, 3)]


def switched(given, modes, directory):
    """Pairs of times of one process each: the medians of their ratios, and of all processes'."""
    processes = [(mode, start(given.step, mode, directory, True)) for _ in range(given.p)
                 for mode in modes]
    await_all(processes)
    pairs = [[] for _ in processes]
    for _ in range(given.r):
        for taken, (_, process) in zip(pairs, processes):
            taken.append(ask(process, str(SWITCHED[given.step])))
    end_all(processes)
    for mode in modes:
        own = [taken for taken, (which, _) in zip(pairs, processes) if which == mode]
        low, ratio, high = quartiles([a / b for taken in own for a, b in taken])
        print(json.dumps({
            "step": given.step, "mode": mode, "switched": True, "rounds": given.r,
            "processes": [quartiles([a / b for a, b in taken])[1] for taken in own],
            "median_us": round(statistics.median(
                b for taken in own for _, b in taken) / SWITCHED[given.step] * 1e6, 1),
            "ratio": ratio, "quartiles": [low, high],
            "sums": round(sum(a for taken in own for a, _ in taken) /
                          sum(b for taken in own for _, b in taken), 4),
        }), flush=True)


def await_all(processes):
    for mode, process in processes:
        while process.stdout.readline() != "ready\n":
            if process.poll() is not None:
                sys.exit("%s did not start" % mode)


def end_all(processes):
    for _, process in processes:
        process.stdin.close()
        process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work")
    parser.add_argument("-s", action="store_true")
    parser.add_argument("-r", type=int, default=60)
    parser.add_argument("-p", type=int, default=1)
    parser.add_argument("step", choices=sorted(BLOCK))
    parser.add_argument("modes", nargs="*", default=[])
    given = parser.parse_intermixed_args()
    if given.work:
        return work(given.step, given.work, given.s)
    HOOKS.update(mode.split("=", 1) for mode in given.modes if "=" in mode)
    modes = [mode.split("=")[0] for mode in given.modes]
    modes = modes or ["plain", "plain2", "stat", "trace", "trace-noargs", "kineto", "nsys"]
    if not given.s and "plain" not in modes:
        modes.insert(0, "plain")
    if "nsys" in modes and not shutil.which("nsys"):
        modes.remove("nsys")
        print("nsys is not installed here")
    directory = tempfile.mkdtemp()
    if given.s:
        switched(given, [mode for mode in modes if mode in HOOKS], directory)
        shutil.rmtree(directory)
        return None
    # Every process of a mode is as far from the others of it as can be.
    processes = [(mode, start(given.step, mode, directory)) for _ in range(given.p) for mode in modes]
    await_all(processes)
    times = {mode: [] for mode in modes}
    for number in range(given.r):
        sums = {mode: 0.0 for mode in modes}
        # Another one begins each round.
        first = number % len(processes)
        for mode, process in processes[first:] + processes[:first]:
            sums[mode] += ask(process, str(BLOCK[given.step]))
        for mode in modes:
            times[mode].append(sums[mode] / BLOCK[given.step] / given.p)
    end_all(processes)
    for mode in modes:
        low, ratio, high = quartiles([a / b for a, b in zip(times[mode], times["plain"])])
        print(json.dumps({
            "step": given.step, "mode": mode, "rounds": given.r, "processes": given.p,
            "median_us": round(statistics.median(times[mode]) * 1e6, 1),
            "least_us": round(min(times[mode]) * 1e6, 1),
            "ratio": ratio, "quartiles": [low, high],
        }), flush=True)
    shutil.rmtree(directory)
    return None


if __name__ == "__main__":
    main()
