# SPDX-License-Identifier: Apache-2.0
"""usage: cycles.py NM BUILD-DIRECTORY SOURCE-DIRECTORY: the groups of files that call, or of headers that
include, each other in a circle, a line each: what they are built into, then the files. A table of modules
or subcommands calls nobody."""
import collections
import os
import re
import subprocess
import sys

PREFIXES = {
    "auditor": "lib_libcuaudit_so-",
    "core": "lib_cuaudit_cuaudit_core_so-",
    "command": "bin_cuaudit-",
    "driver": "lib_cuaudit_sim_libcuda_so_1-",
}
TABLES = re.compile("_module$|^tool_")


def objects(directory, prefix):
    for parent, _, names in os.walk(directory):
        for name in names:
            if name.startswith(prefix) and name.endswith(".o"):
                path = os.path.join(parent, name)
                yield path, os.path.join(os.path.relpath(parent, directory), name[len(prefix):-2])


def calls(nm, directory, prefix):
    """For each file those that define what it uses."""
    uses, defines = collections.defaultdict(set), {}
    for path, file in objects(directory, prefix):
        uses[file] = set()
        for line in subprocess.run([nm, path], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines():
            kind, symbol = line.split()[-2:]
            if kind == "U":
                uses[file].add(symbol)
            elif kind in "TDBRVWCS":
                defines[symbol] = file
    return {file: {defines[symbol] for symbol in symbols
                   if symbol in defines and defines[symbol] != file and not TABLES.search(symbol)}
            for file, symbols in uses.items()}


def groups(graph):
    """Strongly connected components of more than one file: each from which each is reached."""
    def reach(start, edges):
        found, left = set(), [start]
        while left:
            at = left.pop()
            if at not in found:
                found.add(at)
                left.extend(edges[at])
        return found

    back = {file: set() for file in graph}
    for file, used in graph.items():
        for other in used:
            back[other].add(file)
    done = set()
    for file in sorted(graph):
        if file not in done:
            group = reach(file, graph) & reach(file, back)
            done |= group
            if len(group) > 1:
                yield sorted(group)


def includes(directory):
    graph = {}
    for parent, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".h"):
                path = os.path.join(parent, name)
                with open(path, encoding="utf-8") as header:
                    text = header.read()
                graph[os.path.relpath(path, directory)] = set(re.findall(r'# *include [<"]([^>"]*)', text))
    for header, included in graph.items():
        graph[header] = {name if name in graph else "include/" + name for name in included} & set(graph)
    return graph


for what, prefix in PREFIXES.items():
    for group in groups(calls(sys.argv[1], sys.argv[2], prefix)):
        print(what, *(re.sub("arch/[a-z0-9_]*/", "arch/", file) for file in group))
for group in groups(includes(sys.argv[3])):
    print("headers", *group)
