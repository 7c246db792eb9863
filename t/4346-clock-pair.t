# SPDX-License-Identifier: Apache-2.0
# What a read of the clock takes is not said to be nothing.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helper trace/patch
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(save=$tmp/saved.part)" timeout 300 sh -c \
	'"$0" killed 1000; exit 0' "$tmp/app" >"$tmp/out" 2>"$tmp/err"
saved=$(echo "$tmp"/saved.part*)
ok "there is a record" test -s "$saved"

# clock TICKS: the report's line of it
clock() {
	"$tmp/patch" "$saved" pair "$1" || echo "not patched"
	"$top_builddir/bin/cuaudit" report "$saved" 2>/dev/null | sed -n 's/^  clock  *.*MHz, //p'
}

is "$(clock 0)" "too coarse to tell how long a read takes, which is part of every time above" \
	"a clock that stood still"
like "$(clock 1)" '^at most [1-9][0-9]*ns between two reads in a row, part of every time above$' \
	"one whose ticks are longer"
like "$(clock 1000)" '^[1-9][0-9.]*[nu]s between two reads in a row, part of every time above$' "any other"
done_testing
