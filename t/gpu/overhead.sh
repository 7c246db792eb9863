# SPDX-License-Identifier: Apache-2.0
# What watching a training step costs: plain, with stat, with trace, under the PyTorch profiler
# and under nsys, in turn, so that what else the machine does hits all of them alike.
#
# sh overhead.sh small|model [ROUNDS [MODE...]]    in a build folder; one JSON line a run, then a table
# Modes: plain loaded stat trace trace-noargs kineto nsys
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${LIBCUAUDIT:=$PWD/lib/libcuaudit.so}"
: "${PYTHON3:=python3}"
step=${1:-small}
rounds=${2:-3}
test $# -lt 2 || shift
test $# -eq 0 || shift
test $# -gt 0 || set -- plain stat trace trace-noargs kineto nsys
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

run() {
	program="$PYTHON3 $top_srcdir/t/gpu/overhead.py $step"
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
for line in open(sys.argv[1]):
    row = json.loads(line)
    times[row["mode"]].append(row["quartile_us"])
print("\n%-14s %12s %8s   %s" % ("mode", "step in us", "ratio", "ratios of the rounds"))
for mode, mine in times.items():
    # Each run against the plain one of its own round.
    ratios = [b / a for a, b in zip(times["plain"], mine)]
    print("%-14s %12.1f %8.3f   %s" % (mode, statistics.median(mine), statistics.median(ratios),
                                       " ".join("%.3f" % r for r in sorted(ratios))))
END
