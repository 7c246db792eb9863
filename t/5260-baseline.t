# SPDX-License-Identifier: Apache-2.0
# cuaudit baseline: lock files of runs, and runs compared with them.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
helpers baseline/steps stat/errors trace/library.so trace/synth
TMPDIR=$tmp/work
export TMPDIR
mkdir "$TMPDIR"
cd "$tmp" || exit 99
lock=app.lock

# made ARGUMENT...: a new lock file of steps with these arguments; at the end no trace is left.
made() {
	rm -f "$lock"
	tool baseline -d sim --write "$lock" -- ./steps "$@"
	is "$status $(find "$TMPDIR" -mindepth 1)" "0 " "written: $(printf %.30s "$*" | tr -cd ' -~')" || diag "$(cat "$tmp/err")"
}

# compared ARGUMENT...: the differences are in $tmp/differences.
compared() {
	tool baseline -d sim "$lock" -- ./steps "$@"
	grep -v '^cuaudit: ' "$tmp/err" >"$tmp/differences"
}

# facts: the lines of facts, with spaces for tabs.
facts() {
	grep -E '^(bytes|calls|errors|launches|unsized)' "$lock" | tr '\t' ' '
}

# What is in a lock file.
made calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail
is "$(facts)" "bytes steps HtoD a b = 300
calls steps cuCtxCreate_v2 - = 1
calls steps cuDriverGetVersion - = 3
calls steps cuDriverGetVersion a b = 2
calls steps cuInit - = 1
calls steps cuLaunchKernel a b = 1
calls steps cuMemAlloc_v2 a b = 1
calls steps cuMemFree_v2 - = 1
calls steps cuMemcpyHtoD_v2 a b = 2
calls steps cuModuleGetFunction a b = 1
calls steps cuModuleLoadData a b = 1
errors steps cuMemFree_v2 CUDA_ERROR_INVALID_VALUE - = 1
launches steps $("$cuaudit" report --demangle full /dev/null 2>&1 | grep -q 'libsupc' &&
	echo _Z4kernIiEvT_ || echo 'void kern<int>(int)') a b = 1" "calls, launches, bytes, errors, by range"
is "$(head -n 3 "$lock" | tr '\t' ' ')" "cuaudit-lock 1
command ./steps calls 3 push a b calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail
driver 13000" "the format's version, the command, the driver's version"
is "$(grep -c '^runs	5$' "$lock")" 1 "five runs"
is "$(sed 1,5d "$lock" | LC_ALL=C sort | diff - "$lock" | grep -c '^<')" 0 "facts are sorted by bytes"
is "$(grep -c "$tmp\|[0-9]\{6\}" "$lock")" 0 "no paths, no addresses, no times"
cp "$lock" "$tmp/first"
made calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail
ok "the same again is the same file" cmp "$tmp/first" "$lock"

# same ARGUMENT...: 20 of 20 runs agree with the lock file.
same() {
	same_runs=0
	for same_run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		compared "$@"
		test "$status $(wc -c <"$tmp/err")" = "0 0" || diag "run $same_run: $(cat "$tmp/err")"
		same_runs=$((same_runs + !status))
	done
	is "$same_runs" 20 "20 of 20 runs agree: $(printf %.30s "$*" | tr -cd ' -~')"
}
same calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail

# different WANT NAME ARGUMENT...: of the program above, with a step more or less.
different() {
	different_want=$1
	different_name=$2
	shift 2
	compared "$@"
	is "$status $(cat "$tmp/differences")" "88 $different_want" "$different_name"
}
one_line=$(grep -n 'cuDriverGetVersion	-' "$lock" | cut -d : -f 1)
different "$lock:$one_line: changed: calls steps cuDriverGetVersion -: expected = 3, seen 4" "one call more" \
	calls 4 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail
like "$(cat "$tmp/err")" "^cuaudit: 1 fact differs from $lock; if that is meant, change it with --update" "... and what to do"
different "$lock:6: changed: bytes steps HtoD a b: expected = 300, seen 301" "a byte more" \
	calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 201 pop fail
compared calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop
is "$status $(sed 's/^[^ ]* //' "$tmp/differences")" "88 missing: calls steps cuMemFree_v2 -: expected = 1, seen none
missing: errors steps cuMemFree_v2 CUDA_ERROR_INVALID_VALUE -: expected = 1, seen none" "an error less"
compared calls 3 push 'a b' calls 2 launch other copy 100 copy 200 pop fail
is "$status $(grep -c missing: "$tmp/differences") $(grep -c new: "$tmp/differences")" "88 1 1" "another kernel"
like "$(cat "$tmp/differences")" ": new: launches steps other a b: expected none, seen 1" "... which is new"
compared calls 3 push 'a c' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail
is "$status $(grep -c missing: "$tmp/differences") $(grep -c new: "$tmp/differences")" "88 8 8" "another range"
compared calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail child
is "$status" 0 "a process more that calls nothing"
compared calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail child calls 1
like "$status $(cat "$tmp/differences")" "^88 .*cuDriverGetVersion -: expected = 3, seen 4" "calls of a child are counted"
mv steps renamed
tool baseline -d sim "$lock" -- ./renamed calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail
is "$status $(grep -c ': missing: ' "$tmp/err") $(grep -c ': new: ' "$tmp/err")" "88 13 13" "another library"
mv renamed steps

