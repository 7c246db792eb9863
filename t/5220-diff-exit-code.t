# SPDX-License-Identifier: Apache-2.0
# cuaudit report --diff --exit-code: what differs is a status, times are not, and what cannot be
# compared is never taken for equal.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
helpers trace/synth trace/libcuda.so.1 trace/left stat/errors stat/ends trace/library.so

# diff STATUS REGEX NAME A B [OPTION...]: the status, and what is said on stderr, one line at most
diff_() {
	diff_status=$1
	diff_regex=$2
	diff_name=$3
	diff_a=$4
	diff_b=$5
	shift 5
	tool report --diff --exit-code "$@" "$diff_a" "$diff_b"
	is "$status $(wc -l <"$tmp/err")" "$diff_status $(test -z "$diff_regex"; echo $?)" "$diff_name: status $diff_status"
	like "$(cat "$tmp/err")" "^${diff_regex:+cuaudit: $diff_regex}\$" "$diff_name: what is said"
}
same() { diff_ 0 "" "$@"; }
differs() {
	differs_regex=$1
	shift
	diff_ 88 "report: B differs from A: $differs_regex" "$@"
}
refuses() { diff_ 2 "$@"; }

cd "$tmp" || exit 99
synth -a -t 1 -n 3000 one.cutrace
synth -a -t 1 -n 3000 -l cuEventRecord slow.cutrace
synth -a -t 1 -n 3000 -x cuModuleGetFunction other.cutrace
synth -t 1 -n 3000 bare.cutrace
synth -a -t 1 -n 3000 -s 7 seed.cutrace

same "a trace with itself" one.cutrace one.cutrace
same "the same calls that take longer" one.cutrace slow.cutrace
like "$(cat out)" ' changed  cuEventRecord$' "... which the table shows"
differs 'calls of cuCtxGetCurrent: [0-9]+ in A, [0-9]+ in B; calls of cuModuleGetFunction: [1-9][0-9]* in A, 0 in B' \
	"a function that is gone" one.cutrace other.cutrace
differs '.*calls of cuModuleGetFunction: 0 in A, [1-9][0-9]* in B' "a new one" other.cutrace one.cutrace
differs 'calls of .*; .*; and [0-9]+ more' "many differences" one.cutrace seed.cutrace
tool report --diff one.cutrace other.cutrace
is "$status $(cat err)" "0 " "without --exit-code nothing changes"
differs 'calls of .*' "JSON: the line is beside it" one.cutrace other.cutrace --format json
is "$(grep -c '^{.*}$' out)" 1 "... which is whole"
refuses 'report: --exit-code: one was recorded without arguments, so launches and bytes are not comparable; record both alike' \
	"arguments of one side" one.cutrace bare.cutrace
gap='report: --exit-code: launches of kernels and bytes copied are not compared where calls were recorded without arguments'
diff_ 0 "$gap" "arguments of neither" bare.cutrace bare.cutrace
synth -t 1 -n 3000 -x cuModuleGetFunction bare-other.cutrace
tool report --diff --exit-code bare.cutrace bare-other.cutrace
is "$status $(head -n 1 err)" "88 cuaudit: $gap" "... what differs otherwise is found"
like "$(sed 1d err)" '^cuaudit: report: B differs from A: calls of cuCtxGetCurrent: .*$' "... and said behind that"
mkdir mixed
synth -t 1 -n 3000 -p 4711 mixed/bare.cutrace
synth -a -t 1 -n 3000 -p 4712 mixed/whole.cutrace
diff_ 0 "$gap" "arguments of one process of each side" mixed mixed
tool report --diff bare.cutrace bare.cutrace
is "$status $(cat err)" "0 " "without --exit-code nothing is said of it"

# what is damaged
: >empty.cutrace
audited CUAUDIT_HOOKS="trace(file=$tmp/real.cutrace)" CUAUDIT_DRIVER=sim "$tmp/ends" 30000 return >said 2>&1
head -c 300000 real.cutrace >cut.cutrace
mkdir nothing
for bad in empty.cutrace cut.cutrace /nowhere/x nothing /dev/null; do
	for order in "real.cutrace $bad" "$bad real.cutrace"; do
		# shellcheck disable=SC2086 # two
		refuses ".*" "$order" $order
	done
