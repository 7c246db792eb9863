# SPDX-License-Identifier: Apache-2.0
# Hooks that a signal handler leaves by siglongjmp, and calls that end on another thread.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/unwound
for how in jump jump-off-signal-stack move signal-stack-above signal-stack-within deep; do
	both "$how" timeout 300 "$tmp/unwound" $how
done

# counted: calls in $tmp/json of what the test calls
counted() {
	$PYTHON3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(sum(f["calls"] for f in report["functions"]
          if f["name"] in ("cuStreamQuery", "cuMemAlloc_v2", "cuInit")))' "$tmp/json"
}

# Of those whose fast paths write what they count: no more are lost than were left.
for how in jump jump-off-signal-stack; do
	audited ROUTES=routed LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat(format=json)' \
		CUAUDIT_OUTPUT="$tmp/json" timeout 300 "$tmp/unwound" $how alone >"$tmp/out" 2>"$tmp/err"
	is "$?" 0 "$how, with statistics alone"
	calls=$(sed -n 's/^# \([0-9]*\) calls$/\1/p' "$tmp/out")
	jumps=$(sed -n 's/^# \([0-9]*\) jumps.*/\1/p' "$tmp/out")
	counted=$(counted)
	diag "$calls calls, $jumps jumps, $counted counted"
	ok "all but those that were left are counted" test $((calls - counted)) -le "$jumps"
done

# Without an unwinder, frames that were overwritten tell; those of fast paths soon are.
helper routes/told.so none/libgcc_s.so.1
audited ROUTES=routed LD_LIBRARY_PATH="$tmp/none:$tmp" CUAUDIT_HOOKS='stat(format=json)' \
	CUAUDIT_OUTPUT="$tmp/json" timeout 300 "$tmp/unwound" jump alone >"$tmp/out" 2>"$tmp/err"
is "$?" 0 "jump, without an unwinder"
calls=$(sed -n 's/^# \([0-9]*\) calls$/\1/p' "$tmp/out")
counted=$(counted)
diag "$calls calls, $counted counted"

# Calls are of the thread that they end on.
audited ROUTES=routed LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat(format=json)' \
	CUAUDIT_OUTPUT="$tmp/json" timeout 300 "$tmp/unwound" move alone >"$tmp/out" 2>"$tmp/err"
is "$? $(grep '^not ok' "$tmp/out")" "0 " "move, with statistics alone"
is "$($PYTHON3 -c '
import json, sys
print(*(t["calls"] for t in json.load(open(sys.argv[1]))["threads"] if t["tid"] != t["pid"]))' \
	"$tmp/json" | tr ' ' '\n' | sort -n | tail -n 1)" \
	"$(sed -n 's/^# .* and \([0-9]*\) on the second thread$/\1/p' "$tmp/out")" \
	"the second thread's are its own and those that it ended"
routed "move, with a trace alone" CUAUDIT_HOOKS="trace(file=$tmp/b.cutrace)" timeout 300 \
	"$tmp/unwound" move alone

# Each module that reports says how many.
for module in stat coverage "limit(memory=1GiB;on-error=run)"; do
	audited ROUTES=routed LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="$module" \
		CUAUDIT_OUTPUT="$tmp/report" timeout 300 "$tmp/unwound" jump alone >"$tmp/out" 2>"$tmp/err"
	is "$?" 0 "$module"
	like "$(cat "$tmp/report")" '[1-9][0-9,]* *calls.* left by longjmp or an exception' \
		"how many calls were left"
done
audited ROUTES=routed LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace;size=64M)" \
	CUAUDIT_LOG=info timeout 300 "$tmp/unwound" jump alone >"$tmp/out" 2>"$tmp/err"
is "$?" 0 "trace"
like "$(cat "$tmp/err")" '[0-9]+ call(s are| is) not in .*: left by longjmp' "how many calls were left"
unlike "$(cat "$tmp/err")" 'not hooked' "... and all others are in it"
done_testing
