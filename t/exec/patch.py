# SPDX-License-Identifier: Apache-2.0
"""Changes an ELF object as linkers and tools of other times made them: WHAT FROM TO.

rwx       segments of code are writable
relative  the dynamic section is marked read-only, so that the loader leaves it as it is
jmprel    DT_RELASZ counts the relocations of the PLT too, which follow
"""
import struct
import sys

PT_LOAD, PT_DYNAMIC = 1, 2
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
    if what == "relative" and kind == PT_DYNAMIC:
        struct.pack_into("<I", elf, header + 4, R)
if what == "jmprel":
    values = {struct.unpack_from("<q", elf, e)[0]: e for e in entries()}
    plt, = struct.unpack_from("<Q", elf, values[DT_PLTRELSZ] + 8)
    own, = struct.unpack_from("<Q", elf, values[DT_RELASZ] + 8)
    struct.pack_into("<Q", elf, values[DT_RELASZ] + 8, own + plt)
open(target, "wb").write(elf)
