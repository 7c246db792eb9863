# SPDX-License-Identifier: Apache-2.0
# Judges a trace of lines.py or lines_more.py: usage: lines_judge.py PROGRAM COUNT <JSONL. Prints "WHAT RIGHT of WANTED".
# Right is a call of the function whose innermost line of Python is the marked one; of "compiled" and "backward",
# whose kernels are launched by code in between or by a thread of the library, what is said below.
import json
import os
import sys

program, count = sys.argv[1], int(sys.argv[2])
marks = {}
for number, line in enumerate(open(program), 1):
    if "# mark: " in line:
        marks[line.split("# mark: ")[1].strip()] = number
own = os.path.basename(program)


def place(mark):
    return "%s:%d)" % (own, marks[mark])


functions = {"item": "cuMemcpyDtoH", "empty": "cuMemAlloc", "launch": "cuLaunchKernel", "batch": "cuMemcpyHtoD",
             "worker": "cuMemcpyDtoH"}
wanted = {"item": count, "empty": count, "launch": count, "batch": 16, "worker": 64}
right, wrong, threads = dict.fromkeys(functions, 0), dict.fromkeys(functions, 0), {}
compiled = compiled_right = 0
for line in sys.stdin:
    call = json.loads(line)
    if call["type"] != "call":
        continue
    python = [frame for frame in call.get("stack", []) if frame.endswith(")") and " (" in frame]
    thread = threads.setdefault((call["pid"], call["tid"], call.get("thread_name")), [0, 0])
    thread[not python] += 1
    for mark in marks:
        if mark not in functions or not call["function"].startswith(functions[mark]):
            continue
        inside = {"item": "item (", "empty": "empty (", "launch": "launch (", "batch": "total (", "worker": "__getitem__ ("}[mark]
        if python and python[0].endswith(place(mark)):
            right[mark] += 1
        elif any(frame.startswith(inside) and own in frame for frame in python[:2]):
            wrong[mark] += 1
            print("# wrong", mark, call["function"], call["stack"][:4])
    if "compiled" in marks and call.get("kernel", "").startswith("triton_"):
        compiled += any(frame.endswith(place("compiled")) for frame in python)
        compiled_right += 1
for mark in marks:
    if mark in functions:
        print(mark, right[mark] if not wrong[mark] else -wrong[mark], "of", wanted[mark])
if "compiled" in marks:
    # The first call, which is not marked, compiles and measures.
    print("compiled", compiled, "of", 100, "marked,", compiled_right, "of all")
for (pid, tid, name), (with_line, without) in sorted(threads.items()):
    print("# process", pid, "thread", tid, name, "calls with a line", with_line, "without", without)
