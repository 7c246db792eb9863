# SPDX-License-Identifier: Apache-2.0
"""Adds up the JSON reports of one audited run; prints `name value` lines for the test."""
import json
import sys

calls = errors = routed = other = 0
escapes, drivers, libraries, asked = [], set(), set(), 0
for path in sys.argv[1:]:
    with open(path) as file:
        report = json.load(file)
    calls += sum(f["calls"] for f in report["functions"])
    errors += sum(f["errors"] for f in report["functions"])
    asked += sum(f["calls"] for f in report["functions"] if f["name"].startswith("cuGetProcAddress"))
    routed += report["routes"]["procaddr"]
    other += sum(report["routes"][r] for r in ("plt", "dlsym", "relocation"))
    escapes += report["escapes"]
    drivers.add("%s %s" % (report["driver"]["path"], report["driver"]["version"]))
    libraries |= {l["path"].rsplit("/", 1)[-1] for l in report["libraries"]}
print("processes", len(sys.argv) - 1)
print("calls", calls)
print("errors", errors)
print("asked", asked)
print("routed", routed)
print("other", other)
print("escapes", len(escapes))
print("driver", *sorted(drivers))
print("callers", *sorted(libraries))
for escape in escapes:
    print("escape", json.dumps(escape))
