# SPDX-License-Identifier: Apache-2.0
# Driver calls in signal handlers, on small stacks and at the end of one.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/stacks
# Single steps, where the processor has them for its own program.
steps= few=
test "$(arch)" != x86_64 || {
	steps="stepped stepped-signal-stack"
	few=stepped-few
}
for how in signals signal-stack $steps small-thread first-on-small-thread many-threads edge no-files own-stack reused; do
	both "$how" timeout 300 "$tmp/stacks" $how
done
routed "many-threads, with statistics" CUAUDIT_HOOKS=stat timeout 300 "$tmp/stacks" \
	many-threads
for how in edge own-stack reused small-thread; do
	routed "$how, with statistics alone" CUAUDIT_HOOKS=stat timeout 300 "$tmp/stacks" $how alone
done
for how in $steps; do
	audited ROUTES=routed LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat(format=json)' \
		CUAUDIT_OUTPUT="$tmp/json" timeout 300 "$tmp/stacks" $how alone >"$tmp/out" 2>"$tmp/err"
	is "$? $(grep '^not ok' "$tmp/out")" "0 " "$how, with statistics alone"
	straight=$(sed -n 's/^# \([0-9]*\) straight,.*/\1/p' "$tmp/out")
	counted=$($PYTHON3 -c '
import json, sys
functions = json.load(open(sys.argv[1]))["functions"]
print(sum(f["calls"] for f in functions if f["name"] != "cuaudit_fake_calls"))' "$tmp/json")
	is "$((straight + counted))" "$(sed -n 's/^# \([0-9]*\) calls$/\1/p' "$tmp/out")" \
		"each call is counted, or bypassed the hooks"
done
for how in edge own-stack small-thread; do
	routed "$how, with a trace alone" CUAUDIT_HOOKS="trace(file=$tmp/%p.cutrace)" timeout 300 \
		"$tmp/stacks" $how alone
done
# Those of handlers that come while a record is written are not in it, and counted.
helper trace/check
for how in signals signal-stack $few; do
	rm -f "$tmp/a.cutrace"
	audited ROUTES=routed LD_LIBRARY_PATH="$tmp" CUAUDIT_LOG=info \
		CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace)" timeout 300 "$tmp/stacks" $how alone \
		>"$tmp/out" 2>"$tmp/err"
	is "$? $(grep '^not ok' "$tmp/out")" "0 " "$how, with a trace alone"
	$run_env "$tmp/check" "$tmp/a.cutrace" >"$tmp/records"
	is "$? $(grep '^bad' "$tmp/records")" "0 " "the file is whole"
	traced=$(grep -c '^call ' "$tmp/records")
	lost=$(sed -n 's/.*trace: \([0-9]*\) calls are not .*/\1/p' "$tmp/err")
	is "$(sed -n 's/.*trace: [0-9]* calls\{0,1\} \(is\|are\) not in [^:]*: \(.*\)/\2/p' "$tmp/err")" \
		"${lost:+not hooked: made while a hook ran, with an unaligned stack, or without memory for their thread}" \
		"... why the others are not there"
	is "$("$top_builddir/bin/cuaudit" convert --to text "$tmp/a.cutrace" 2>&1 >/dev/null |
		sed -n 's/.*: calls are missing: [0-9]* //p')" "${lost:+that were not hooked}" "... nor where it is read"
	is $((traced + ${lost:-0} - 9)) "$(sed -n 's/^# \([0-9]*\) calls$/\1/p' "$tmp/out")" \
		"each call, and the nine that ask for counts"
done
routed "signals, with statistics" CUAUDIT_HOOKS=stat timeout 300 "$tmp/stacks" signals
routed "signal-stack, with statistics" CUAUDIT_HOOKS=stat timeout 300 "$tmp/stacks" signal-stack

# Each module's own needs, on the smallest stacks there are.
helper hostile/small
for stack in "thread 16384" "coroutine 8192" "signal 8192"; do
	# A kernel that saves large registers may have no room there at all.
	LD_LIBRARY_PATH=$top_builddir/lib/cuaudit/sim $run_env timeout 300 "$tmp/small" $stack \
		>"$tmp/out" 2>&1 || {
		diag "$stack: too small for this machine"
		continue
	}
	for hooks in stat coverage leak 'limit(memory=1G)' \
		'fault(inject=cuDriverGetVersion:delay_enter=1ns)' "trace(file=$tmp/%p.cutrace)" \
		"trace(file=$tmp/%p.cutrace;backtrace=*;frames=100)" \
		"stat,leak,limit(memory=1G),trace(text=yes;backtrace=*)"; do
		ok "$stack: $hooks" audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$hooks" \
			timeout 300 "$tmp/small" $stack
	done
done

done_testing