done
tool report --diff --exit-code cut.cutrace cut.cutrace
is "$status" 2 "a damaged one with itself"
refused 2 "report: --exit-code is for --diff" "without --diff" report --exit-code one.cutrace
refused 2 "report: --diff takes two" "one file" report --exit-code --diff one.cutrace

# directories
mkdir job1 job2 job3
synth -a -t 1 -n 3000 -p 100 job1/a.cutrace
cp job1/a.cutrace job2/z.cutrace
synth -a -t 1 -n 3000 -p 101 -s 9 job1/b.cutrace
cp job1/b.cutrace job2/a.cutrace
cp job1/a.cutrace job3/a.cutrace
same "directories, whatever files are called" job1 job2
differs 'processes with calls: 2 in A, 1 in B; .*; and [0-9]+ more' "a process less" job1 job3
differs 'processes with calls: 1 in A, 2 in B; .*' "a process more" job3 job1

# saved statistics, and traces of the same program
stat() {
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(print=no;save=$tmp/$1$2)" CUAUDIT_STRICT=0 \
		"$tmp/errors" ${3+"$3"} >said 2>&1
	test -e "$1" || mv "$1".* "$1"
}
stat a.part ""
stat b.part ""
stat many.part "" many
stat clock.part ";clock=no"
trace() {
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/$1.cutrace)" "$tmp/errors" "$1" >said 2>&1
}
trace errors
trace many
same "statistics of two runs" a.part b.part
stat polls.part "" polls
trace polls
same "a query asked more often until the GPU is done" a.part polls.part
same "... in a trace" errors.cutrace polls.cutrace
same "statistics and a trace" a.part errors.cutrace
same "a trace and statistics" errors.cutrace a.part
same "more results than have a row" many.part many.cutrace
differs '-7 of cuMemAlloc_v2: 1 in A, 0 in B; CUDA_ERROR_INVALID_VALUE of cuMemAlloc_v2: 1 in A, 0 in B; .*' "nearly nothing in common" errors.cutrace many.cutrace
refuses 'report: --exit-code: one has no results, by clock=no; record both alike' "results of one side" a.part clock.part
same "results of neither" clock.part clock.part
head -c 2000 a.part >short.part
refuses ".*" "statistics that are cut short" a.part short.part
for way in dlopen procaddr; do
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(print=no;save=$tmp/$way.part)" "$demo" $way >said 2>&1
done
same "routes of one program" dlopen.part dlopen.part
tool trace -d sim -o launches -- "$demo" dlopen
same "statistics and a trace with launches and copies" dlopen.part launches
same "a trace with launches and copies, and statistics" launches dlopen.part
differs '.*functions bound by dlsym: [0-9]+ in A, [0-9]+ in B.*' "other routes" dlopen.part procaddr.part

# no calls at all, on one side and on both
synth -a -t 1 -n 0 idle.cutrace
audited CUAUDIT_HOOKS="trace(file=$tmp/busy.cutrace)" CUAUDIT_DRIVER=sim "$tmp/ends" 1 return >said 2>&1
refuses 'report: --exit-code: neither has a call, so nothing is compared' "no calls" idle.cutrace idle.cutrace
differs '.*calls of cuInit: 0 in A, 1 in B' "no calls and some" idle.cutrace busy.cutrace
differs '.*calls of cuInit: 1 in A, 0 in B' "some and none" busy.cutrace idle.cutrace
differs 'processes with calls.*|CUDA_.*|.*calls of.*' "nothing in common" busy.cutrace one.cutrace

# calls that are missing
audited CUAUDIT_HOOKS="trace(file=$tmp/ring.cutrace;size=1M;when-full=ring)" CUAUDIT_DRIVER=sim \
	"$tmp/ends" 200000 return >said 2>&1
tool report --diff --exit-code ring.cutrace ring.cutrace
is "$status" 2 "a ring whose oldest calls are gone"
like "$(cat err)" "--exit-code: A: a ring whose oldest calls were written over" "... is not compared"
audited CUAUDIT_HOOKS="stat(print=no;save=$tmp/left.part)" CUAUDIT_DRIVER=sim "$tmp/left" >said 2>&1
refuses 'report: --exit-code: A: calls that were left by longjmp or an exception are missing' "statistics without calls that were left" \
	left.part left.part
done_testing
