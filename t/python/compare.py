# SPDX-License-Identifier: Apache-2.0
# Compares what traced.py wrote with a trace. usage: compare.py FRAMES EXPECTED <JSONL
# FRAMES: the most a stack has, its native ones included, which are left out of the comparison.
import json
import sys

frames, expected = int(sys.argv[1]), {}
for line in open(sys.argv[2]):
    tid, stack = json.loads(line)
    expected.setdefault(tid, []).append(stack)
right = wrong = 0
for line in sys.stdin:
    call = json.loads(line)
    if call["type"] != "call" or call["function"] != "cuDriverGetVersion":
        continue
    want, have = expected[call["tid"]].pop(0), call.get("stack", [])
    python = [frame for frame in have if " (" in frame]
    whole = have and have[-1] != "..."
    good = have and have[0] == call["caller"] and python and len(have) <= frames + (not whole)
    good = good and (python == want if whole else python == want[:len(python)])
    good = good and not any(frame.startswith(("libpython", "python")) for frame in have if whole and "+0x" in frame and have.index(frame) < have.index(python[-1]))
    right, wrong = right + bool(good), wrong + (not good)
    if not good and wrong < 3:
        print("want", want, "have", have)
print("right", right, "wrong", wrong, "missing", sum(map(len, expected.values())))
