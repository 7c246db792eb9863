# SPDX-License-Identifier: Apache-2.0
# What watching a training step costs: plain, with stat, with trace, under the PyTorch profiler
# and under nsys, in turn, so that what else the machine does hits all of them alike.
#
# sh overhead.sh [ROUNDS [MODE...]]    in a build folder; prints one JSON line a run, then a table.
# Modes: plain loaded stat trace trace-noargs kineto nsys
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${LIBCUAUDIT:=$PWD/lib/libcuaudit.so}"
: "${PYTHON3:=python3}"
rounds=${1:-3}
test $# -eq 0 || shift
test $# -gt 0 || set -- plain stat trace trace-noargs kineto nsys
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

run() {
	program="$PYTHON3 $top_srcdir/t/gpu/overhead.py"
	case $1 in
	plain) $program ;;
	kineto) $program kineto ;;
	loaded) LD_AUDIT=$LIBCUAUDIT CUAUDIT_HOOKS= $program ;;
	stat) LD_AUDIT=$LIBCUAUDIT CUAUDIT_HOOKS=stat CUAUDIT_OUTPUT=$folder/stat.%p $program ;;
	trace) LD_AUDIT=$LIBCUAUDIT CUAUDIT_HOOKS="trace(file=$folder/%p.cutrace)" $program ;;
	trace-noargs)
		LD_AUDIT=$LIBCUAUDIT CUAUDIT_HOOKS="trace(args=no;file=$folder/%p.cutrace)" $program
		;;
	nsys)
		command -v nsys >"$folder/which" || return 0
		nsys profile -t cuda -s none --cpuctxsw=none -f true -o "$folder/nsys" $program
		;;
	esac 2>"$folder/errors" | sed -n "s/^{/{\"mode\": \"$1\", /p"
}

for round in $(seq "$rounds"); do
	for mode; do
		run "$mode" || cat "$folder/errors"
	done
done | tee "$folder/lines"

"$PYTHON3" - "$folder/lines" <<'END'
import collections
import json
import statistics
import sys

times = collections.defaultdict(list)
modes = []
for line in open(sys.argv[1]):
    row = json.loads(line)
    times[row["step"], row["mode"]].append(row["median_us"])
    if row["mode"] not in modes:
        modes.append(row["mode"])
print("\n%-14s %12s %8s %12s %8s" % ("mode", "small us", "ratio", "model us", "ratio"))
for mode in modes:
    cells = []
    for step in "small", "model":
        # Each run against the plain one of its own round; the median of those.
        plain, mine = times[step, "plain"], times[step, mode]
        ratio = statistics.median(b / a for a, b in zip(plain, mine)) if plain else 0
        cells += ["%12.1f" % statistics.median(mine), "%8.3f" % ratio]
    print("%-14s %s" % (mode, " ".join(cells)))
END
