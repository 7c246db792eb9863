# SPDX-License-Identifier: Apache-2.0
# Processes killed while their threads call: no call that had returned is missing.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

command -v jq >/dev/null 2>&1 || skip_all "no jq"
helper stat/killed
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"

tool stat --json -o "$tmp/json" -d sim -K "$tmp/kept" "$tmp/killed" 60
is "$status $(wc -l <"$tmp/json")" "0 1" "60 processes killed at any time"
read -r returned begun <"$tmp/out"
counted=$(jq '[.functions[].calls] | add' "$tmp/json")
ok "$returned calls returned of $begun that began, and $counted are counted" \
	test "$counted" -ge "$returned" -a "$counted" -le "$begun"
is "$(jq '.damaged_segments + .lost_calls' "$tmp/json")" 0 "nothing is damaged or lost"
is "$(jq -c '[[.processes[].calls], [.threads[].calls], [.libraries[].functions[].calls]] |
	map(add) | unique' "$tmp/json")" "[$counted]" "by process, thread and library it is as many"
"$cuaudit" report -m json "$tmp/kept" >"$tmp/again" 2>"$tmp/err"
is "$(jq '[.functions[].calls] | add' "$tmp/again")" "$counted" "the same from what is kept"
is "$("$cuaudit" report -m prometheus "$tmp/kept" 2>"$tmp/err" |
	awk '/^cuaudit_calls_total/ { sum += $NF } END { printf "%d\n", sum }')" "$counted" "... as metrics"
done_testing
