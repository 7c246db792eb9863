# SPDX-License-Identifier: Apache-2.0
# Calls that are not in a trace are counted in it, and said when it ends and by who reads it.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"
cuaudit=$top_builddir/bin/cuaudit

# A callback of the driver's that leaves the call it was made in; further calls are from above it.
helper trace/left
traced "" env CUAUDIT_LOG=info "$tmp/left"
is "$status" 0 "a call that is left: the program ends well"
like "$(cat "$tmp/err")" '^cuaudit: trace: 1 call is not in .*\.cutrace: left by longjmp, ' "it is told"
is "$(checked "$tmp"/traces/*.cutrace | number '^call .* cuLaunchHostFunc ')" 0 "and not in the file"

# A hook that was left is a loss, which the file has.
helper trace/patch
"$tmp/patch" "$tmp"/traces/*.cutrace unwound 3 || echo "not patched"
status=0
"$cuaudit" report "$tmp"/traces/*.cutrace >"$tmp/out" 2>"$tmp/err" || status=$?
like "$(cat "$tmp/out")" '^  missing  .* 3 calls: a signal handler left the hook by siglongjmp$' "report has it"
like "$status $(cat "$tmp/err")" '^2 .*: calls are missing: 3 of which a signal handler left the hook$' \
	"report says so"
"$cuaudit" convert --to text -o /dev/null "$tmp"/traces/*.cutrace 2>"$tmp/err"
like "$(cat "$tmp/err")" 'calls are missing: 3 of which a signal handler left the hook$' "convert, too"

# Hooks left at any moment: what was made is recorded or lost, and the times of others stay right.
test "$(uname -m)" = x86_64 && test "$run_env" = env || {
	skip 4 "no counter to compare times with"
	done_testing
	exit
}
helpers trace/libcuda.so.1 trace/jumps trace/times
for options in "" "start=cuMemsetD8_v2"; do
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_LOG=info CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace($options)" timeout 300 \
		"$tmp/jumps" >"$tmp/out" 2>"$tmp/err"
	is "$?" 0 "hooks are left: $options"
	"$tmp/times" "$tmp"/traces/*.cutrace >"$tmp/counted" || diag "not read"
	is "$(checked "$tmp"/traces/*.cutrace | number '^bad|check failed')" 0 "the file is whole"
	read -r calls lost wrong <"$tmp/counted"
	is "$wrong" 0 "no call began before it was made, or ended after the next was"
	# Calls that were left while the driver ran are told apart.
	left=$(sed -n 's/.* \([0-9]*\) calls* [a-z]* not in .*: left by longjmp.*/\1/p' "$tmp/err")
	diag "$(cat "$tmp/out") made, $calls recorded, $lost lost, ${left:-0} left"
	ok "all are recorded or lost" test $((calls + lost + ${left:-0} - $(cat "$tmp/out"))) -le 3
done

# One byte is not "1 bytes".
rm -rf "$tmp/cut" && mkdir "$tmp/cut"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/cut/whole.cutrace)" \
	"$top_builddir/demo/cudemo" dlopen >"$tmp/out" 2>&1
head -c -1 "$tmp/cut/whole.cutrace" >"$tmp/cut/short.cutrace"
"$cuaudit" convert -t csv -o "$tmp/cut/csv" "$tmp/cut/short.cutrace" 2>"$tmp/err" && status=0 || status=$?
is "$status" 2 "a byte less: the status"
like "$(cat "$tmp/err")" ': 1 damaged part was left out; 1 byte of it was cut off$' "... and what is said"
done_testing
