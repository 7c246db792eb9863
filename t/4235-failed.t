# SPDX-License-Identifier: Apache-2.0
# --failed and trace(failed=yes): calls alone whose result is an error.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

command -v jq >/dev/null 2>&1 || skip_all "no jq"
helpers stat/errors trace/library.so
helper trace/libcuda.so.1
cd "$tmp" || exit 1

traced() {
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace($1)" "$tmp/errors" plain >out 2>err
}

# names FILE: function and result of each line of convert --to jsonl.
names() {
	jq -r 'select(.type == "call") | [.name // .function, .result] | @tsv' "$1" | sort | uniq -c | sed 's/^ *//'
}

traced "file=$tmp/all.cutrace"
traced "file=$tmp/failed.cutrace;failed=yes"
tool convert --to text all.cutrace
sed -n 's/^.* \(cu[A-Za-z_0-9]*\)(.* = \([-A-Z_0-9]*\) .*/\1 \2/p' out | grep -v ' CUDA_SUCCESS$' |
	grep -v NOT_READY | sort >want
is "$(wc -l <want)" 14 "fourteen calls fail"
tool convert --to text --failed all.cutrace
is "$(sed -n 's/^.* \(cu[A-Za-z_0-9]*\)(.* = \([-A-Z_0-9]*\) .*/\1 \2/p' out | sort)" "$(cat want)" \
	"convert --failed takes these alone"
tool convert --to text failed.cutrace
is "$(sed -n 's/^.* \(cu[A-Za-z_0-9]*\)(.* = \([-A-Z_0-9]*\) .*/\1 \2/p' out | sort)" "$(cat want)" \
	"trace(failed=yes) records these alone"
for format in csv jsonl folded sqlite chrome; do
	tool convert --to $format --failed -o "$tmp/made.$format" all.cutrace
	is "$status" 0 "convert --failed --to $format"
done
is "$(($(wc -l <made.csv) - 1))" 14 "... as many lines"

tool report --failed all.cutrace
like "$(cat out)" ': 14 failed calls of 3 driver functions on 2 threads' "report --failed: the title"
unlike "$(cat out)" 'cuInit|NOT_READY|Device memory' "... and nothing of others"
tool report --failed --format json all.cutrace
is "$(jq -c '[.calls, .errors, .not_ready, ([.functions[].calls] | add)]' out)" "[14,14,0,14]" "... as JSON"
tool report --format json failed.cutrace
is "$(jq -c '[.calls, .errors, [.processes[].filtered_calls]]' out)" "[14,14,[7]]" \
	"a trace of failed calls counts the others"
tool report failed.cutrace
like "$(cat out)" 'not recorded *7 calls left out by min-duration or failed' "... and its report says so"

audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(text=yes;failed=yes)" "$tmp/errors" plain 2>err
is "$(grep -c ' = CUDA_SUCCESS\|NOT_READY' err) $(grep -c '^\[' err)" "0 14" "live text, too"
audited CUAUDIT_DRIVER=sim \
	CUAUDIT_HOOKS="trace(text=yes;failed=yes),fault(inject=cuMemAlloc:error=CUDA_ERROR_UNKNOWN:when=1;log=0)" \
	"$top_builddir/demo/cudemo" dlopen >out 2>err
is "$(grep -c '^\[.*cuMemAlloc_v2.*CUDA_ERROR_UNKNOWN <skipped>' err) $(grep -c '^\[' err)" "1 1" \
	"... an injected error is one" || diag "$(cat err out)"
tool trace --failed --text "$tmp/errors" plain
is "$status" 0 "cuaudit trace --failed"

audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(print=no)" CUAUDIT_OUTPUT="$tmp/kept" "$demo" dlopen >out 2>err
refused 2 ".*saved statistics, every report of which names the errors" "saved statistics" report --failed kept*
refused 2 "report: --failed has no effect on --diff" "--diff" report --failed --diff all.cutrace all.cutrace
refused 2 "report: --by has no effect on --diff" "--diff with --by" report --by kernel --diff all.cutrace all.cutrace
refused 2 "--histogram: '' is no selector" "--histogram of nothing" report --histogram '' "$tmp/t"
refused 2 "report: --histogram has no effect on --diff" "--diff with --histogram" \
	report --histogram cuInit --diff all.cutrace all.cutrace
refused 2 "report: --failed has no effect on the page" "--html" report --failed --html x.html all.cutrace
done_testing