# Errors of another program: by result, those of a library, a query that is too early.
tool baseline -d "$top_builddir/t/trace/libcuda.so.1" --write "$lock" --runs 2 -- ./errors
is "$status" 0 "a program with errors"
is "$(facts | grep -v ^calls)" "errors errors cuEventQuery CUDA_ERROR_UNKNOWN - = 2
errors errors cuMemAlloc_v2 -7 - = 1
errors errors cuMemAlloc_v2 CUDA_ERROR_INVALID_VALUE - = 1
errors errors cuMemAlloc_v2 CUDA_ERROR_OUT_OF_MEMORY - = 4
errors errors cuMemFree_v2 CUDA_ERROR_INVALID_VALUE - = 4
errors library.so cuMemAlloc_v2 CUDA_ERROR_OUT_OF_MEMORY - = 2" "errors by library, function and result"
like "$(facts)" "calls errors cuEventQuery - = 7" "CUDA_ERROR_NOT_READY of a query is a call"

# What varies: the number of calls on threads is the next of a list at each run.
varied() {
	rm -f "$tmp/count"
	made number "$tmp/count" "$1"
	is "$(facts | sed -n 's/^calls steps cuDeviceGetCount - //p')" "$2" "$3"
}
varied 50,52,51,53,50 82..124 "bounds: three times the difference on both sides"
varied 500,501,500,500,500 875..1127 "... an eighth of the highest"
varied 1,0,0,0,0 0..8 "... 0 where a run does not have it"
varied 8,2,3,8,8 0..52 "... never less than 0"
varied 9,2,3,8,8 any "any: more than four times the lowest"
same number "$tmp/count" 0,1000,3,8,8,0
varied 50,52,51,53,50,49,54,48,55,51,52,50,52,47,56,50,51,52,53,54,49,48,52,51,50 82..124 "runs to come differ more"
same number "$tmp/count" 50,52,51,53,50,49,54,48,55,51,52,50,52,47,56,50,51,52,53,54,49,48,52,51,50
rm -f "$tmp/count"
compared number "$tmp/count" 100
like "$(cat "$tmp/differences")" "changed: calls steps cuDeviceGetCount -: expected 82..124, seen 200" "out of bounds"
made threads 4
is "$(facts | grep -c 'cuDeviceGetCount - ')" 1 "threads that race"

# Updates: what agrees stays as it is, with what somebody wrote.
made calls 3 fail copy 10
sed -i 's/^\(calls.*cuDriverGetVersion.*\)= 3/# at most nine\n\n\10..9/; s/^errors/# known\nerrors/; s/^calls.*cuInit/# always\n&/' "$lock"
printf '# the end\n' >>"$lock"
cp "$lock" edited
tool baseline -d sim --update "$lock" -- ./steps calls 3 fail copy 10
ok "nothing is new: the file is as it was edited" cmp "$lock" edited
tool baseline -d sim --update "$lock" --runs 2 -- ./steps calls 4 copy 20
is "$status $(diff edited "$lock" | grep '^[<>]' | grep -v command | tr '\t' ' ')" "0 < runs 5
< bytes steps HtoD - = 10
> runs 2
> bytes steps HtoD - = 20
< calls steps cuMemFree_v2 - = 1
< # known
< errors steps cuMemFree_v2 CUDA_ERROR_INVALID_VALUE - = 1" "an update changes what does not agree, comments of lines go with them"
tool baseline -d sim --update "$lock" -- ./steps copy 20
like "$(facts)" "cuDriverGetVersion - 0..9" "a fact that may be 0 stays where it is not"

sed -i 's/^\(calls.*cuMemAlloc.*\)= 1/\1any/' "$lock"
tool baseline -d sim --update "$lock" -- ./steps calls 1
like "$(facts)" "cuMemAlloc_v2 - any" "... and one that may be anything"
tool baseline -d sim --update "$lock" -- ./steps copy 20
like "$(facts)" "cuMemAlloc_v2 - any" "... whatever it is"

