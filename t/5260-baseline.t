# SPDX-License-Identifier: Apache-2.0
# cuaudit check and lock files: written of several runs, compared with one, updated.
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
	tool check -d sim --write-baseline "$lock" -- ./steps "$@"
	is "$status $(find "$TMPDIR" -mindepth 1)" "0 " "written: $(printf %.30s "$*" | tr -cd ' -~')" || diag "$(cat "$tmp/err")"
}

# compared ARGUMENT...: the differences are in $tmp/differences.
compared() {
	tool check -d sim --baseline "$lock" -- ./steps "$@"
	grep '^[^ ]*:[0-9]*: ' "$tmp/err" >"$tmp/differences"
}

# not_made REGEX NAME ARGUMENT...: of check, with a line that matches.
not_made() {
	not_made_regex=$1
	not_made_name=$2
	shift 2
	tool check -d sim "$@"
	is "$status $(head -n 1 "$tmp/err")" "89 check: not made" "$not_made_name: not made"
	like "$(cat "$tmp/err")" "$not_made_regex" "$not_made_name: why" || diag "$(head -n 5 "$tmp/err")"
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
		test "$status $(sed 's/all [0-9]* facts/all facts/' "$tmp/err")" = "0 check: $lock: all facts hold" || diag "run $same_run: $(cat "$tmp/err")"
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
is "$(head -n 1 "$tmp/err")" "check: $lock: 1 fact differs" "... the verdict"
like "$(cat "$tmp/err")" "^  if that is meant, cuaudit check --update changes the file" "... and what to do"
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
tool check -d sim --baseline "$lock" -- ./renamed calls 3 push 'a b' calls 2 launch _Z4kernIiEvT_ copy 100 copy 200 pop fail
is "$status $(grep -c ': renamed: steps: expected steps, seen renamed$' "$tmp/err") $(grep -c ': expected' "$tmp/err")" \
	"88 1 1" "another name of the program"
mv renamed steps

# Errors of another program: by result, those of a library, a query that is too early.
tool check -d "$top_builddir/t/trace/libcuda.so.1" --write-baseline "$lock" --runs 2 -- ./errors
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
tool check -d sim --update "$lock" -- ./steps calls 3 fail copy 10
is "$status $(diff edited "$lock" | grep '^[<>]' | tr '\t' ' ')" "0 < runs 5
> runs 10" "nothing is new: the file is as it was edited, of more runs"
cp "$lock" edited
tool check -d sim --update "$lock" --runs 2 -- ./steps calls 4 copy 20
is "$status $(diff edited "$lock" | grep '^[<>]' | grep -v command | tr '\t' ' ')" "0 < runs 10
< bytes steps HtoD - = 10
> runs 12
> bytes steps HtoD - = 20
< calls steps cuMemFree_v2 - = 1
< # known
< errors steps cuMemFree_v2 CUDA_ERROR_INVALID_VALUE - = 1
< routes steps cuMemFree_v2 symbol = 1" "an update changes what does not agree, comments of lines go with them"
tool check -d sim --update "$lock" -- ./steps copy 20
like "$(facts)" "cuDriverGetVersion - 0..9" "a fact that may be 0 stays where it is not"

sed -i 's/^\(calls.*cuMemAlloc.*\)= 1/\1any/' "$lock"
tool check -d sim --update "$lock" -- ./steps calls 1
like "$(facts)" "cuMemAlloc_v2 - any" "... and one that may be anything"
tool check -d sim --update "$lock" -- ./steps copy 20
like "$(facts)" "cuMemAlloc_v2 - any" "... whatever it is"
like "$(cat "$lock")" "routes	steps	cuMemAlloc_v2	symbol	= 1" "... with its route"

# What is in one run of ten: an update has the bounds wider, until all runs agree.
rm -f "$tmp/count"
rare=4,5,4,4,5,5,4,9,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4
made number "$tmp/count" "$rare"
is "$(facts | sed -n 's/^calls steps cuDeviceGetCount - //p')" 2..16 "bounds of five runs"
sed -i 's/^\(calls.*cuDeviceGetCount.*\)2\.\.16/# it varies\n\18..10/' "$lock"
tool check -d sim --update "$lock" -- ./steps number "$tmp/count" "$rare"
is "$(grep -A 1 '^# it varies' "$lock" | sed -n 's/.*cuDeviceGetCount	-	//p')" "0..48" "an update makes bounds wider, and keeps the comment"
sed -i 's/0\.\.48/1..9/' "$lock"
tool check -d sim --update "$lock" -- ./steps number "$tmp/count" "$rare"
is "$(facts | sed -n 's/^calls steps cuDeviceGetCount - //p')" "1..9" "... bounds that hold stay"
sed -i 's/1\.\.9$/20..30/' "$lock"
tool check -d sim --update "$lock" -- ./steps number "$tmp/count" "$rare"
is "$(facts | sed -n 's/^calls steps cuDeviceGetCount - //p')" "8..30" "... of one count, too"
like "$(cat "$lock")" "^runs	20\$" "the file has the number of all its runs"
rm -f "$tmp/count"

# Differences are in the order of the file, which need not be sorted; its comments count as lines.
made calls 3 copy 10
{
	head -n 5 "$lock"
	printf '# sorted backwards\n\n'
	sed 1,5d "$lock" | LC_ALL=C sort -r
} >backwards.lock
tool check -d sim --baseline backwards.lock -- ./steps calls 3 copy 10
is "$status" 0 "facts in any order"
tool check -d sim --baseline backwards.lock -- ./steps calls 4 copy 11
is "$status $(grep ^backwards "$tmp/err")" "88 backwards.lock:16: changed: calls steps cuDriverGetVersion -: expected = 3, seen 4
backwards.lock:18: changed: bytes steps HtoD -: expected = 10, seen 11" "differences by line"

# Names of all kinds.
odd=$(printf 'tab\there\nline \\ \303\244\342\202\254 \033[1m \342\200\256 \302\205')
made push "$odd" calls 1 pop push - calls 1 pop push '' calls 1 pop push '# x' calls 1 pop
is "$(grep -c . "$lock")" 14 "a line is a line"
is "$(facts | sed -n 's/^.*Version \(tab.*\)$/\1/p')" 'tab\x09here\x0aline \\ ä€ \x1b[1m \xe2\x80\xae \xc2\x85 = 1' \
	"tabs, line breaks, UTF-8, controls"
like "$(facts)" 'cuDriverGetVersion \\x2d = 1' "a range called -"
like "$(facts)" 'cuDriverGetVersion \\e = 1' "a range without a name"
same push "$odd" calls 1 pop push - calls 1 pop push '' calls 1 pop push '# x' calls 1 pop

# Runs that cannot be compared.
made calls 1
cp "$lock" "$tmp/first"
compared calls 1 exit 3
is "$status $(cat "$tmp/err")" "3 check: $lock: not compared
$lock is not compared: the command ended by status 3" "the program fails: its status"
compared calls 2 kill
is "$status $(grep " ended by " "$tmp/err")" "137 $lock is not compared: the command ended by signal 9" "... or its signal"
tool check -d sim --write-baseline "$lock" -- ./steps calls 1 exit 3
is "$status $(cat "$tmp/err")" "3 cuaudit: run 1 of ./steps ended by status 3; $lock is not written" "... and nothing is written"
ok "... the old file stays" cmp "$tmp/first" "$lock"

# The program that is to be checked is no output either, however it is named.
mkdir -p bin
cp steps bin/prog
ln -s ../bin/prog bin/link
echo 'never cuProfilerStart' >prog.rules
PATH=$PWD/bin:$PATH
for option in --json --junit --sarif --write-baseline; do
	rules="--rules prog.rules"
	test $option = --write-baseline && rules=
	for name in bin/prog "$PWD/bin/link"; do
		refused 2 "$name is the program, and is no output" "$option over the program" \
			check -d sim $rules $option "$name" -- bin/prog calls 1
	done
	refused 2 "bin/prog is the program, and is no output" "$option over the program in PATH" \
		check -d sim $rules $option bin/prog -- prog calls 1
done
ok "... the program stays" cmp steps bin/prog
PATH=${PATH#*:}
tool check -d sim --update "$lock" -- ./steps calls 2 kill
is "$status" 137 "... or its signal"
ok "... the old file stays" cmp "$tmp/first" "$lock"
is "$(find "$TMPDIR" -mindepth 1)" "" "no trace is left"
not_made "^check: no process called the CUDA driver; cuaudit doctor says why, unless the command clears its environment, which takes LD_AUDIT; without a GPU, -d sim before the command has the simulated one\$" "no call" --baseline "$lock" -- ./steps
refused 89 "run 1: no process called the CUDA driver" "no call" check -d sim --write-baseline new.lock true
refused 89 "run 1: no process called the CUDA driver" "... of an update" check -d sim --update "$lock" true
ok "... the old file stays" cmp "$tmp/first" "$lock"
refused 3 "run 1 of sh ended by status 3; new.lock is not written" "no call, and another status" \
	check -d sim --write-baseline new.lock sh -c 'exit 3'
refused 2 "cannot write the lock file to no/such.lock: No such file or directory" "no directory for the file" \
	check -d sim --write-baseline no/such.lock --runs 1 -- ./steps calls 1
compared calls 1 stay
kill "$(cat "$tmp/out")"
is "$status $(wc -l <"$tmp/err")" "89 2" "a process that still runs"
like "$(cat "$tmp/err")" "^check: process [0-9]+ of ./steps .* still runs" "... which is said"
# ... before its first call, too: no file has it yet.
printf '#!/bin/sh\n./steps calls 1\nsleep 300 >/dev/null 2>&1 &\necho $!\n' >late
chmod +x late
tool check -d sim --baseline "$lock" -- ./late
kill "$(cat "$tmp/out")"
is "$status" 89 "a process that has called nothing yet"
like "$(cat "$tmp/err")" "^check: 1 process of the command still runs: " "... is said"
tool check -d sim --update "$lock" -- ./late
kill "$(cat "$tmp/out")"
is "$status" 89 "... and is nothing to write of"
ok "... the old file stays" cmp "$tmp/first" "$lock"
tool check -d sim -S 1M --baseline "$lock" -- ./steps calls 500000
is "$status" 89 "calls are lost"
like "$(cat "$tmp/err")" "^check: the trace [^ ]*.cutrace: calls are missing: [0-9]+ beyond its size" "... how many"
refused 127 "./missing: no such program" "no program" check -d sim --baseline "$lock" -- ./missing
# What removes its trace may do so for a process of its own alone.
printf '#!/bin/sh\n./steps calls 1\nhooks=${CUAUDIT_HOOKS#*save=}\nrm "${hooks%%%%/%%h*}"/*.cutrace\n' >removes
chmod +x removes
not_made "^check: process [0-9]+ of ./steps calls 1 has no trace: what it called is not known" "a trace that is missing" \
	--baseline "$lock" -- ./removes
refused 89 "run 1: process [0-9]+ of ./steps calls 1 has no trace" "... among the runs" check -d sim --update "$lock" -- ./removes
ok "... the old file stays" cmp "$tmp/first" "$lock"
ok "none of these wrote a lock file" test ! -e new.lock

# Traces that no program made, as a program leaves them: large ones, and damaged ones.
printf '#!/bin/sh\nhooks=${CUAUDIT_HOOKS#*save=}\ncp "$@" "${hooks%%%%/%%h*}"\nexec ./steps calls 1\n' >leaves
chmod +x leaves
synth -a -R -n 20000 -t 5 big.cutrace
tool check -d sim --write-baseline big.lock --runs 1 -- ./leaves big.cutrace
total() {
	awk -F '\t' -v kind="$1" -v field="$2" '$1 == kind && $2 != "steps" { sum[field ? $field : ""] += substr($NF, 3) }
		END { for (key in sum) print key (field ? " " : "") sum[key] }' big.lock | sort
}
is "$status $(total calls)" "0 $(truth calls)" "all calls of a trace"
is "$(($(total launches) + $(total errors 3 | sed -n 's/cuLaunchKernel //p')))" "$(truth launches)" \
	"... all launches, but for those that failed"
is "$(total errors)" "$(truth errors)" "... all errors"
is "$(total bytes)" "$(truth cuMemcpyHtoDAsync_v2 | awk '{ print 2 * $1 }' | head -n 1)" "... all bytes"
is "$(total calls 3)" "$(sed -n 's/^\(cu[^ ]*\) \([0-9]*\) .*/\1 \2/p' "$tmp/truth" | sort)" "... by function"
head -c 300000 big.cutrace >cut.cutrace
not_made "^check: the trace cut.cutrace: [0-9]+ " "a trace that was cut" --baseline big.lock -- ./leaves cut.cutrace
head -c 100 big.cutrace >cut.cutrace
not_made "^check: the trace cut.cutrace: " "a trace without a header" --baseline big.lock -- ./leaves cut.cutrace
refused 89 "run 1: the trace cut.cutrace: " "... among others" check -d sim --write-baseline new.lock -- ./leaves big.cutrace cut.cutrace
synth -a -R -c 16384 -n 300 -t 2 small.cutrace
tool check -d sim --write-baseline small.lock --runs 1 -- ./leaves small.cutrace
# The header, descriptions and calls, at some places.
size=$(wc -c <small.cutrace)
at=0
unclear=
while test "$at" -lt "$size"; do
	cp small.cutrace damaged.cutrace
	printf '\377\377\377' | dd of=damaged.cutrace bs=1 seek="$at" conv=notrunc 2>"$tmp/dd.out"
	tool check -d sim --baseline small.lock -- ./leaves damaged.cutrace
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
tool check -d sim --write-baseline "$lock" --runs 3 -- ./shell
is "$status $(sort "$tmp/signals" | uniq -c | awk '{ print $1 }' | xargs)" "0 3 3" "what is ignored and blocked is the same in all runs"

# What is edited while the program runs is not lost.
made calls 1
cp "$lock" before
# shellcheck disable=SC2016 # of another shell
for edit in 'echo "# mine" >>"$1"' 'rm "$1"' 'sed -i s/^calls/callx/ "$1"'; do
	cp before "$lock"
	cp before after
	sh -c "$edit" sh after
	refused 2 "$lock was changed or removed while the command ran; it is left as it is: run --update again" \
		"an edit meanwhile, ${edit%% *}" check -d sim --update "$lock" --runs 1 -- sh -c "$edit; exec ./steps calls 1" sh "$lock"
	if test -e after; then
		ok "... is kept" cmp after "$lock"
	else
		ok "... stays so" test ! -e "$lock"
	fi
done
cp before "$lock"
tool check -d sim --update "$lock" --runs 2 -- sh -c "touch '$lock'; exec ./steps calls 1"
is "$status" 0 "one that has the same bytes is written"

# ... and reads the same.
printf '#!/bin/sh\nread -r count\nexec ./steps calls "$count"\n' >shell
echo 7 >input
tool check -d sim --write-baseline "$lock" -- ./shell <input
like "$(facts)" 'cuDriverGetVersion - = 7' "each run reads standard input from its beginning"

# Lock files that are none.
made calls 1
wrong() {
	wrong_edit=$1
	wrong_message=$2
	sed "$wrong_edit" "$lock" >bad.lock
	refused 2 "bad.lock:$wrong_message" "a lock file by $wrong_edit" check -d sim --baseline bad.lock -- ./steps calls 1
}
wrong '1d' "1:1: 'command.*' is not how a lock file of cuaudit begins"
wrong '1s/1$/2/' "1:14: '2' is a version of lock files that this cuaudit does not know"
wrong '7s/=/==/' "7:34: '== 1' is no count: = N, LOW..HIGH or any"
wrong '7s/= 1/= 99999999999999999999/' "7:34: '= 9*' is no count"
wrong '7s/= 1/5..4/' "7:34: '5..4' has no number in it: the first is the larger one"
wrong '7s/= 1/1../' "7:34: '1..' is no count"
wrong '7s/= 1/= 01/' "7:34: '= 01' is no count"
wrong '7s/= 1/01010..2000/' "7:34: '01010..2000' is no count"
wrong '7s/= 1/0..01/' "7:34: '0..01' is no count"
wrong '7s/= 1/-1/' "7:34: '-1' is no count"
wrong '7s/$/\r/' "7:1: 'calls.*' has a CRLF line end: a lock file has LF alone"
wrong 's/$/\r/' "1:1: 'cuaudit-lock.*' has a CRLF line end"
wrong '7i<<<<<<< HEAD' "7:1: '<<<<<<< HEAD' is left of a merge: take the lines of one side"
wrong '7i=======' "7:1: '=======' is left of a merge"
wrong '7s/	-	/	/' "7:1: .* has not the 5 fields of calls, with tabs between them"
wrong '7s/	-	/	-	-	/' "7:1: .* has not the 5 fields of calls"
wrong '7s/	-	/	\\y	/' "7:32: '..' is no name: field 4 of calls"
wrong '7s/^calls/halls/' "7:1: 'halls' is no kind of fact"
route_line=$(grep -n ^routes "$lock" | head -n 1 | cut -d : -f 1)
wrong "${route_line}s/	[a-z]*	= 1/	sidedoor	= 1/" "$route_line:[0-9]*: 'sidedoor' is no route: symbol, dlsym, procaddr or other"
wrong "${route_line}s/	[a-z]*	= 1/	-	= 1/" "$route_line:[0-9]*: '-' is no route"
made copy 100 fail
rm -f ran
for fact in "bytes sideways:3:'sideways' is no direction, such as HtoD or DtoH\$" "bytes -:3:'-' is no direction" \
	"bytes HotD:3:'HotD' is no direction; did you mean HtoD\?" "unsized dtoh:3:'dtoh' is no direction; did you mean DtoH\?" \
	"errors cuInit CUDA_ERROR_NO_SUCH:4:'CUDA_ERROR_NO_SUCH' is no error; did you mean CUDA_ERROR_[A-Z_]*\?" \
	"errors cuInit INVALID_VALEU:4:'INVALID_VALEU' is no error; did you mean CUDA_ERROR_INVALID_VALUE\?" \
	"errors cuInit CUDA_SUCCESS:4:'CUDA_SUCCESS' is no error" "errors cuInit 0:4:'0' is no error, such as CUDA_ERROR_INVALID_VALUE\$" \
	"errors cuInit 1:4:'1' is no error; did you mean CUDA_ERROR_INVALID_VALUE\?" \
	"errors cuInit -07:4:'-07' is no error; did you mean -7\?" \
	"errors cuInit cudaErrorInvalidValue:4:'cudaErrorInvalidValue' is no error" \
	"errors cudaMalloc CUDA_ERROR_OUT_OF_MEMORY:4:'.*' is no error" \
	"errors cudaMalloc cudaErrorMemoryAlocation:4:'.*' is no error; did you mean cudaErrorMemoryAllocation\?"; do
	words=${fact%%:*}
	line=$(printf '%s\tsteps\t%s\t-\t= 3' "${words%% *}" "$(echo "${words#* }" | tr ' ' '\t')")
	column=$(printf %s "$line" | cut -f "1-$(echo "$fact" | cut -d : -f 2)" | sed 's/[^\t]*$//' | wc -c)
	cp "$lock" bad.lock
	printf '%s\n' "$line" >>bad.lock
	refused 2 "bad.lock:$(wc -l <bad.lock):$column: ${fact#*:?:}" "a lock file with $words" \
		check -d sim --baseline bad.lock -- touch ran
done
ok "... nothing is run" test ! -e ran
sed 's/	CUDA_ERROR_INVALID_VALUE	/	999999	/; s/	HtoD	/	unknown	/' "$lock" >good.lock
printf 'errors\tsteps\tcudaMalloc\tcudaErrorMemoryAllocation\t-\tany\nerrors\tsteps\tcuInit\t-7\t-\tany\n' >>good.lock
tool check -d sim --baseline good.lock -- ./steps copy 100 fail
is "$status $(grep -c missing "$tmp/err")" "88 2" "words that a run may have are compared" || diag "$(cat "$tmp/err")"
made calls 1
cp "$lock" routes.lock
printf 'routes\tsteps\tcuSteramCreate\tsymbol\t= 1\nroutes\tsteps\tcuMemGetInfo_v2\tdlsym\t= 1\n' >>routes.lock
printf 'calls\tsteps\tcuMemGetInfo_v2\t-\t0..4\nroutes\tsteps\tcuCtxDestroy_v2\tsymbol\t0..1\n' >>routes.lock
tool check -d sim --baseline routes.lock -- ./steps calls 1
is "$status $(grep ^routes.lock: "$tmp/err" | cut -d : -f 3-)" \
	"88  missing: routes steps cuSteramCreate symbol: expected = 1, seen none" \
	"a route of a function that no line has calls of is missing; where a line has, that one says how often"
tool check -d sim --update routes.lock -- ./steps calls 1
is "$status $(grep -c cuSteram routes.lock)" "0 0" "... an update removes it"
wrong '7s/^calls\t/calls /' "7:1: 'calls .*' has a blank where the tab is that ends 'calls'"
wrong 's/^runs\t/runs /' "5:1: 'runs [0-9]+' has a blank where the tab is that ends 'runs'"
wrong 's/^runs\t/runs \t/' "5:1: 'runs ' has a blank where the tab is that ends 'runs'"
wrong 's/^runs\t/runs\t /' "5:6: ' [0-9]+' is no number of runs: from 1 on, digits alone, behind one tab"
wrong 's/^\(runs\t.*\)$/\1 /' "5:6: '[0-9]+ ' is no number of runs: from 1 on, digits alone, behind one tab"
wrong 's/^runs.*/runs\t0/' "5:6: '0' is no number of runs: from 1 on"
wrong 's/^runs.*/runs\t05/' "5:6: '05' is no number of runs: from 1 on"
wrong 's/^runs.*/runs\t/' "5:6: '' is no number of runs: from 1 on"
wrong 's/^runs.*/runs\t18446744073709551616/' "5:6: '18446744073709551616' is no number of runs: from 1 on"
wrong '7p' "8:1: .* is the same fact as in line 7"
wrong 's/^runs.*/&\n&/' "6:1: .* is there a second time"
wrong '/^kernels/d' "[0-9]+:1: 'kernels' is missing"
wrong '/^runs/d' "[0-9]+:1: 'runs' is missing"
head -c -2 "$lock" >bad.lock
refused 2 "bad.lock:[0-9]+:1: .* has no end: the file was cut short" "a lock file that was cut" \
	check -d sim --baseline bad.lock -- ./steps calls 1

# unread REGEX NAME: bad.lock cannot be read.
unread() {
	refused 2 "cannot read the lock file bad.lock: $1" "$2" check -d sim --baseline bad.lock -- ./steps calls 1
	refused 2 "cannot read the lock file bad.lock: $1" "$2, to be updated" check -d sim --update bad.lock -- ./steps calls 1
	rm -rf bad.lock
}
rm bad.lock
unread "No such file or directory; --write-baseline writes one" "no lock file"
mkfifo bad.lock
unread "no regular file" "a FIFO"
truncate -s 65M bad.lock
unread "File too large" "a huge file"
mkdir bad.lock
refused 2 "cannot read the lock file bad.lock: Is a directory" "a directory" check -d sim --baseline bad.lock true
refused 2 "cannot write the lock file to bad.lock: it names a directory" "a directory" check -d sim --write-baseline bad.lock true
rmdir bad.lock
head -c 5000 "$cuaudit" >bad.lock
refused 2 "bad.lock:1:1: '.*' is not how a lock file of cuaudit begins" "a program" check -d sim --baseline bad.lock true
: >bad.lock
refused 2 "bad.lock:1:1: '' has no end: the file was cut short" "an empty file" check -d sim --baseline bad.lock true
refused 2 "cannot write the lock file to nowhere/x: No such file or directory" "nowhere" \
	check -d sim --write-baseline nowhere/x -- ./steps calls 1
made calls 1
cp "$lock" "$tmp/first"
tool check -d sim --baseline bad.lock --json result.json -- ./steps calls 1
is "$status $(grep -c '"verdict":"not made"' result.json)" "2 1" "no result of an earlier run stays"
refused 2 "$lock is the lock file, and is no output" "an output over it" check --baseline "$lock" --junit "$lock" true
ok "... the old file stays" cmp "$tmp/first" "$lock"

# A file that nobody may write to stays as it is, and nothing is run for it.
mkdir locked
cp "$lock" locked/
chmod 400 locked/*
chmod 500 locked
if test "$(id -u)" = 0; then
	chmod 755 "$tmp"
	as_user="setpriv --reuid 65534 --regid 65534 --clear-groups"
	command -v setpriv >/dev/null || as_user=
	chown -R 65534:65534 locked
else
	as_user=env
fi
if test "$as_user"; then
	status=0
	$as_user "$cuaudit" check -d sim --write-baseline "locked/$lock" -- touch "$tmp/ran" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/err")" "2 cuaudit: cannot write the lock file to locked/$lock: Permission denied" "no permission to write"
	ok "... nothing was run" test ! -e "$tmp/ran"
	ok "... and the file is whole" cmp "locked/$lock" "$lock"
fi
chmod -R u+rwx locked

# What goes together.
made calls 1
export CUAUDIT_DOMAINS
for CUAUDIT_DOMAINS in runtime libc,runtime,tables; do
	for option in --baseline --update --write-baseline; do
		refused 2 "CUAUDIT_DOMAINS=$CUAUDIT_DOMAINS is without driver, .*; unset it, or add driver" \
			"$option: domains without the driver" check -d sim "$option" "$lock" touch started
	done
	ok "... nothing is started" test ! -e started
done
for CUAUDIT_DOMAINS in runtime,driver driver,runtime; do
	tool check -d sim --baseline "$lock" -- ./steps calls 1
	is "$status" 0 "$CUAUDIT_DOMAINS: compared"
done
unset CUAUDIT_DOMAINS
refused 2 "--runs takes a number from 1 to 1000, not '0'" "no run" check -d sim --write-baseline x --runs 0 true
refused 2 "check: --runs is for --write-baseline and --update" "runs to compare" check -d sim --runs 3 --baseline x -- true
refused 2 "check: one lock file to a run" "two lock files" check --write-baseline x --update y true
refused 2 "check: one lock file to a run" "... to be compared" check --baseline x --update y true
refused 2 "--baseline takes PATH, not ''" "no name" check --baseline '' true
refused 2 "check: --rules has no effect on --write-baseline, by which nothing is judged" "rules to be written" \
	check --write-baseline x --rules y true
refused 2 "check: --tap has no effect on --update, by which nothing is judged" "an output" check --update x --tap true
refused 2 "check: --size is for traces" "a size for rules" check --size 1G --rules x true
refused 2 "check: neither --rules nor --baseline is given, and there is no cuaudit.rules; cuaudit-rules\(5\)" "nothing to check by" check true
refused 2 "--size takes SIZE, not 'x'" "no size" check --size x --baseline y true
refused 2 "check: no program given" "no program" check --baseline "$lock"
done_testing
