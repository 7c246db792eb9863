# SPDX-License-Identifier: Apache-2.0
# Which errors there were, by name, of each function and caller: in statistics and in traces.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

command -v jq >/dev/null 2>&1 || skip_all "no jq"
cuaudit=$top_builddir/bin/cuaudit
helpers stat/errors trace/library.so
helper trace/libcuda.so.1
cd "$tmp" || exit 1

# results FILE: function, result, code, count, then callers with their counts.
results() {
	jq -r '.results[] | [.name, .result // "others", .code // "-", .calls,
		([.callers[] | "\(.library | split("/") | last):\(.calls)"] | join(" "))] | @tsv' "$1" | sort
}

want="cuEventQuery	CUDA_ERROR_UNKNOWN	999	2	errors:2
cuMemAlloc_v2	-7	-7	1	errors:1
cuMemAlloc_v2	CUDA_ERROR_INVALID_VALUE	1	1	errors:1
cuMemAlloc_v2	CUDA_ERROR_OUT_OF_MEMORY	2	6	errors:4 library.so:2
cuMemFree_v2	CUDA_ERROR_INVALID_VALUE	1	4	errors:4"

stat() {
	stat_format=$1
	stat_hooks=$2
	shift 2
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(format=$stat_format;$stat_hooks" \
		CUAUDIT_OUTPUT="$tmp/$stat_format" "$tmp/errors" "$@" >"$tmp/out" 2>"$tmp/err"
}

stat json ")" plain
is "$(results json)" "$want" "stat: results by function and library"
is "$(jq '[.results[].calls] | add' json) $(jq '[.functions[].errors] | add' json)" "14 14" \
	"... are all errors"
is "$(jq '[.functions[].not_ready] | add' json)" 5 "... and CUDA_ERROR_NOT_READY of a query stays apart"
stat json "),fault(inject=cuInit:delay_enter=1)" plain
is "$(results json)" "$want" "... without a fast path"
stat json "clock=no)" plain
is "$(jq -c .results json)" "[]" "... and none is known where calls are only counted"

stat text ")" plain
is "$(sed -n '/Result, name, callers/,/^$/p' text | sed '1d;/^$/d;s/^ *//;s/  */ /')" \
"6 CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2
4 errors
2 library.so
4 CUDA_ERROR_INVALID_VALUE, cuMemFree_v2
4 errors
2 CUDA_ERROR_UNKNOWN, cuEventQuery
2 errors
1 -7, cuMemAlloc_v2
1 errors
1 CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2
1 errors" "the text"

stat prometheus ")" plain
is "$(sed -n 's/^cuaudit_results_total{.*function="cuMemAlloc_v2",library="[^"]*\/\([a-z.]*\)",result="\(.*\)"} /\1 \2 /p' \
	prometheus | sort)" \
"errors -7 1
errors CUDA_ERROR_INVALID_VALUE 1
errors CUDA_ERROR_OUT_OF_MEMORY 4
library.so CUDA_ERROR_OUT_OF_MEMORY 2" "metrics"
stat prometheus "libraries=no)" plain
is "$(sed -n 's/^cuaudit_results_total{.*function="cuMemAlloc_v2",result="\(.*\)"} /\1 /p' prometheus | sort)" \
"-7 1
CUDA_ERROR_INVALID_VALUE 1
CUDA_ERROR_OUT_OF_MEMORY 6" "... by function alone"

# The process has room for 64 results of a function, a report for 16.
stat json ")" many
is "$(jq '.results | length' json) $(jq '[.results[].calls] | add' json)" "17 252" \
	"of 200 results the most frequent have a row, and none is lost"
is "$(jq -c '[.results[] | select(.code)][0] | [.code, .calls]' json)" "[10001,50]" "... the most frequent first"
is "$(jq -c '.results[] | select(.code == null) | [.result, .calls > 180]' json)" "[null,true]" \
	"... the others are one row"
stat text ")" many
like "$(cat text)" '^ *18[0-9]  other results, cuMemAlloc_v2$' "... in the text, too"

audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(print=no;save=auto)" CUAUDIT_OUTPUT="$tmp/saved.%p" \
	"$tmp/errors" fork >out 2>err
mkdir kept
mv saved.* kept
"$cuaudit" report --format json kept >merged.json 2>err
is "$(results merged.json)" "$({ echo "$want" | sed 's/\t6\terrors:4/\t16\terrors:14/'
	printf 'cuMemAlloc_v2\tCUDA_ERROR_NOT_INITIALIZED\t3\t6\terrors:6\n'; } | sort)" \
	"a child of fork begins anew, and a report of both adds up" ||
	diag "$(cat out err; ls)"

# Traces have the call site.
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace)" "$tmp/errors" plain >out 2>err
"$cuaudit" report --format json a.cutrace >trace.json 2>err
is "$(jq -r '.results[] | [.name, .result, .code, .calls] | @tsv' trace.json | sort)" \
	"$(printf 'cuEventQuery\tCUDA_ERROR_NOT_READY\t600\t5\n'; echo "$want" | cut -f 1-4)" "a trace: results by function"
is "$(jq -c '[.results[] | [.callers[] | .calls] | add] == [.results[].calls]' trace.json)" true \
	"... and their callers, which are all"
is "$(jq -c '[.results[].callers[] | .offset > 0] | all' trace.json)" true "... with the call site"
like "$("$cuaudit" report --by error a.cutrace)" '^ *[0-9]  *library\.so\+0x[0-9a-f]*$' "... in the text"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/many.cutrace)" "$tmp/errors" many >out 2>err
"$cuaudit" report --format json many.cutrace >trace.json 2>err
is "$(jq '.results | length' trace.json) $(jq '[.results[].calls] | add' trace.json)" "17 252" \
	"... of 200 results a trace's report has as many rows"
done_testing