# Differences are in the order of the file, which need not be sorted; its comments count as lines.
made calls 3 copy 10
{
	head -n 5 "$lock"
	printf '# sorted backwards\n\n'
	sed 1,5d "$lock" | LC_ALL=C sort -r
} >backwards.lock
tool baseline -d sim backwards.lock -- ./steps calls 3 copy 10
is "$status $(cat "$tmp/err")" "0 " "facts in any order"
tool baseline -d sim backwards.lock -- ./steps calls 4 copy 11
is "$status $(grep -v ^cuaudit "$tmp/err")" "88 backwards.lock:11: changed: calls steps cuDriverGetVersion -: expected = 3, seen 4
backwards.lock:13: changed: bytes steps HtoD -: expected = 10, seen 11" "differences by line"

# Names of all kinds.
odd=$(printf 'tab\there\nline \\ \303\244\342\202\254 \033[1m \342\200\256 \302\205')
made push "$odd" calls 1 pop push - calls 1 pop push '' calls 1 pop push '# x' calls 1 pop
is "$(grep -c . "$lock")" 11 "a line is a line"
is "$(facts | sed -n 's/^.*Version \(tab.*\)$/\1/p')" 'tab\x09here\x0aline \\ ä€ \x1b[1m \xe2\x80\xae \xc2\x85 = 1' \
	"tabs, line breaks, UTF-8, controls"
like "$(facts)" 'cuDriverGetVersion \\x2d = 1' "a range called -"
like "$(facts)" 'cuDriverGetVersion \\e = 1' "a range without a name"
same push "$odd" calls 1 pop push - calls 1 pop push '' calls 1 pop push '# x' calls 1 pop

# Runs that cannot be compared.
made calls 1
cp "$lock" "$tmp/first"
compared calls 1 exit 3
is "$status $(cat "$tmp/err")" "3 cuaudit: run 1 of ./steps ended by status 3; $lock is not compared" "the program fails: its status"
tool baseline -d sim --write "$lock" -- ./steps calls 1 exit 3
is "$status $(cat "$tmp/err")" "3 cuaudit: run 1 of ./steps ended by status 3; $lock is not written" "... and nothing is written"
ok "... the old file stays" cmp "$tmp/first" "$lock"
tool baseline -d sim --update "$lock" -- ./steps calls 2 kill
is "$status" 137 "... or its signal"
ok "... the old file stays" cmp "$tmp/first" "$lock"
is "$(find "$TMPDIR" -mindepth 1)" "" "no trace is left"
refused 89 "run 1: no process of ./steps called the CUDA driver; see cuaudit doctor" "no call" baseline -d sim "$lock" -- ./steps
refused 89 "run 1: no process of true called the CUDA driver" "no call" baseline -d sim --write new.lock true
compared calls 1 stay
kill "$(cat "$tmp/out")"
is "$status $(wc -l <"$tmp/err")" "89 1" "a process that still runs"
like "$(cat "$tmp/err")" "^cuaudit: run 1, the trace steps-.*: its process still runs" "... which is said"
tool baseline -d sim -S 1M "$lock" -- ./steps calls 500000
is "$status" 89 "calls are lost"
like "$(cat "$tmp/err")" "^cuaudit: run 1, the trace steps-.*: calls are missing: [0-9]+ beyond its size" "... how many"
refused 127 "./missing: no such program" "no program" baseline -d sim "$lock" -- ./missing
ok "none of these wrote a lock file" test ! -e new.lock

# Traces that no program made, as a program leaves them: large ones, and damaged ones.
printf '#!/bin/sh\ncp "$@" "${CUAUDIT_OUTPUT%%/*}"\n' >leaves
chmod +x leaves
synth -a -R -n 20000 -t 5 big.cutrace
tool baseline -d sim --write big.lock --runs 1 -- ./leaves big.cutrace
total() {
	awk -F '\t' -v kind="$1" -v field="$2" '$1 == kind { sum[field ? $field : ""] += substr($NF, 3) }
		END { for (key in sum) print key (field ? " " : "") sum[key] }' big.lock | sort
}
is "$status $(total calls)" "0 $(truth calls)" "all calls of a trace"
is "$(($(total launches) + $(total errors 3 | sed -n 's/cuLaunchKernel //p')))" "$(truth launches)" \
	"... all launches, but for those that failed"
