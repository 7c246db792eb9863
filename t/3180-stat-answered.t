# SPDX-License-Identifier: Apache-2.0
# What stat counts as the driver's calls, and what it says of all others.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

command -v jq >/dev/null 2>&1 || skip_all "no jq"
fake_driver
helpers stat/answers.so stat/handler

# stat HOOKS COMMAND...: its reports in $tmp/json, $tmp/text and $tmp/prometheus.
stat() {
	stat_hooks=$1
	shift
	for stat_format in json text prometheus; do
		audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(format=$stat_format)$stat_hooks" \
			CUAUDIT_OUTPUT="$tmp/$stat_format" "$@" >"$tmp/out.$stat_format" 2>"$tmp/err"
	done
}

# calls: those of the driver with their errors, and those that hooks answered, by function.
calls() {
	jq -r '([.functions[] | select(.name | test("Count|Alloc")) | [.name, .calls, .errors]] +
		[.answered_by_hooks[] | [.name, .calls, "answered"]])[] | @tsv' "$tmp/json" | sort
}

for timed in yes no; do
	errors=0
	test $timed = yes || errors=
	for order in before behind; do
		test $order = before || audited CUAUDIT_DRIVER=sim \
			CUAUDIT_HOOKS="$tmp/answers.so,stat(format=json;clock=$timed)" \
			CUAUDIT_OUTPUT="$tmp/json" "$tmp/handler" answers >"$tmp/out" 2>"$tmp/err"
		test $order = behind || audited CUAUDIT_DRIVER=sim \
			CUAUDIT_HOOKS="stat(format=json;clock=$timed),$tmp/answers.so" \
			CUAUDIT_OUTPUT="$tmp/json" "$tmp/handler" answers >"$tmp/out" 2>"$tmp/err"
		is "$(calls)" "$(printf 'cuDeviceGetCount\t5\t%s\ncuDeviceGetCount\t5\tanswered\n' "$errors"
			printf 'cuMemAlloc_v2\t7\tanswered\n')" \
			"clock=$timed, replaced and skipped, by a plug-in that comes $order it"
	done
done
stat ",$tmp/answers.so" "$tmp/handler" answers
like "$(cat "$tmp/text")" '^ *Calls  Answered by a hook, not by the driver$' "the text says so"
is "$(sed -n '/Answered by/,/^$/p' "$tmp/text" | awk 'NR > 1 && NF { print $1, $2 }' | sort)" \
	"5 cuDeviceGetCount
7 cuMemAlloc_v2" "... how often, and which"
is "$(grep -c '^ .* cuMemAlloc_v2$' "$tmp/text")" 1 "... and nowhere else"
is "$(sed -n 's/^cuaudit_answered_by_hooks_total{.*function="\([^"]*\)".* / \1 /p' "$tmp/prometheus" |
	sort | xargs)" "cuDeviceGetCount 5 cuMemAlloc_v2 7" "metrics too"
is "$(jq '[.functions[], .answered_by_hooks[] | .calls] | add' "$tmp/json") $(
	jq '[.processes[] | .calls, .answered_by_hooks] | add' "$tmp/json")" "18 18" "no call is lost"

stat ',fault(inject=cuDeviceGetCount:error=CUDA_ERROR_UNKNOWN:when=2..4;log=0),limit(deny=cuMemAlloc)' \
	"$tmp/handler" answers
is "$(calls)" "$(printf 'cuDeviceGetCount\t3\tanswered\ncuDeviceGetCount\t7\t0\n'
	printf 'cuMemAlloc_v2\t7\tanswered\n')" "fault and limit"

# Nothing comes to the driver.
rm -f "$tmp/json" "$tmp/text" "$tmp/prometheus"
stat ',fault(inject=*:error=2;log=0)' "$tmp/handler" answers
is "$(jq '([.functions[].calls] | add // 0), ([.answered_by_hooks[].calls] | add > 0)' \
	"$tmp/json" | xargs)" "0 true" "of calls that hooks answer alone there is a report"
like "$(cat "$tmp/text")" '^ *Calls  Answered by a hook' "... as text"
like "$(cat "$tmp/prometheus")" '^cuaudit_answered_by_hooks_total' "... as metrics"

# A handler that interrupts a hook: its call goes to the driver, unhooked.
for hooks in "" ",trace(file=$tmp/%p.cutrace;size=1MiB;when-full=ring)"; do
	stat "$hooks" "$tmp/handler" handler
	is "$(jq '([.functions[] | select(.name != "cuInit") | .calls] | add) + .unhooked_calls' \
		"$tmp/json")" "$(cat "$tmp/out.json")" "stat${hooks%%(*}: a signal handler's calls: none is lost"
	said=$(sed -n 's/^  not hooked    \([0-9]*\) calls* .*/\1/p' "$tmp/text")
	is "$(($(awk '/ cu(DriverGetVersion|DeviceGetCount)$/ && NF == 12 { sum += $3 }
		END { print sum }' "$tmp/text") + ${said:-0}))" "$(cat "$tmp/out.text")" "... in the text"
	is "$(awk -F'[ {]' '/^cuaudit_(calls|unhooked_calls)_total/ && !/cuInit/ { sum += $NF }
		END { print sum }' "$tmp/prometheus")" "$(cat "$tmp/out.prometheus")" "... in metrics"
	diag "$(jq .unhooked_calls "$tmp/json") unhooked of $(cat "$tmp/out.json")"
done

for hooks in "" ",fault(inject=cuMemGetInfo:delay_enter=1)"; do
	for format in json text prometheus; do
		audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(format=$format)$hooks" \
			CUAUDIT_OUTPUT="$tmp/$format" "$tmp/handler" unwound >"$tmp/out" 2>"$tmp/err"
	done
	is "$(jq .unwound_calls "$tmp/json") $(sed -n 's/^  unwound  *\([0-9]* calls\) .*/\1/p' "$tmp/text") $(
		sed -n 's/^cuaudit_unwound_calls_total.* //p' "$tmp/prometheus")" "5 5 calls 5" \
		"stat${hooks%%(*}: calls left by longjmp"
done
done_testing
