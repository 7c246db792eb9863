# SPDX-License-Identifier: Apache-2.0
"""Compares a report of traces with what their calls add up to: totals.py REPORT JSONL...

REPORT is of cuaudit report --format json --threads 1000, each JSONL of cuaudit convert --to jsonl
for one of its files. Prints what differs, and otherwise what there was of each kind."""

import collections
import json
import os
import sys

GIVES, TAKES = {"cuMemAlloc_v2"}, {"cuMemFree_v2"}


def count(row, call):
    """Adds a call to what the report has of a row."""
    name = call["function"]
    not_ready = call["result"] == "CUDA_ERROR_NOT_READY" and "Query" in name
    row["calls"] += 1
    row["not_ready"] += not_ready
    row["errors"] += call["result"] != "CUDA_SUCCESS" and not not_ready
    row["total_ns"] += call["duration"]
    row["min_ns"] = min(row.get("min_ns", call["duration"]), call["duration"])
    row["max_ns"] = max(row["max_ns"], call["duration"])


def rows():
    return collections.defaultdict(collections.Counter)


wrong = []
seen = collections.Counter()


def compare(what, found, wanted):
    """Rows of the report by name; a total may be a nanosecond off for each call."""
    if set(found) != set(wanted):
        wrong.append(f"{what}: {sorted(map(str, set(found) ^ set(wanted)))[:4]}")
        return
    for name, row in found.items():
        for key in ("calls", "errors", "not_ready", "min_ns", "max_ns"):
            if key in row and row[key] != wanted[name][key]:
                wrong.append(f"{what} {name}: {key} {row[key]}, not {wanted[name][key]}")
        if not 0 <= row["total_ns"] - wanted[name]["total_ns"] <= row["calls"]:
            wrong.append(f"{what} {name}: {row['total_ns']} ns, not {wanted[name]['total_ns']}")
        seen[what] += 1
        seen["not ready"] += row["not_ready"]


def memory(calls, process):
    held, sizes, peak, peak_at, allocations, frees, allocated = 0, {}, 0, 0, 0, 0, 0
    for call in sorted(calls, key=lambda c: c["start"] + c["duration"]):
        if call["result"] != "CUDA_SUCCESS" or "arguments" not in call:
            continue
        if call["function"] in GIVES:
            size = call["arguments"]["bytesize"]
            sizes[call["arguments"]["dptr"]] = size
            allocations, allocated, held = allocations + 1, allocated + size, held + size
            if held > peak:
                peak, peak_at = held, call["start"] + call["duration"]
        elif call["function"] in TAKES and call["arguments"]["dptr"] in sizes:
            frees, held = frees + 1, held - sizes.pop(call["arguments"]["dptr"])
    of = process["memory"]
    if not of:
        return
    found = [of[k] for k in ("allocations", "frees", "held_bytes", "allocated_bytes", "peak_bytes")]
    if found != [allocations, frees, held, allocated, peak]:
        wrong.append(f"memory: {found}, not {[allocations, frees, held, allocated, peak]}")
    if peak and abs(of["peak_at_ns"] - peak_at) > 2:
        wrong.append(f"memory: the peak at {of['peak_at_ns']}, not {peak_at}")
    seen["memory"] += allocations


report = json.load(open(sys.argv[1]))
functions, libraries, results = rows(), rows(), collections.Counter()
pairs, callers, threads, everything = rows(), rows(), rows(), rows()
thread_functions, kernels, unfinished = rows(), collections.Counter(), []
ranks = rows()
for path in sys.argv[2:]:
    lines = [json.loads(line) for line in open(path)]
    calls = [line for line in lines if line["type"] == "call"]
    name = next(line["file"] for line in lines if line["type"] == "process")
    process, = [p for p in report["processes"] if p["path"] == name]
    own, total = rows(), rows()
    for call in calls:
        thread = (name, call["thread"])
        for row in (functions[call["function"]], libraries[call["library"]], own[call["function"]],
                    total["all"], everything["all"], threads[thread], ranks[process["rank"]],
                    pairs[call["library"], call["function"]],
                    callers[call["function"], call["caller"]],
                    thread_functions[thread + (call["function"],)]):
            count(row, call)
        if call["result"] != "CUDA_SUCCESS":
            results[call["function"], call["result"]] += 1
        kernels[call.get("kernel")] += "kernel" in call
    compare("process", {"all": process}, total)
    compare("functions of a process", {f["name"]: f for f in process["functions"]}, own)
    memory(calls, process)
    unfinished += [(name, l["function"], l["thread"], l["start"], l["duration"])
                   for l in lines if l["type"] == "unfinished"]
called = {f["name"]: f for f in report["functions"] if f["calls"]}
compare("all", {"all": report}, everything)
compare("function", called, functions)
compare("rank", {r["rank"]: r for r in report["ranks"] if r["calls"]}, ranks)
compare("library", {os.path.basename(l["path"]): l for l in report["libraries"] if l["calls"]}, libraries)
compare("pair", {(os.path.basename(l["path"]), f["name"]): f for l in report["libraries"]
                 for f in l["functions"]}, pairs)
compare("caller", {(c["name"], f"{os.path.basename(c['library'])}+{c['offset']:#x}"): c
                   for c in report["callers"]}, callers)
compare("thread", {(t["path"], t["number"]): t for t in report["threads"]}, threads)
for thread in report["threads"]:
    for one in thread["functions"]:
        key = thread["path"], thread["number"], one["name"]
        compare("function of a thread", {key: one}, {key: thread_functions[key]})
for rank in report["ranks"]:
    of = [p for p in report["processes"] if p["rank"] == rank["rank"]]
    peak = sum(p["memory"]["peak_bytes"] for p in of if p["memory"])
    if (rank["processes"], rank["peak_bytes"]) != (len(of), peak):
        wrong.append(f"rank {rank['rank']}: a peak of {rank['peak_bytes']}, not {peak}")
found = {(r["name"], r["result"]): r["calls"] for r in report["results"]}
if found != results:
    wrong.append(f"results: {found}, not {dict(results)}")
found = {k["name"]: k["calls"] - k["errors"] - k["not_ready"] for k in report["kernels"] if k["name"]}
if {k: v for k, v in found.items() if v} != {k: v for k, v in kernels.items() if v}:
    wrong.append(f"kernels: {found}, not {dict(kernels)}")
seen["kernel"] += len(found)
found = [(o["path"], o["name"], o["thread"], o["since_ns"], o["for_ns"]) for o in report["open_calls"]]
if sorted(f[:4] for f in found) != sorted(u[:4] for u in unfinished) or \
        any(abs(a[4] - b[4]) > 2 for a, b in zip(sorted(found), sorted(unfinished))):
    wrong.append(f"unfinished: {found}, not {unfinished}")
if found != sorted(found, key=lambda o: -o[4]):
    wrong.append("unfinished calls: the longest is not the first")
seen["unfinished"] += len(found)
print("\n".join(wrong[:6]) or " ".join(f"{k.replace(' ', '-')} {v}" for k, v in seen.items()))
sys.exit(bool(wrong))
