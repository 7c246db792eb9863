# SPDX-License-Identifier: Apache-2.0
"""What a viewer must show of a trace: reads `cuaudit convert --to jsonl`, prints what ui.py asks for, sorted."""
import collections
import json
import sys

lines = [json.loads(line) for line in sys.stdin]
calls = [line for line in lines if line["type"] in ("call", "unfinished")]
ranges = [line for line in lines if line["type"] == "range" and line["event"] == "push"]
printed = collections.Counter()
nanoseconds = collections.Counter()


def name(line):
    return line.get("function") or line["text"]


def is_open(line):
    return line["type"] == "unfinished" or line.get("unfinished", False)


threads = collections.defaultdict(list)
for line in calls + ranges:
    threads[line["pid"], line["tid"]].append(line)
    printed["slice|" + name(line)] += 1
    if not is_open(line):
        nanoseconds[name(line)] += line["duration"]
for (pid, tid), items in threads.items():
    items.sort(key=lambda line: (line["start"], -line["duration"]))
    above = []
    for line in items:
        while above and not is_open(above[-1]) and line["start"] >= above[-1]["start"] + above[-1]["duration"]:
            above.pop()
        printed["parent|%s|%s" % (name(line), name(above[-1]) if above else "")] += 1
        above.append(line)
    printed["thread|%d|%d|%s" % (pid, tid, items[0]["thread_name"])] += len(items)
for line in calls:
    arguments = line.get("arguments", {})
    for key in ("bytesize", "gridDimX"):
        if key in arguments:
            printed["number|%s|%d" % (key, arguments[key])] += 1
    if "kernel" in line:
        printed["kernel|%s" % line["kernel"]] += 1
        printed["flow|%s|%s" % (name(line), line["kernel"])] += 1
    if "result" in line:
        printed["result|" + line["result"]] += 1
    if "stack" in line:
        printed["stack|%s|%s" % (name(line), " < ".join(line["stack"]))] += 1
for line in calls + ranges:
    if is_open(line):
        printed["open|" + name(line)] += 1
for key, count in printed.items():
    print("%s|%d" % (key, count))
for key, sum_of in nanoseconds.items():
    print("ns|%s|%d" % (key, sum_of))
