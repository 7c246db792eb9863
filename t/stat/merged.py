# SPDX-License-Identifier: Apache-2.0
"""What statistics keep of threads that ended: merged.py DIRECTORY SEED, with threads=2.

A kernel keeps its stream busy for longer than this runs. Threads of several generations make calls that succeed, fail, are not ready or are answered by a
hook, and then wait. What DIRECTORY/PID.part says of them then has to be what it says when they
have ended: each count, sum, least, most and bucket, by function. Calls and errors have to be those
that were made, and the threads that keep a record of their own the two busiest. A child of fork
has none of it. Reads the file as <cuaudit/stat.h> describes it."""

import ctypes
import os
import random
import struct
import sys
import threading
import time

SEGMENT, HEADER, BUCKETS = 262144, 4096, 304
CELL, FUNCTION, THREAD = 1, 2, 4
LIVE, ENDED = 1, 2
NOT_READY = 600
PR_SET_NAME = 15
PTX = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel()\n{\n\tret;\n}\n"

driver, libc = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL(None)
directory, choose = sys.argv[1], random.Random(int(sys.argv[2]))
lock = threading.Lock()
made = {}  # function: calls, errors, not ready, answered


def check(right, what):
    if not right:
        print(what, flush=True)
        os._exit(1)


def records():
    with open(f"{directory}/{os.getpid()}.part", "rb") as file:
        data = file.read()
    for segment in range(0, len(data), SEGMENT):
        at, end = segment or HEADER, min(segment + SEGMENT, len(data))
        while at + 8 <= end:
            kind, size = struct.unpack_from("<II", data, at)
            if not kind:
                break
            yield kind, data[at:at + size]
            at += size


class Sum:
    def __init__(self):
        self.counts, self.squares = [0] * 5, 0.0
        self.least, self.most, self.buckets = (1 << 64) - 1, 0, [0] * BUCKETS

    def add(self, cell):
        answered, = struct.unpack_from("<Q", cell, 40)
        calls, errors, not_ready, total, squares, least, most = struct.unpack_from("<QQQQdQQ", cell, 72)
        if calls:
            check(0 <= total - calls * least and total <= calls * most,
                  f"{calls} calls of {total} ticks, from {least} to {most}")
            check(calls > 1 or least == most == total, f"one call of {total} ticks, from {least} to {most}")
        more = [calls, errors, not_ready, answered, total]
        self.counts = [a + b for a, b in zip(self.counts, more)]
        self.squares += squares
        self.least, self.most = min(self.least, least), max(self.most, most)
        self.buckets = [a + b for a, b in zip(self.buckets, struct.unpack_from(f"<{BUCKETS}I", cell, 128))]

    def same(self, other):
        return (self.counts == other.counts and abs(self.squares - other.squares) <= 1e-9 * self.squares
                and (self.least, self.most, self.buckets) == (other.least, other.most, other.buckets))


def look():
    """Sums by function, calls and time by thread, records of threads."""
    names, sums, by_thread, threads = {}, {}, {}, {}
    for kind, record in records():
        if kind == FUNCTION:
            names[struct.unpack_from("<I", record, 8)[0]] = record[16:].split(b"\0")[0].decode()
        elif kind == CELL:
            slot, _, thread = struct.unpack_from("<III", record, 8)
            sums.setdefault(slot, Sum()).add(record)
            one = by_thread.setdefault(thread, [0, 0])
            one[0] += struct.unpack_from("<Q", record, 72)[0]
            one[1] += struct.unpack_from("<Q", record, 96)[0]
        elif kind == THREAD:
            number, state, _, merged = struct.unpack_from("<IIiI", record, 8)
            name = record[24:40].split(b"\0")[0].decode()
            if state or not number:
                threads[number] = (state, merged, name, struct.unpack_from("<QQQ", record, 40))
    return {names[slot]: sum for slot, sum in sums.items()}, by_thread, threads


def call(name, *arguments, answered=False):
    result = getattr(driver, name)(*arguments)
    with lock:
        counts = made.setdefault(name, [0, 0, 0, 0])
        if answered:
            counts[3] += 1
        else:
            counts[0] += 1
            counts[1] += result not in (0, NOT_READY)
            counts[2] += result == NOT_READY
    return result


