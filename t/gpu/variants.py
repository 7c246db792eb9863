# SPDX-License-Identifier: Apache-2.0
"""What hooks cost in a training step of PyTorch on the GPU, against variants of them.

variants.py SECONDS HOOKS [NAME:FROM=TO,FROM=TO...]..., with LIBCUAUDIT set: one process takes turns,
a few steps of overhead.py's "small" each, at its hooks, at the driver's own functions and at variants,
as within.py does on the processor.
"""
import os
import subprocess
import sys
import tempfile
import time

top = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [top, os.path.join(top, "..", "bench")]
import overhead  # noqa: E402
import within  # noqa: E402

STEPS = 3


def work(seconds, hooks, *variants):
    import gc

    import torch

    torch.manual_seed(7)
    step = overhead.small(torch)

    def block(count=STEPS):
        step()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            step()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / count
    block(overhead.WARM["small"])
    gc.disable()
    switch = overhead.Switch()
    within.add_variants(switch, variants)
    rounds = within.turns(switch, block, float(seconds))
    for name in switch.states:
        within.report(hooks, name, None, rounds)


def main():
    if sys.argv[1] == "--work":
        return work(*sys.argv[2:])
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, LD_AUDIT=os.environ["LIBCUAUDIT"], CUAUDIT_HOOKS=sys.argv[2],
                           CUAUDIT_OUTPUT=directory + "/%p")
        return subprocess.run([sys.executable, __file__, "--work"] + sys.argv[1:],
                              env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
