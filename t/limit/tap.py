# SPDX-License-Identifier: Apache-2.0
# Results of the tests of a script.
import sys

number = 0


def check(what, got, want):
    global number
    number += 1
    print("%sok %d - %s" % ("" if got == want else "not ", number, what))
    if got != want:
        print("# got: %r, want: %r" % (got, want))
    sys.stdout.flush()


def done():
    print("1..%d" % number)
