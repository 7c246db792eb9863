# SPDX-License-Identifier: Apache-2.0
"""What hooks cost in a program that has a use for the caches itself, without a GPU.

within.py WITHIN [-t SECONDS] HOOKS [NAME:FROM=TO,FROM=TO...]..., with LIBCUAUDIT set, in a Python
that has PyTorch; WITHIN is t/bench/within.c, built with -O2 -shared -fPIC. A training step of small
operations runs on the processor, and calls the simulated driver 1,200 times a millisecond meanwhile.
The process takes turns, a step or two each, at its hooks, at stubs that jump to the driver, and at
variants: those have what jumped to the core's symbol FROM jump to TO. Printed are the ratios to the
driver's own, of medians and of sums, the slowest and the fastest eighth left out of these.
"""
import argparse
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
from overhead import Switch  # noqa: E402


def training(torch):
    layers = [torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.LayerNorm(32), torch.nn.GELU())
              for _ in range(16)]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, foreach=False)
    x, y = torch.randn(8, 32), torch.randn(8, 1)

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return step


def symbols():
    """Where the core's lie in this process."""
    with open("/proc/self/maps") as maps:
        line = next(line for line in maps if "cuaudit-core.so" in line)
    base, core = int(line.split("-")[0], 16), line.split()[-1]
    listed = subprocess.run(["nm", core], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return {row[2]: base + int(row[0], 16) for row in rows if len(row) == 3}


def add_variants(switch, variants):
    """Two states by names, and one for each NAME:FROM=TO,FROM=TO..."""
    switch.states = {"hooks": switch.states[True], "driver": switch.states[False]}
    places = symbols() if variants else {}
    for variant in variants:
        name, changes = variant.split(":")
        changes = dict(change.split("=") for change in changes.split(","))
        changes = {places[old]: places[new] for old, new in changes.items()}
        routes = [changes.get(route, route) for route in switch.states["hooks"]]
        if routes == list(switch.states["hooks"]):
            sys.exit("%s changes no stub" % name)
        switch.states[name] = type(switch.states["hooks"])(*routes)


def work(given):
    import gc

    import torch

    torch.set_num_threads(1)
    torch.manual_seed(7)
    step = training(torch)
    within = ctypes.CDLL(os.path.abspath(given.within))
    if within.within_setup():
        sys.exit("the driver does not start")
    within.within_call(1)
    for _ in range(100):
        step()
    gc.disable()
    switch = Switch()
    add_variants(switch, given.variants)
    within.within_calls.restype = ctypes.c_ulong
    before = within.within_calls()
    step()
    calls = within.within_calls() - before

    def block():
        step()
        start = time.perf_counter()
        step()
        step()
        return (time.perf_counter() - start) / 2
    rounds = turns(switch, block, given.t)
    for name in switch.states:
        report(given.hooks, name, calls, rounds)


def turns(switch, block, seconds):
    """So long, all states in turns, in another order each time: a block's times of each round."""
    rounds, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        times = {}
        for name in random.sample(list(switch.states), len(switch.states)):
            switch.turn(name)
            times[name] = block()
        rounds.append(times)
    switch.turn("hooks")
    return rounds


def report(hooks, name, calls, rounds):
    def trimmed(which):
        times = sorted(times[which] / statistics.fmean(times.values()) for times in rounds)
        eighth = len(times) // 8
        return statistics.fmean(times[eighth:len(times) - eighth])

    print(json.dumps({
        "hooks": hooks, "state": name, "calls_a_step": calls, "rounds": len(rounds),
        "median_us": round(statistics.median(times[name] for times in rounds) * 1e6, 1),
        "ratio": round(statistics.median(times[name] / times["driver"] for times in rounds), 4),
        "sums": round(trimmed(name) / trimmed("driver"), 4),
    }), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-t", type=float, default=60)
    parser.add_argument("--work", action="store_true")
    parser.add_argument("within")
    parser.add_argument("hooks")
    parser.add_argument("variants", nargs="*", default=[])
    given = parser.parse_intermixed_args()
    if given.work:
        return work(given)
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(
            os.environ, LD_AUDIT=os.environ["LIBCUAUDIT"], CUAUDIT_DRIVER="sim",
            CUAUDIT_HOOKS=given.hooks.replace("{directory}", directory), CUAUDIT_OUTPUT=directory + "/%p",
            LD_PRELOAD=os.path.abspath(given.within))
        return subprocess.run([sys.executable, __file__, "--work"] + sys.argv[1:],
                              env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
