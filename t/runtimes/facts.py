# SPDX-License-Identifier: Apache-2.0
"""Prints the counts of a JSON report that stay the same from run to run."""
import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
for route in ("plt", "relocation", "dlsym", "procaddr"):
    print("bound by", route, report["routes"][route])
for function in sorted(report["functions"], key=lambda function: function["name"]):
    print("calls", function["name"], function["calls"], "errors", function["errors"])
for library in sorted(report["libraries"], key=lambda library: library["path"]):
    print("caller", library["path"].rsplit("/", 1)[-1].split(".")[0],
          sum(function["calls"] for function in library["functions"]))
for table in sorted(report["export_tables"], key=lambda table: table["uuid"]):
    print("table", table["uuid"])
for escape in report["escapes"]:
    print("escapes", json.dumps(escape))
