#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every way for a process to end, and what stat's figures are after it.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

cuaudit=$top_builddir/bin/cuaudit
helper stat/ends

# run CALLS HOW: its report goes to $tmp/HOW, what it printed to $tmp/HOW.err.
run() {
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/$2" "$tmp/ends" "$1" "$2" \
		>"$tmp/$2.out" 2>"$tmp/$2.err" || status=$?
}

# counts FILE: name, calls, errors of the table of functions, by name.
counts() {
	awk 'NF == 12 && $12 ~ /^cu/ { print $12, $3, $4 }' "$1" | sort
}

# is_counts FILE CALLS NAME
is_counts() {
	is "$(counts "$1")" "cuDeviceGetCount $2 $2
cuDriverGetVersion $2 0
cuInit 1 0" "$3"
}

for how in return exit; do
	run 1000 $how
	is "$status" 0 "$how: the program's own status"
	is_counts "$tmp/$how" 1000 "$how: complete"
	is "$(cat "$tmp/$how.out" "$tmp/$how.err")" "" "$how: nothing is printed"
	ok "$how: no record file is left" test ! -e "$tmp/$how.part"
done

run 10 main-first
is_counts "$tmp/main-first" 11 "main ends first, another thread exits: complete"

run 10 threads
is_counts "$tmp/threads" 1010 "100 threads that ended: complete"
like "$(cat "$tmp/threads")" '\(85 other threads\)' "the busiest 16 by name, others merged"

for how in _exit:0 abort:134 fault:139 kill:137; do
	expected=${how#*:}
	how=${how%:*}
	run 1000 "$how" 2>/dev/null
	is "$status" "$expected" "$how: the program's own status"
	ok "$how: no report" test ! -e "$tmp/$how"
	ok "$how: the tool reads what is left" "$cuaudit" report "$tmp/$how.part"
	"$cuaudit" report "$tmp/$how.part" >"$tmp/$how.text"
	is_counts "$tmp/$how.text" 1000 "$how: no call is missing"
	like "$(cat "$tmp/$how.text")" 'driver .*libcuda\.so\.1.* [0-9]+ functions' \
		"$how: the driver is named"
	like "$(cat "$tmp/$how.text")" '100\.0 .* ([^ ]*/)?ends$' "$how: the library is named"
done

run 1000 exec
is "$status" 0 "exec: the program's own status"
"$cuaudit" report "$tmp/exec.part" >"$tmp/exec.text"
is_counts "$tmp/exec.text" 1000 "exec: what the first program did is in the file"
is_counts "$tmp/exec" 5 "exec: what the second did is its report"
ok "exec: the second's file is gone" test ! -e "$tmp/exec.part.1"

audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/fork-%p" "$tmp/ends" 20 fork
is "$(cat "$tmp"/fork-* | awk '$12 == "cuDriverGetVersion" { print $3 }' | sort -n | xargs)" \
	"3 20" "fork: each process has its own calls"
audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/silent-%p" "$tmp/ends" 20 fork-silent
set -- "$tmp"/silent-*
is $# 1 "fork: a child that does not call prints nothing"

run 0 uncalled
is "$status" 0 "a program that only loads the driver"
is "$(cat "$tmp/uncalled.err")" "" "... hears nothing"
ok "... and finds no file" test ! -e "$tmp/uncalled"

audited CUAUDIT_DRIVER=sim "$tmp/ends" 7 return >"$tmp/out" 2>"$tmp/err"
is_counts "$tmp/err" 7 "by default the table goes to stderr"
is "$(cat "$tmp/out")" "" "and nothing to stdout"
like "$(cat "$tmp/err")" '^cuaudit: ends \(pid [0-9]+\): 15 calls of 3 driver functions' "its title"
is "$(awk 'length > 132' "$tmp/err")" "" "no line is wider than 132 columns"

ok "a closed stderr" audited CUAUDIT_DRIVER=sim "$tmp/ends" 7 return 2>&-
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(clock=no)' "$tmp/ends" 7 return 2>"$tmp/err"
like "$(cat "$tmp/err")" '^ +46\.7 +7  cuDriverGetVersion$' "clock=no: calls only"

audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(save=$tmp/kept)" "$tmp/ends" 9 kill 2>/dev/null
"$cuaudit" report "$tmp/kept" >"$tmp/kept.text"
is_counts "$tmp/kept.text" 9 "save=PATH"

# The loader tells of the end of the program before its libraries' destructors run.
helpers stat/libset.so stat/called-last
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(text=yes)" "$tmp/called-last" 2>"$tmp/err"
is "$(sed 's/.*> //' "$tmp/err" | xargs)" "called-last called-last" "calls of the program while its libraries end"
done_testing
