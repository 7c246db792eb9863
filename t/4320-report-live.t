# SPDX-License-Identifier: Apache-2.0
# cuaudit report of what a program's trace says: its launches, its memory.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

cuaudit=$top_builddir/bin/cuaudit
command -v jq >"$tmp/which" || skip_all "no jq"
helper trace/memory

# traced OPTIONS: t/trace/memory.c with a trace, $tmp/traces
traced() {
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace($1)" \
		"$tmp/memory" >"$tmp/truth" 2>"$tmp/err" || bail_out "$(cat "$tmp/err")"
}

traced ""
"$cuaudit" report --format json "$tmp/traces" >"$tmp/json"
is "$(jq -r '[.kernels[] | "\(.name) \(.calls)"] | sort | join(", ")' "$tmp/json")" \
	"first 20, second 10" "kernels by name"
is "$(jq -r '.processes[0].memory.kinds | to_entries[] | "\(.key) \(.value.held_bytes)"' \
	"$tmp/json" | sort)" "$(sort "$tmp/truth")" "memory of each kind"
is "$(jq -r '.processes[0].memory.held_bytes' "$tmp/json")" \
	"$(awk '$1 != "host" { sum += $2 } END { print sum }' "$tmp/truth")" "all of the device's"
is "$(jq -r '.processes[0].memory.kinds | [.[].unsized] | add' "$tmp/json")" 0 \
	"every size is known"
is "$(jq -r '.libraries[0].path' "$tmp/json")" "$(realpath "$tmp/memory")" "the library that called"
is "$(jq -r '.processes[0] | "\(.program) \(.finished)"' "$tmp/json")" \
	"$(realpath "$tmp/memory") false" "the process, and that it left by _exit"
like "$("$cuaudit" report "$tmp/traces")" '^ +[0-9.]+KiB .* pool$' "kinds, as text"

traced "args=no"
is "$("$cuaudit" report --format json "$tmp/traces" | jq -c '[.kernels, .processes[0].memory]')" \
	"[[],null]" "args=no: neither is known"
like "$("$cuaudit" report --by kernel "$tmp/traces")" '^Kernels: not known' "... which is reported"

# Memory as far as it was recorded: from the second allocation on, or up to it.
note='^  partial +calls were not recorded, which may have allocated or freed memory$'
traced ""
unlike "$("$cuaudit" report "$tmp/traces")" "$note" "a whole trace has all of the memory"
is "$("$cuaudit" report --format json "$tmp/traces" | jq .processes[0].memory.partial)" false \
	"... as JSON"
for part in start=cuMemAlloc_v2:2 stop=cuMemAlloc_v2:2; do
	traced "$part"
	like "$("$cuaudit" report "$tmp/traces")" "$note" "$part: part of the memory"
	is "$("$cuaudit" report --format json "$tmp/traces" | jq .processes[0].memory.partial)" true \
		"... as JSON"
done
like "$("$cuaudit" report --by error "$tmp/traces")" '^Errors: none$' "no error is not an empty table"

# A call that the process is killed in: the simulated driver calls back at once.
helper trace/called_back waits
(audited CUAUDIT_DRIVER=sim \
	CUAUDIT_HOOKS="trace(open=cuLaunchHostFunc;file=$tmp/waits.cutrace)" "$tmp/waits" || :) \
	2>"$tmp/err"
"$cuaudit" report --format json "$tmp/waits.cutrace" >"$tmp/json"
is "$(jq -r '[.open_calls[].name] | join(" ")' "$tmp/json")" "cuLaunchHostFunc" \
	"the call it was in"
like "$("$cuaudit" report "$tmp/waits.cutrace")" ' cuLaunchHostFunc, waits \(pid [0-9]+\)$' \
	"... as text"

# A record file of stat, beside a trace of the same program and of one that calls more.
helper stat/ends
(ulimit -c 0 && audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/stat" "$tmp/ends" 100 kill) \
	2>"$tmp/err"
for calls in 100 130; do
	(audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/$calls.cutrace)" \
		"$tmp/ends" $calls return) 2>"$tmp/err"
done
is "$("$cuaudit" report --diff --format json "$tmp/stat.part" "$tmp/130.cutrace" |
	jq -r '.functions | sort_by(.name)[] | "\(.name) \(.a.calls) \(.b.calls) \(.b.errors)"')" \
	"cuDeviceGetCount 100 130 130
cuDriverGetVersion 100 130 0
cuInit 1 1 0" "a record file of stat and a trace"
is "$("$cuaudit" report --diff --format json "$tmp/100.cutrace" "$tmp/stat.part" |
	jq -r '[.functions[].b | .total_ns >= .max_ns and .max_ns >= .p50_ns] | all')" true \
	"... the other way round"
"$cuaudit" report "$tmp/100.cutrace" "$tmp/stat.part" "$tmp/130.cutrace" >"$tmp/out"
is "$(grep '^cuaudit:' "$tmp/out" | sed 's/ of .*//')" "cuaudit: ends (pid $(sed -n \
	's/^cuaudit: ends (pid \([0-9]*\)).*/\1/p' "$tmp/out")): 201 calls
cuaudit: 2 processes: 462 calls" "record files by themselves, traces together"
mkdir "$tmp/mixed"
cp "$tmp/100.cutrace" "$tmp/mixed/a.cutrace"
cp "$tmp/stat.part" "$tmp/mixed/b.cutrace"
status=0
"$cuaudit" report --diff "$tmp/mixed" "$tmp/stat.part" >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/out" "$tmp/err")" \
	"2 cuaudit: $tmp/mixed/b.cutrace: a record file among traces" "both in one directory"
done_testing
