# SPDX-License-Identifier: Apache-2.0
# A ring that is read while it is written: whatever is read was called so.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"
cuaudit=$top_builddir/bin/cuaudit

helpers trace/libcuda.so.1 trace/spin trace/judge

rm -rf "$tmp/traces"
mkdir "$tmp/traces"
mkfifo "$tmp/end"
audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace(size=1MiB;when-full=ring)" "$tmp/spin" \
	<"$tmp/end" 2>"$tmp/err" &
spin=$!
exec 3>"$tmp/end"
calls=0 wrong=0 over=0 runs=0
until file=$(echo "$tmp"/traces/*.cutrace) && test -s "$file"; do
	kill -0 $spin || bail_out "the writer is gone: $(cat "$tmp/err")"
done
# Until there was enough to read, and the writer was seen to write over what was read.
while test $runs -lt 200 && { test $runs -lt 40 || test $calls -lt 200000 || test $over -eq 0; } ||
	test $runs -lt 4000 -a $calls -le 1000; do
	runs=$((runs + 1))
	"$cuaudit" convert --to csv -o "$tmp/to" "$file" 2>"$tmp/said" || :
	test -f "$tmp/to" || continue
	"$tmp/judge" <"$tmp/to" >"$tmp/judged"
	grep '^wrong' "$tmp/judged" | sed 's/^/# /'
	calls=$((calls + $(sed -n 's/ calls, .*//p' "$tmp/judged")))
	wrong=$((wrong + $(sed -n 's/.* calls, \([0-9]*\) wrong/\1/p' "$tmp/judged")))
	grep -q damaged "$tmp/said" && sed 's/^/# /' "$tmp/said" && wrong=$((wrong + 1))
	grep -q 'written over' "$tmp/said" && over=$((over + 1))
	rm -f "$tmp/to"
done
"$cuaudit" report "$file" >"$tmp/report" 2>&1
unlike "$(cat "$tmp/report")" damaged "a report finds nothing damaged"
exec 3>&-
wait $spin || diag "the writer: $?"
diag "$calls calls in $runs conversions, $over of which missed some"
ok "there were calls to be read" test $calls -gt 1000
is "$wrong" 0 "none that was not made"
done_testing
