# SPDX-License-Identifier: Apache-2.0
"""rows.py TABLE LIMITS IRRELEVANT: what of the table neither of the lists has, and what is wrong in them."""
import re
import sys

THINGS = {
    "CUarray", "CUcontext", "CUdevResourceDesc", "CUdeviceptr", "CUdeviceptr_v1", "CUexternalMemory", "CUgraphExec",
    "CUgreenCtx", "CUmemGenericAllocationHandle", "CUmemoryPool", "CUmipmappedArray",
}
# That which gives out no such thing, but takes it or memory for it, tells by its name.
VERBS = re.compile("Alloc|Create|Destroy|Detach|Free|GetInfo|Import|Instantiate|Launch$|Map($|[A-Z])"
                   "|Open|Release|Reset|Retain|TotalMem|Trim|Unmap|Upload|Close")
ROW = re.compile(r"CUAPI\(\d+, (\w+), (\w+), \d+, \d+, \w+, \d+, ([A-Z|]+), \d+, ?(.*)\)$")
MEMORY = {"MEMORY", "INTEROP", "CONTEXT", "GRAPH"}


def relevant(base, classes, parameters):
    for direction, kind in re.findall(r"P\((\w+), ([^,]*),", parameters):
        name = kind.replace("const", "").replace("*", "").strip()
        if name in THINGS and direction in ("OUT", "INOUT"):
            return True
    return bool(VERBS.search(base)) and bool(MEMORY & set(classes.split("|")))


table, limits, irrelevant = (open(path).read().splitlines() for path in sys.argv[1:])
rows = [m.groups() for m in map(ROW.match, table) if m]
handled = {m.group(1) for m in (re.match(r"LIMIT\((\w+),", line) for line in limits) if m}
listed = dict(line.split(None, 1) for line in irrelevant if line and not line.startswith("#"))
bases = {base for _, base, _, _ in rows}
print(len(rows) > 600)
for name, base, classes, parameters in rows:
    wanted = relevant(base, classes, parameters)
    if wanted and name not in handled and base not in listed:
        print("neither handled nor listed:", name)
    if name in handled and base in listed:
        print("handled and listed:", name)
    if base in listed and not wanted:
        print("listed for nothing:", base)
for name in sorted(handled - {row[0] for row in rows}) + sorted(set(listed) - bases):
    print("no function:", name)
# All versions of a function, or none.
for base in sorted({base for name, base, _, _ in rows if name in handled}):
    for name, its, _, _ in rows:
        if its == base and name not in handled:
            print("a version is left out:", name)
