# SPDX-License-Identifier: Apache-2.0
# What t/gpu/overhead.py and t/bench/within.py measure by: a process switches its hooks off and on.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

command -v "$PYTHON3" >/dev/null || skip_all "no Python"

cat >"$tmp/turns.py" <<'END'
import ctypes
import sys

sys.path.insert(0, sys.argv[1] + "/t/gpu")
from overhead import Switch

driver = ctypes.CDLL("libcuda.so.1")
version = ctypes.c_int()


def call(count):
    for _ in range(count):
        assert driver.cuDriverGetVersion(ctypes.byref(version)) == 0


call(1)
switch = Switch()
for hooked, count in (True, 2), (False, 40), (True, 4), (False, 80):
    switch.turn(hooked)
    call(count)
switch.turn(True)
END

audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(format=json)" CUAUDIT_OUTPUT="$tmp/report" \
	"$PYTHON3" "$tmp/turns.py" "$top_srcdir" >"$tmp/out" 2>&1
is "$?" 0 "hooks off and on"
is "$(cat "$tmp/out")" "" "nothing is said"
like "$(cat "$tmp/report")" '"calls":7\b' "the calls of one and of six others are counted"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="fault(inject=cuInit:delay_enter=1us;log=0)" \
	"$PYTHON3" "$tmp/turns.py" "$top_srcdir" >"$tmp/out" 2>&1
is "$?" 1 "with a hook of a function that is not called"
like "$(cat "$tmp/out")" "^next to no stub of this process jumps to a hook$" "there is nothing to measure"
done_testing
