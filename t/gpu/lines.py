# SPDX-License-Identifier: Apache-2.0
# Calls the driver from lines that have a mark, so often: usage: lines.py COUNT. The program of attribution.sh,
# whose judge (lines_judge.py) finds the marks in this file.
import sys
import threading

import torch


def item(x, count):
    for _ in range(count):
        x.item()  # mark: item


def empty(count):
    for _ in range(count):
        memory = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")  # mark: empty
        del memory
        torch.cuda.empty_cache()


def launch(x, count):
    for _ in range(count):
        x.add_(1)  # mark: launch


def measured(count):
    x = torch.zeros((), device="cuda")
    threads = [threading.Thread(target=work, args=(count // 4,)) for work in
               (lambda n: item(x, n), lambda n: launch(x, n)) for _ in range(2)]
    item(x, count // 2)
    launch(x, count // 2)
    empty(count)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.cuda.synchronize()


if __name__ == "__main__":
    warm = torch.ones((), device="cuda")
    warm.add_(1)
    warm.item()
    torch.cuda.synchronize()
    measured(int(sys.argv[1]))