is "$(total errors)" "$(truth errors)" "... all errors"
is "$(total bytes)" "$(truth cuMemcpyHtoDAsync_v2 | awk '{ print 2 * $1 }' | head -n 1)" "... all bytes"
is "$(total calls 3)" "$(sed -n 's/^\(cu[^ ]*\) \([0-9]*\) .*/\1 \2/p' "$tmp/truth" | sort)" "... by function"
head -c 300000 big.cutrace >cut.cutrace
refused 89 "run 1, the trace cut.cutrace: [0-9]+ " "a trace that was cut" baseline -d sim big.lock -- ./leaves cut.cutrace
head -c 100 big.cutrace >cut.cutrace
refused 89 "run 1, the trace cut.cutrace: " "a trace without a header" baseline -d sim big.lock -- ./leaves cut.cutrace
refused 89 "run 1, the trace cut.cutrace: " "... among others" baseline -d sim --write new.lock -- ./leaves big.cutrace cut.cutrace
synth -a -R -c 16384 -n 300 -t 2 small.cutrace
tool baseline -d sim --write small.lock --runs 1 -- ./leaves small.cutrace
# The header, descriptions and calls, at some places.
size=$(wc -c <small.cutrace)
at=0
unclear=
while test "$at" -lt "$size"; do
	cp small.cutrace damaged.cutrace
	printf '\377\377\377' | dd of=damaged.cutrace bs=1 seek="$at" conv=notrunc 2>"$tmp/dd.out"
	tool baseline -d sim small.lock -- ./leaves damaged.cutrace
	case $status in
	0|88|89) ;;
	*) unclear="$unclear $at:$status" ;;
	esac
	at=$((at + size / 60 + 1))
done
is "$unclear" "" "damaged traces: agree, differ or are refused"

# The program is as it is without: the second run, too, gets signals as we did.
printf '#!/bin/sh\ngrep Sig[BI] /proc/self/status >>"%s"\nexec ./steps calls 1\n' "$tmp/signals" >shell
chmod +x shell
tool baseline -d sim --write "$lock" --runs 3 -- ./shell
is "$status $(sort "$tmp/signals" | uniq -c | awk '{ print $1 }' | xargs)" "0 3 3" "what is ignored and blocked is the same in all runs"

# ... and reads the same.
printf '#!/bin/sh\nread -r count\nexec ./steps calls "$count"\n' >shell
echo 7 >input
tool baseline -d sim --write "$lock" -- ./shell <input
like "$(facts)" 'cuDriverGetVersion - = 7' "each run reads standard input from its beginning"

# Lock files that are none.
made calls 1
wrong() {
	wrong_edit=$1
	wrong_message=$2
	sed "$wrong_edit" "$lock" >bad.lock
	refused 2 "bad.lock:$wrong_message" "a lock file by $wrong_edit" baseline -d sim bad.lock -- ./steps calls 1
}
wrong '1d' "1: 'command.*' is not how a lock file of cuaudit begins"
wrong '1s/1$/2/' "1: '2' is a version of lock files that this cuaudit does not know"
wrong '7s/=/==/' "7: '== 1' is no count: = N, LOW..HIGH or any"
wrong '7s/= 1/= 99999999999999999999/' "7: '= 9*' is no count"
wrong '7s/= 1/5..4/' "7: '5..4' has no number in it: the first is the larger one"
wrong '7s/= 1/1../' "7: '1..' is no count"
wrong '7s/= 1/-1/' "7: '-1' is no count"
wrong '7s/$/\r/' "7: '= 1.*' is no count"
wrong '7s/	-	/	/' "7: .* has not the 5 fields of calls, with tabs between them"
wrong '7s/	-	/	-	-	/' "7: .* has not the 5 fields of calls"
wrong '7s/	-	/	\\y	/' "7: '..' is no name: field 4 of calls"
wrong '7s/^calls/halls/' "7: 'halls' is no kind of fact"
wrong '7p' "8: .* is the same fact as in line 7"
wrong 's/^runs.*/&\n&/' "6: .* is there a second time"
wrong '/^kernels/d' "[0-9]+: 'kernels' is missing"
head -c -2 "$lock" >bad.lock
refused 2 "bad.lock:8: .* has no end: the file was cut short" "a lock file that was cut" baseline -d sim bad.lock -- ./steps calls 1
refused 2 "missing.lock: No such file or directory; cuaudit baseline --write writes a lock file" "no lock file" \
	baseline -d sim missing.lock -- ./steps calls 1
refused 2 ".*: Is a directory" "a directory" baseline -d sim --write "$TMPDIR" -- ./steps calls 1
refused 2 "nowhere/x: No such file or directory" "nowhere" baseline -d sim --write nowhere/x -- ./steps calls 1
refused 2 "--runs takes a number from 1 to 1000, not '0'" "no run" baseline -d sim --write x --runs 0 true
refused 2 "baseline: --runs is for --write and --update" "runs to compare" baseline -d sim --runs 3 x -- true
refused 2 "baseline: --write and --update are not for one run" "both" baseline --write x --update y true
refused 2 "--size takes SIZE, not 'x'" "no size" baseline --size x y true
refused 2 "baseline: no program given" "no program" baseline "$lock"
refused 2 "baseline: no program given" "no program" baseline "$lock" --
done_testing
