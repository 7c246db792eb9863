# SPDX-License-Identifier: Apache-2.0
# stat(fail=errors): calls whose result is an error are a status of the process, whoever made them.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helpers stat/errors stat/fails stat/ends trace/library.so
helper trace/libcuda.so.1
cd "$tmp" || exit 99

# fails OPTIONS COMMAND...: $status and what is said in err
fails() {
	fails_options=$1
	shift
	status=0
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(fail=errors$fails_options)" CUAUDIT_OUTPUT="$tmp/report" "$@" \
		>out 2>err || status=$?
}

# ends STATUS LINE NAME: the status and the one line
ends() {
	is "$status $(cat err)" "$1 ${2:+cuaudit: stat: $2}" "$3"
}
asks="; the process ends with status 88, as fail=errors asks"

fails "" ./fails
ends 0 "" "no error: the program's status"
fails "" ./fails exit=3
ends 3 "" "... another one"
fails "" ./fails error=2
ends 88 "1 call failed: CUDA_ERROR_OUT_OF_MEMORY of cuMemAlloc_v2 (1)$asks" "an error"
fails "" ./fails error=2 exit=3
ends 88 "1 call failed: CUDA_ERROR_OUT_OF_MEMORY of cuMemAlloc_v2 (1)$asks" "... and a status of the program's own"
ok "... the report is written" grep -q cuMemAlloc_v2 report
is "$(cat out)" "printed" "... and what its standard output held"
fails "" ./fails not-ready
ends 0 "" "CUDA_ERROR_NOT_READY of a query is none"
fails "" ./errors plain
ends 88 "14 calls failed: CUDA_ERROR_OUT_OF_MEMORY of cuMemAlloc_v2 (6), CUDA_ERROR_INVALID_VALUE of cuMemFree_v2 (4),\
 CUDA_ERROR_UNKNOWN of cuEventQuery (2), -7 of cuMemAlloc_v2 (1), and 1 more$asks" "several, the most frequent first"
fails "" ./errors many
like "$(cat err)" "^cuaudit: stat: 252 calls failed: other results of cuMemAlloc_v2 \(18[0-9]\), 10001 of" "200 results"
is "$(wc -l <err)" 1 "... in one line"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat" CUAUDIT_OUTPUT="$tmp/report" ./fails error=2 >out 2>err
is "$? $(cat err)" "0 " "without fail, errors are no status"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(fail=no)" CUAUDIT_OUTPUT="$tmp/report" ./fails error=2 >out 2>err
is "$? $(cat err)" "0 " "... with fail=no neither"
status=0
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_LOG=error CUAUDIT_HOOKS="stat(fail=errors;format=json)" CUAUDIT_OUTPUT="$tmp/report" \
	./fails error=2 >out 2>err || status=$?
ends 88 "1 call failed: CUDA_ERROR_OUT_OF_MEMORY of cuMemAlloc_v2 (1)$asks" "CUAUDIT_LOG=error keeps the line"

# threads that ended and one that runs on, children, other ends
fails "" ./fails threads=40
ends 88 "40 calls failed: CUDA_ERROR_INVALID_VALUE of cuMemAlloc_v2 (40)$asks" "of 40 threads that ended"
fails ";threads=0" ./fails threads=40
ends 88 "40 calls failed: CUDA_ERROR_INVALID_VALUE of cuMemAlloc_v2 (40)$asks" "... without lines of threads"
fails "" ./fails running
ends 88 "1 call failed: CUDA_ERROR_INVALID_VALUE of cuMemAlloc_v2 (1)$asks" "of a thread that still runs"
fails "" ./fails fork
is "$status $(cat out)" "0 child 88
printed" "a child's error is the child's status"
is "$(grep -c 'failed: CUDA_ERROR_INVALID_VALUE of cuMemAlloc_v2 (1)' err)" 1 "... and the child's line"
fails "" ./fails error=2 fork-clean
is "$status $(cat out)" "88 child 0
printed" "a child does not answer for its parent's"
fails "" ./fails error=2 _exit
ends 0 "" "_exit keeps its status, as of leak and coverage"
fails "" ./fails error=2 exec
ends 3 "" "... and so does another program in the same process"

# saved statistics alone, other hooks, a selection
fails ";print=no;save=$tmp/saved" ./fails error=2
ends 88 "1 call failed: CUDA_ERROR_OUT_OF_MEMORY of cuMemAlloc_v2 (1)$asks" "print=no"
ok "... the saved file stays" test -s saved
for options in 'print=no' 'print=no;save=auto' 'save=no;print=no'; do
	rm -f started
	refused 2 "stat: with print=no the saved file is all there is, and none is saved: give save=PATH, or set CUAUDIT_OUTPUT" \
		"$options" run -d sim -k "stat($options;fail=errors)" touch started
	ok "... nothing is started" test ! -e started
done
CUAUDIT_OUTPUT=$tmp/saved.%p tool run -d sim -k 'stat(print=no;fail=errors)' true
is "$status $(cat err)" "0 " "print=no where CUAUDIT_OUTPUT is"
CUAUDIT_OUTPUT=$tmp/saved.%p tool run -d sim -k 'stat(print=no;save=no)' true
is "$status" 2 "... but nothing is saved"
like "$("$cuaudit" report saved)" 'CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2' "... and has the error"
fails "),fault(inject=cuMemFree_v2:error=1" ./fails free
ends 0 "" "an error that a hook answers is not the driver's" || diag "$(cat err)"
fails ";in-range=x" ./fails error=2
is "$status $(grep -c failed err)" "0 0" "calls outside of in-range are not counted"
status=0
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_FUNCTIONS=cuInit CUAUDIT_HOOKS="stat(fail=errors)" CUAUDIT_OUTPUT="$tmp/report" \
	./fails error=2 >out 2>err || status=$?
ends 88 "1 call failed: CUDA_ERROR_OUT_OF_MEMORY of cuMemAlloc_v2 (1)$asks" "CUAUDIT_FUNCTIONS does not restrict it"

# the command
tool run -d sim -k 'stat(fail=errors)' -o "$tmp/report" ./ends 5 return
is "$status $(cat err)" "88 cuaudit: stat: 5 calls failed: CUDA_ERROR_INVALID_VALUE of cuDeviceGetCount (5)$asks" \
	"cuaudit run: the status comes through" || diag "$(cat err)"
tool run -d sim -k 'stat(fail=errors;clock=no)' ./ends 5 return
is "$status" 2 "clock=no has no results: not started"
done_testing
