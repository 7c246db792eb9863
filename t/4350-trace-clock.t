# SPDX-License-Identifier: Apache-2.0
# A time of day that is set while a program runs: durations are as they were, and it is told.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"
cuaudit=$top_builddir/bin/cuaudit

helpers trace/patch trace/slow
traced "" "$tmp/slow"
file=$(echo "$tmp"/traces/*.cutrace)
all_times() {
	"$cuaudit" convert --to csv -o - "$file" 2>"$tmp/err" | cut -d, -f 7,8
}
all_times >"$tmp/before"
is "$(wc -l <"$tmp/before") $(cat "$tmp/err")" "11 " "a clock that was not set: nothing is told"
unlike "$("$cuaudit" report "$file" 2>&1)" "time of day" "nor by report"
ok "half a percent is set" "$tmp/patch" "$file" set 0.5
all_times >"$tmp/after"
ok "times and durations are the same" cmp "$tmp/before" "$tmp/after"
like "$(cat "$tmp/err")" 'the time of day was set meanwhile, 1 time; times are by the clock of the start$' \
	"convert tells"
like "$("$cuaudit" report "$file" 2>&1)" '^  clock  *1 time the time of day was set; ' "report, too"
like "$("$cuaudit" report --format json "$file" 2>&1)" \
	'"clock_steps": *1,' "and as JSON"
done_testing
