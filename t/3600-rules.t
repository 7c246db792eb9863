# SPDX-License-Identifier: Apache-2.0
# Rules: small programs that break one each, by the line that does it, and their repaired twins.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

helper rules/broken
source=$top_srcdir/t/rules/broken.c
broken=$tmp/broken
times=20

# line_of WAY: the line of the source that breaks the rule of that way.
line_of() {
	grep -n "/\\* $1 \\*/" "$source" | cut -d: -f1
}

# fixed WAY TIMES: the repaired twin keeps the rule.
fixed() {
	check "$broken" "$1" fixed "$2"
	ends 0 "$1: the twin keeps it, $2 times"
	like "$(cat "$tmp/err")" '^check: the rule holds$' "... and that is all that is said"
}

# one_way WAY RULES WANTS [OPTION]
one_way() {
	printf '%s\n' "$2" | tr ';' '\n' >rules
	check_options=${4-}
	check "$broken" "$1"
	ends 88 "$1: $2"
	says '^check: 1 of 1 rule is broken$' "... is broken"
	says "^rules:$(wc -l <rules): $(tail -n 1 rules | sed 's/[*()]/\\&/g')\$" "... by the rule of that line"
	case $3 in
	line) says "broken\\.c:$(line_of "$1") " "... in the line of the source" ;;
	*) says "$3" "... and what there was" ;;
	esac
	fixed "$1" $times
	check_options=
}

while IFS='|' read -r way text wants option; do
	one_way "$way" "$text" "$wants" "$option" </dev/null
done <<END
$(ways)
END

# A program by a path that is one where it was started alone.
mkdir -p elsewhere
echo 'never cuDevicePrimaryCtxRetain' >rules
check sh -c 'cd elsewhere && exec ../"$0" primary' "${broken##*/}"
ends 88 "a script that works in another directory"
says "broken\\.c:$(line_of primary) " "... and the line"

# Each way of the program is in the list, but for what a child runs, and the other way round.
ways | cut -d'|' -f1 >tested
"$broken" | grep -v '^child$' >known
is "$(diff known tested)" "" "all ways are tested"
ok "twelve ways at least" test "$(wc -l <known)" -ge 12

# The rules of all of them in one file: marks first, and optional, as the program reaches few.
ways | cut -d'|' -f2 | tr ';' '\n' | sort -u >every
grep '^mark' every >rules
grep -v -e '^mark' -e '^at-least 1 cuStreamQuery' -e '^min-driver' every | sed 's/^/optional /' >>rules
check "$broken" child fixed 1
ends 0 "all rules in one file: a program that keeps them"
check_options="-k fault(inject=cuMemsetD16:error=700)"
check "$broken" sticky
ends 88 "... and one that breaks three"
says '^check: 3 of [0-9]* rules are broken$' "... no-errors, no-sticky-error and that of the legacy stream"
check_options=

# Neighbours of what the ways do.
rules 'no-errors except cuMemFree:OUT_OF_MEMORY'
check "$broken" errors fixed 1
ends 88 "an exception is of a result"
rules 'no-errors except cuMemAlloc:INVALID_VALUE'
check "$broken" errors fixed 1
ends 88 "... and of a function"
rules 'min-driver 12.0'
check "$broken" version
ends 0 "min-driver: the version that brings a function has it"
rules 'at-most 8K memory'
check "$broken" peak fixed 1
ends 0 "memory: the bound itself"
rules 'never cuCtxCreate in bro*en' 'never cuCtxCreate in */broken' 'never cuCtxCreate in (main)'
check "$broken" child fixed 1
says '^check: 3 of 3 rules are broken$' "a library by its name, its path and as the executable"
rules 'optional never cuCtxCreate in roken' 'optional never cuCtxCreate in libcuda*'
check "$broken" child fixed 1
ends 0 "... the whole name, of the caller"

# The whole driver, which a library is not to call.
rules 'never %driver in cudemo'
check "$demo" dlopen
ends 88 "a library that is not to call the driver, and does"
says '^  broken 28 times$' "... as often as it does"
says '^  10 times: cuLaunchKernel\(' "... by whatever function"
says '^  once: cuDriverGetVersion\(' "... of any class"
rules 'never %driver,!%launch in cudemo'
check "$demo" dlopen
says '^  broken 18 times$' "... but for a class"
rules 'never %driver in libmylib*'
check "$demo" dlopen
ends 88 "... one that does not"
says '^  never reached: its library, of which none of that name called the driver: calls are of cudemo' "... who does"
rules 'optional never %driver in libmylib*'
check "$demo" dlopen
ends 0 "... and need not be there"

