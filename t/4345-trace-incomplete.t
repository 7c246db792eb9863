# SPDX-License-Identifier: Apache-2.0
# Of a trace that is cut short, damaged or lacks calls, what there is is printed, a line says what
# is missing, and the status is 2.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"
cuaudit=$top_builddir/bin/cuaudit

# read_all FILE NAME STATUS SAID CALLS: by each way to read it; CALLS: how many at least
read_all() {
	for way in text jsonl csv; do
		status=0
		"$cuaudit" convert --to $way -o "$tmp/to" "$1" 2>"$tmp/err" || status=$?
		is "$status" "$3" "$2: convert --to $way: status $3"
		is "$(wc -l <"$tmp/err")" 1 "$2: ... and one line"
		like "$(cat "$tmp/err")" "$4" "$2: ... that says so"
		ok "$2: ... and what there is" test "$(grep -c cuDriverGetVersion "$tmp/to")" -ge "$5"
	done
	for way in "" --format=json; do
		status=0
		# shellcheck disable=SC2086 # perhaps none
		"$cuaudit" report $way "$1" >"$tmp/to" 2>"$tmp/err" || status=$?
		is "$status" "$3" "$2: report $way: status $3"
		like "$(cat "$tmp/err")" "$4" "$2: ... and a line"
		like "$(cat "$tmp/to")" cuDriverGetVersion "$2: ... and what there is"
	done
	status=0
	"$cuaudit" report --html "$tmp/page" "$1" 2>"$tmp/err" || status=$?
	is "$status" "$3" "$2: report --html: status $3"
	ok "$2: ... and the page" test -s "$tmp/page"
}

traced "args=no" "$tmp/app" threads 4 30000
cp "$tmp"/traces/*.cutrace "$tmp/whole.cutrace"
whole=$(wc -c <"$tmp/whole.cutrace")
status=0
"$cuaudit" report "$tmp/whole.cutrace" >"$tmp/to" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/err")" "0 " "a whole one"

head -c $((262144 * 4)) "$tmp/whole.cutrace" >"$tmp/four.cutrace"
read_all "$tmp/four.cutrace" "whole chunks cut off" 2 "$((whole - 262144 * 4)) bytes of it were cut off" 1000
head -c $((whole - 1)) "$tmp/whole.cutrace" >"$tmp/one.cutrace"
read_all "$tmp/one.cutrace" "a byte cut off" 2 ' 1 byte of it was cut off$' 1000

traced "args=no;size=1M" "$tmp/app" call 200000
like "$(cat "$tmp/err")" 'full size' "a file that is full"
read_all "$(echo "$tmp"/traces/*.cutrace)" "a file that is full" 2 'calls are missing: [0-9]* beyond its size$' 1000

traced "args=no;size=1M;when-full=ring" "$tmp/app" call 200000
status=0
"$cuaudit" convert --to text -o "$tmp/to" "$tmp"/traces/*.cutrace 2>"$tmp/err" || status=$?
is "$status" 0 "a ring's older calls are no loss"
like "$(cat "$tmp/err")" 'calls are missing: [0-9]* written over$' "... but said"

# A process that was killed has all there was; what is cut off of its file is known, too.
traced "args=no" "$tmp/app" killed 20000
cp "$tmp"/traces/*.cutrace "$tmp/killed.cutrace"
status=0
"$cuaudit" report "$tmp/killed.cutrace" >"$tmp/to" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/err")" "0 " "a killed process's"
head -c $((262144 + 5000)) "$tmp/killed.cutrace" >"$tmp/cut.cutrace"
status=0
"$cuaudit" report "$tmp/cut.cutrace" >"$tmp/to" 2>"$tmp/err" || status=$?
is "$status" 2 "a killed process's, cut"
like "$(cat "$tmp/err")" '[:;] 257144 bytes of it were cut off' "... by so much"

# Two that are compared are compared.
status=0
"$cuaudit" report --diff "$tmp/whole.cutrace" "$tmp/four.cutrace" >"$tmp/to" 2>"$tmp/err" || status=$?
is "$status" 2 "compared with one that is cut"
like "$(cat "$tmp/to")" cuDriverGetVersion "... all the same"
done_testing
