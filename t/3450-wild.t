# SPDX-License-Identifier: Apache-2.0
# Pointers that lead nowhere, in calls that the driver refuses without looking: no hook looks.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/wild

modules="limit(memory=1M;deny=cuProfilerStart),leak,stat,coverage,trace(file=$tmp/wild.cutrace)"
for when in first init; do
	$run_env "$tmp/wild" probe $when >"$tmp/names"
	ok "$when: functions" test "$(wc -l <"$tmp/names")" -ge 300
	is "$("$tmp/wild" call $when <"$tmp/names")" "all called" "$when: by themselves"
	is "$(audited CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="$modules" \
		"$tmp/wild" call $when <"$tmp/names")" "all called" "$when: under all hooks"

	# Success that the driver did not have: nothing was read or written all the same.
	for fault in error result; do
		is "$(audited CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_LOG=error \
			CUAUDIT_HOOKS="fault(inject=!cuInit,!%procaddr:$fault=0;log=0),$modules" \
			"$tmp/wild" call $when <"$tmp/names")" "all called" "$when: $fault=0"
	done
done
done_testing
