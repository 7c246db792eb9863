# SPDX-License-Identifier: Apache-2.0
"""Compares the frames of `cuaudit convert --to jsonl --demangle full` with what another
implementation says of each address: lines.py TOOL JSONL NAME=PATH..."""
import json
import os
import subprocess
import sys


def asked(tool, path, address):
    """[(function, file, line)] of eu-addr2line or addr2line, the innermost first."""
    text = subprocess.run([tool, "-ifC", "-e", path, hex(address)], capture_output=True,
                          text=True, check=False).stdout.split("\n")
    frames = []
    for function, place in zip(text[0::2], text[1::2]):
        place = place.split(" (discriminator")[0]
        if os.path.basename(tool).startswith("eu-") and place.count(":") > 1:
            place = place.rsplit(":", 1)[0]
        file, line = place.rsplit(":", 1)
        file = "" if file == "??" else os.path.basename(file)
        frames.append((function.split(" inlined at")[0], file, line if file else "0"))
    return frames


def same(one, other):
    """Of code without a linkage name the other says the last part of the name alone."""
    if one[1:] != other[1:]:
        return False
    return one[0] == other[0] or "::" + other[0] + "(" in one[0]


def main():
    tool, jsonl = sys.argv[1:3]
    paths = dict(argument.split("=", 1) for argument in sys.argv[3:])
    seen, inlined, different = {}, 0, 0
    with open(jsonl, encoding="utf-8") as lines:
        for line in lines:
            frames = {}
            for frame in json.loads(line).get("frames", []):
                frames.setdefault(frame["at"], []).append(frame)
            seen.update(frames)
    seen = {at: frames for at, frames in seen.items() if at.rsplit("+", 1)[0] in paths}
    for at, frames in seen.items():
        name, offset = at.rsplit("+", 1)
        got = [(f.get("function", "??"), os.path.basename(f.get("file", "")),
                str(f.get("line", 0))) for f in frames]
        want = asked(tool, paths[name], int(offset, 16) - 1)
        inlined += len(got) > 1
        if len(got) != len(want) or not all(map(same, got, want)):
            different += 1
            print(at, "is", got, "and not", want, file=sys.stderr)
    print(len(seen) > 3, inlined, different)


main()
