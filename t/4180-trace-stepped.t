# SPDX-License-Identifier: Apache-2.0
# At each instruction of a call the trace's file is whole, should the process be killed there.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

test "$($CC -dumpmachine | sed 's/-.*//')" = x86_64 || skip_all "no single steps here"
compile -O1 -o "$tmp/stepped" "$top_srcdir/t/trace/stepped.c" -ldl || bail_out "no test program"

# The ways of the trace's own, and the trampolines.
for hooks in "trace(%)" "trace(%;args=no)" "trace(%;when-full=ring;size=1M)" "trace(%),stat"; do
	for arguments in same other; do
		rm -f "$tmp/a.cutrace"
		audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/report" \
			CUAUDIT_HOOKS="$(printf '%s' "$hooks" | sed "s|%|file=$tmp/a.cutrace|")" \
			"$tmp/stepped" "$tmp/a.cutrace" "$arguments" >"$tmp/out" 2>"$tmp/err"
		is "$? $(cat "$tmp/err")" "0 " "$hooks, $arguments arguments: it ends well"
		like "$(cat "$tmp/out")" \
			'^[0-9]{3,} steps, 4 records, 0 times damaged, 0 less, 0 more than one$' \
			"$hooks, $arguments arguments: whole after each"
	done
done
done_testing