def work(number, seed, quiet, release):
    own, value, stream = random.Random(seed), ctypes.c_int(), ctypes.c_void_p()
    libc.prctl(PR_SET_NAME, b"begins")
    call("cuCtxSetCurrent", context)
    call("cuStreamCreate", ctypes.byref(stream), 1)
    launched = call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, stream, None, None)
    check(forked or not launched, "a launch")
    for _ in range(own.randrange(50, 400)):
        what = 0 if forked else own.randrange(4)
        if what == 0:
            call("cuDriverGetVersion", ctypes.byref(value))
        elif what == 1:
            check(call("cuMemFree_v2", ctypes.c_uint64(1)), "a free that does not fail")
        elif what == 2:
            check(call("cuStreamQuery", stream) == NOT_READY, "a stream that is ready")
        else:
            check(call("cuCtxSynchronize", answered=True) == 999, "a call that is not answered")
    quiet.wait()
    release.wait()
    libc.prctl(PR_SET_NAME, b"ends %d" % number)


def agree(sums):
    for name, counts in made.items():
        found = sums[name].counts[:4] if name in sums else "missing"
        check(found == counts, f"{name}: {found}, not {counts}")


def count_threads():
    """A list of /proc/self/task may end at one that ends meanwhile."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Threads:"))


def generation(first, count):
    alone = count_threads()
    quiet, release = threading.Barrier(count + 1), threading.Barrier(count + 1)
    threads = [threading.Thread(target=work, args=(first + i, choose.random(), quiet, release))
               for i in range(count)]
    for thread in threads:
        thread.start()
    quiet.wait()
    before, by_thread, records = look()
    agree(before)
    live = {n: by_thread[n] for n, r in records.items() if r[0] == LIVE and n != 1}
    check(len(live) == count, f"{len(live)} of {count} threads")
    release.wait()
    # Python's join may return before the thread has ended, and with it what adds its figures up.
    deadline = time.monotonic() + 60
    while count_threads() > alone:
        check(time.monotonic() < deadline, "threads that do not end")
        time.sleep(0.01)
    after, by_thread, records = look()
    check(sum(r[0] == LIVE for r in records.values()) == 1, "a thread that has ended is live")
    for name, one in before.items():
        check(after[name].same(one), f"{name} was {one.counts}, is {after[name].counts}, or its times")
    return live, records


forked = False
context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
check(not call("cuInit", 0), "cuInit")
check(not call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0), "a context")
call("cuCtxSetCurrent", context)
check(not call("cuModuleLoadData", ctypes.byref(module), PTX), "a module")
check(not call("cuModuleGetFunction", ctypes.byref(kernel), module, b"kernel"), "a kernel")
all_threads, records_now = {}, {}
for number in range(4):
    live, records_now = generation(10 * number, choose.randrange(3, 8))
    all_threads.update(live)
busiest = sorted(all_threads, key=lambda n: all_threads[n][::-1])  # by time, then by calls
check(sorted(busiest[-2:]) == sorted(n for n, r in records_now.items() if r[0] == ENDED),
      f"kept are {records_now}, of {all_threads}")
for number, (state, merged, name, counts) in records_now.items():
    if state == ENDED:
        check([counts[0], counts[2]] == all_threads[number], f"thread {number} has {counts}")
        check(name.startswith("ends "), f"thread {number} is called {name}")
    elif not number:
        rest = [all_threads[n] for n in busiest[:-2]]
        check((merged, counts[0], counts[2]) == (len(rest), sum(r[0] for r in rest), sum(r[1] for r in rest)),
              f"others are {merged} with {counts}")
        print("others", merged, "errors", counts[1])
child = os.fork()
if not child:
    made.clear()
    forked = True  # the driver answers errors
    call("cuDriverGetVersion", ctypes.byref(ctypes.c_int()))
    generation(100, 3)
    sums, _, threads = look()
    agree(sums)
    check(set(sums) == set(made), f"functions that were not called: {set(sums) - set(made)}")
    check(max(threads) <= 4, f"threads have the numbers {sorted(threads)}")
    os._exit(0)
check(os.waitpid(child, 0)[1] == 0, "the child")
print("calls", sum(c[0] for c in made.values()))
