# SPDX-License-Identifier: Apache-2.0
"""What Python frames cost beside native ones, and beside those of another process, by py-spy.

stacks.py DRIVER STACKS [PY-SPY], audited, with the plug-in STACKS made of t/bench/stacks.c. One JSON
line a measure.
"""
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile

CALLS, DEPTH, SECONDS, RATE = 2000, 32, 2, 500
PYTHON, UNWINDER = range(2)

driver = ctypes.CDLL(sys.argv[1])
driver.cuInit(0)	# which loads the plug-in
stacks = ctypes.CDLL(sys.argv[2])
stacks.bench_stacks.restype = ctypes.c_double


def call(series):
    driver.cuDriverGetVersion(ctypes.byref(ctypes.c_int(series)))


def deep(depth, function):
    """function, of as many frames in all."""
    return deep(depth - 1, function) if depth > 3 else function()


def as_before():
    for _ in range(CALLS):
        call(0)


def one():
    call(1)


def other():
    call(1)


def in_turn():
    for _ in range(CALLS // 2):
        one()
        other()


def measured(series, kind):
    """Nanoseconds of a stack, and its frames."""
    frames = ctypes.c_uint32()
    ns = stacks.bench_stacks(series, kind, ctypes.byref(frames))
    return ns, frames.value


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def py_spy(program):
    """The processor's nanoseconds of a frame, without those of the start; 0: it does not run."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_AUDIT"}
    with tempfile.NamedTemporaryFile("r") as raw:
        spent = []
        for what in (["dump"], ["record", "-r", str(RATE), "-d", str(SECONDS), "-f", "raw", "-i", "-o",
                                raw.name]):
            before = used()
            if subprocess.run([program, *what, "--pid", str(os.getpid())], env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                return 0
            spent.append(used() - before)
        frames = sum((line.count(";") + 1) * int(line.split()[-1]) for line in raw)
    return (spent[1] - spent[0]) / frames * 1e9 if frames else 0


def measure(name, series, other_ns):
    ns, frames = measured(series, PYTHON)
    native_ns, native = measured(series, UNWINDER)
    line = {"measure": "%d frames of Python %d.%d, %s" % (frames, *sys.version_info[:2], name),
            "ns": round(ns), "ns_per_frame": round(ns / frames, 1), "unwinder_frames": native,
            "unwinder_ns_per_frame": round(native_ns / native, 1),
            "of_unwinder": round(ns / frames / (native_ns / native), 3)}
    if other_ns:
        line["py_spy_ns_per_frame"] = round(other_ns, 1)
        line["of_py_spy"] = round(ns / frames / other_ns, 4)
    print(json.dumps(line, separators=(",", ":")))


deep(DEPTH - 1, as_before)
deep(DEPTH - 2, in_turn)
other_ns = deep(DEPTH, lambda: py_spy(sys.argv[3])) if len(sys.argv) > 3 else 0
measure("as the call before", 0, other_ns)
measure("another stack than the call before", 1, other_ns)
