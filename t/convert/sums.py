# SPDX-License-Identifier: Apache-2.0
# Adds up the calls of `cuaudit convert --to jsonl` by function and compares them with
# `cuaudit report --format json` of the same traces: sums.py JSONL JSON.
import collections
import json
import sys


def near(got, want, part=0.0, most=0):
    return abs(got - want) <= part * want + most


def percentile(sorted_ns, percent):
    """The percent-th of a hundred: the least rank with so many at or below it."""
    return sorted_ns[max(0, -(-len(sorted_ns) * percent // 100) - 1)]


def deviation(ns):
    if len(ns) < 2:
        return 0
    mean = sum(ns) / len(ns)
    return (sum((one - mean) ** 2 for one in ns) / (len(ns) - 1)) ** 0.5


calls = collections.defaultdict(list)
with open(sys.argv[1]) as lines:
    for line in lines:
        call = json.loads(line)
        if call["type"] == "call":
            calls[call["function"]].append(call)
with open(sys.argv[2]) as text:
    report = json.load(text)
functions = {one["name"]: one for one in report["functions"]}

bad = []
if set(functions) != set(calls):
    bad.append("functions: %s" % (set(functions) ^ set(calls)))
for name, several in sorted(calls.items()):
    ns = sorted(call["duration"] for call in several)
    failed = [call["result"] for call in several if call["result"] != "CUDA_SUCCESS"]
    waits = sum("Query" in name and result == "CUDA_ERROR_NOT_READY" for result in failed)
    # A call's duration loses less than a nanosecond, as does a caller's sum. A bucket is an
    # eighth of its lower end wide, and its middle stands for all in it.
    for what, want, part, most in (
            ("calls", len(ns), 0, 0), ("errors", len(failed) - waits, 0, 0),
            ("not_ready", waits, 0, 0), ("total_ns", sum(ns), 0, len(ns)),
            ("min_ns", ns[0], 0, 1), ("max_ns", ns[-1], 0, 1),
            ("avg_ns", sum(ns) / len(ns), 0, 2), ("stddev_ns", deviation(ns), 0.001, 2),
            ("p50_ns", percentile(ns, 50), 0.0626, 2), ("p90_ns", percentile(ns, 90), 0.0626, 2),
            ("p99_ns", percentile(ns, 99), 0.0626, 2)):
        got = functions.get(name, {}).get(what)
        if got is None or not near(got, want, part, most):
            bad.append("%s: %s is %s, not %s" % (name, what, got, want))
for what, want in (("calls", sum(map(len, calls.values()))),
                   ("errors", sum(one["errors"] for one in functions.values())),
                   ("total_ns", sum(one["total_ns"] for one in functions.values()))):
    if not near(report[what], want, 0, len(functions) if what == "total_ns" else 0):
        bad.append("%s is %s, not %s" % (what, report[what], want))
print("\n".join(bad))
