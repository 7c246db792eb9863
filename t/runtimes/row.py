# SPDX-License-Identifier: Apache-2.0
"""Prints `name value` lines of one library's bindings and calls in a process.

usage: row.py REPORT LIBRARY

REPORT is the JSON of `stat`, REPORT.coverage that of `coverage`.
"""
import json
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


stat, coverage = load(sys.argv[1]), load(sys.argv[1] + ".coverage")
path = sys.argv[2]
ways, functions, real = {"plt": 0, "relocation": 0, "dlsym": 0, "procaddr": 0}, set(), 0
for driver in coverage["drivers"]:
    for function in driver["functions"]:
        for binding in function["bound"]:
            if binding["library"] != path:
                continue
            real += binding["real"]
            functions.add(function["name"])
            ways[binding["route"]] += binding["count"]
called = [f for l in stat["libraries"] if l["path"] == path for f in l["functions"]]
print("functions", len(functions))
for route, count in ways.items():
    print(route, count)
print("asked", sum(f["calls"] for f in called if f["name"].startswith("cuGetProcAddress")))
print("launches", sum(f["calls"] for f in called if f["name"].startswith("cuLaunchKernel")))
print("calls", sum(f["calls"] for f in called))
print("called", len(called))
print("errors", sum(f["errors"] for f in called))
print("tables", sum(t["library"] == path for t in coverage["export_tables"]))
print("real", real)
print("escapes", len(coverage["escapes"]) + len(stat["escapes"]))
print("driver", *("%s %d" % (d["path"], d["version"]) for d in coverage["drivers"]))
