# SPDX-License-Identifier: Apache-2.0
"""Changes an ELF object as linkers and tools of other times made them: WHAT FROM TO.

rwx       segments of code are writable
rw        segments that are read alone are writable
relative  the dynamic section is marked read-only, so that the loader leaves it as it is
jmprel    DT_RELASZ counts the relocations of the PLT too, which follow
moved     the program headers are at the end, in a segment of their own
odd       they are there, 4 bytes behind a multiple of 8
hidden    they are there, and in no segment
endless   the segment of code ends behind the last address, where loaders count from 0 again
"""
import struct
import sys

PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
PAGE = 65536
X, W, R = 1, 2, 4
DT_PLTRELSZ, DT_RELASZ = 2, 8

what, source, target = sys.argv[1:]
elf = bytearray(open(source, "rb").read())
at, = struct.unpack_from("<Q", elf, 32)
size, count = struct.unpack_from("<HH", elf, 54)
headers = range(at, at + size * count, size)


def flags(header):
    return struct.unpack_from("<I", elf, header + 4)[0]


def entries():
    for header in headers:
        if struct.unpack_from("<I", elf, header)[0] == PT_DYNAMIC:
            place, = struct.unpack_from("<Q", elf, header + 8)
            while struct.unpack_from("<q", elf, place)[0]:
                yield place
                place += 16


for header in headers:
    kind, = struct.unpack_from("<I", elf, header)
    if what == "rwx" and kind == PT_LOAD and flags(header) & X:
        struct.pack_into("<I", elf, header + 4, R | W | X)
    if what == "rw" and kind == PT_LOAD and flags(header) == R:
        struct.pack_into("<I", elf, header + 4, R | W)
    if what == "endless" and kind == PT_LOAD and flags(header) & X:
        start, = struct.unpack_from("<Q", elf, header + 16)
        struct.pack_into("<Q", elf, header + 40, 2 ** 64 - start + 8)
    if what == "relative" and kind == PT_DYNAMIC:
        struct.pack_into("<I", elf, header + 4, R)
if what == "jmprel":
    values = {struct.unpack_from("<q", elf, e)[0]: e for e in entries()}
    plt, = struct.unpack_from("<Q", elf, values[DT_PLTRELSZ] + 8)
    own, = struct.unpack_from("<Q", elf, values[DT_RELASZ] + 8)
    struct.pack_into("<Q", elf, values[DT_RELASZ] + 8, own + plt)
if what in ("moved", "odd", "hidden"):
    off = 4 if what == "odd" else 0
    end = -(-len(elf) // PAGE) * PAGE
    loads = [h for h in headers if struct.unpack_from("<I", elf, h)[0] == PT_LOAD]
    notes = [h for h in headers if struct.unpack_from("<I", elf, h)[0] == PT_NOTE and h > loads[-1]]
    if what != "hidden":
        last = sum(struct.unpack_from("<Q", elf, loads[-1] + field)[0] for field in (16, 40))
        place = -(-last // PAGE) * PAGE
        struct.pack_into("<IIQQQQQQ", elf, notes[0], PT_LOAD, R, end, place, place,
                         off + size * count, off + size * count, PAGE)
    elf += bytes(end + off - len(elf)) + elf[at:at + size * count]
    elf[at:at + size * count] = bytes(size * count)
    struct.pack_into("<Q", elf, 32, end + off)
open(target, "wb").write(elf)