# Other hooks beside: each does its own, and calls that one of them refuses are judged.
beside() {
	check_options="-k limit(memory=$1) -k trace(file=$2.cutrace)"
	rules "$3"
	check "$demo" dlopen
	check_options=
}
calls_in() {
	"$cuaudit" report "$1.cutrace" 2>&1 | head -n 1
}
beside 1G holds 'never cuCtxGetCurrent'
ends 0 "beside limit and trace: a rule that holds"
says '^check: the rule holds$' "... is said"
says '^ *1\.00GiB  512\.00KiB .*the process$' "... and so is what limit counted"
like "$(calls_in holds)" 'cudemo \(pid [0-9]*\): 28 calls of 16 driver functions' "... and the trace is whole"
beside 1G breaks 'never cuInit'
ends 88 "beside limit and trace: a rule that is broken"
says '^  once: cuInit\(Flags = 0\) = CUDA_SUCCESS$' "... by which call"
says '^ *1\.00GiB  512\.00KiB .*the process$' "... beside what limit counted"
like "$(calls_in breaks)" 'cudemo \(pid [0-9]*\): 28 calls of 16 driver functions' "... and the trace is whole"
beside 1K refuses no-errors
ends 88 "a call that limit refuses"
says '^  once: cuMemAlloc_v2\(.*, bytesize = 262144\) = CUDA_ERROR_OUT_OF_MEMORY$' "... breaks a rule"
says '^    at .*cudemo\.c:[0-9]* in run$' "... where the program made it"
says '^ *1  256\.00KiB  cuMemAlloc_v2 by cudemo' "... beside the report of limit"
like "$(calls_in refuses)" 'cudemo \(pid [0-9]*\): [0-9]* calls' "... and a trace"
like "$("$cuaudit" report --failed refuses.cutrace 2>&1)" 'cuMemAlloc_v2' "... which has the call"
beside 1K excepts 'no-errors except cuMemAlloc:OUT_OF_MEMORY'
ends 1 "... unless it is excepted: the program's own status"
says '^check: the rule holds$' "... and the rule holds"

# Marks by a call with a condition: of its ten launches the first three are before this one.
demo_marks() {
	rules "mark warm-up = $1 cuLaunchKernel $2" "never $3 after warm-up"
	check "$demo" dlopen
}
demo_marks 3rd 'in cudemo' cuLaunchKernel
ends 88 "a mark by the third launch of a library"
says '^  broken 7 times$' "... is before those that follow"
demo_marks 3rd 'in cudemo' cuMemAlloc
ends 0 "... and after what came first"
demo_marks 3rd 'in (main) on device 0' cuMemFree
ends 88 "... by two conditions"
says '^  broken 2 times$' "... of which both hold"
demo_marks 10th 'in cudemo' cuLaunchKernel
ends 0 "... by the last one"
demo_marks 11th 'in cudemo' cuLaunchKernel
ends 88 "... by one that is not made"
says '^  never reached: ' "... is never reached"
for missing in 'in libtorch*' 'in udemo' 'by *gemm*' 'on device 1' 'before main'; do
	demo_marks 3rd "$missing" cuLaunchKernel
	ends 88 "a mark of launches $missing"
	says '^  never reached: mark warm-up$' "... is never reached"
	unlike "$(cat "$tmp/err")" broken "... and no call is after it"
done
rules 'mark launched = 1st cuLaunchKernel' 'never cuInit before launched' 'never cuCtxSynchronize before launched' \
	'never cuLaunchKernel before launched'
check "$demo" dlopen
ends 88 "what is before a mark"
says '^check: 2 of 3 rules are broken$' "... and what is not"
says '^rules:2: never cuInit before launched$' "... a call that comes first"
says '^rules:4: never cuLaunchKernel before launched$' "... and the one that reaches it"
is "$(grep -c '^  broken once$' err)" 2 "... which are one each"

# Bytes, by direction: the sums of t/rules/copies.c.
helper rules/copies
while read -r bytes direction; do
	rules "exactly $bytes copied $direction"
	check "$tmp/copies"
	ends 0 "$bytes bytes copied $direction"
	rules "at-most $((bytes - 1)) copied $direction"
	check "$tmp/copies"
	ends 88 "... and no byte less"
	is "$(cat out)" "0 failed" "... of copies that succeed"
done <<END
5187 HtoD
10380 DtoH
304 DtoD
512 HtoH
16875520 HtoA
393216 AtoH
524288 DtoA
1048576 AtoD
2097152 AtoA
12582912 PtoP
33538047 any
END
done_testing
