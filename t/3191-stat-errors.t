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
		([.callers | group_by(.library)[] | "\(.[0].library | split("/") | last):\([.[].calls] | add)"] |
			sort | join(" "))] | @tsv' "$1" | sort
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
is "$(sed -n '/Result, name, callers/,/^$/p' text | sed '1d;/^$/d;s/^ *//;s/  */ /;s/0x[0-9a-f]*/0xN/')" \
"6 CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2
4 errors+0xN
2 library.so+0xN
4 CUDA_ERROR_INVALID_VALUE, cuMemFree_v2
4 errors+0xN
2 CUDA_ERROR_UNKNOWN, cuEventQuery
2 errors+0xN
1 -7, cuMemAlloc_v2
1 errors+0xN
1 CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2
1 errors+0xN" "the text"

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

# The process has room for 192 results of a function, a report for 16.
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
like "$("$cuaudit" report --by error --symbols no a.cutrace)" '^ *[0-9]  *library\.so\+0x[0-9a-f]*$' "... in the text"

# So have statistics, the same ones.
sites() {
	jq -r '.results[] | select(.code != 600) | .name as $name | .code as $code | .callers[] |
		[$name, $code, .library, .offset, .calls, .caller_function, .caller_file, .caller_line] | @tsv' "$1" | sort
}
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(print=no;save=$tmp/plain.part)" "$tmp/errors" plain >out 2>err
"$cuaudit" report --format json plain.part >saved.json 2>err
is "$(sites saved.json)" "$(sites trace.json)" "saved statistics: the call sites that a trace has"
is "$(jq '[.results[].callers[] | .offset] | all(. > 0)' saved.json) $(wc -c <err)" "true 0" "... which all are known"
if grep -q '^#define HAVE_LIBDW 1' "$top_builddir/config.h" && readelf -S "$tmp/errors" | grep -q debug_line; then
	"$cuaudit" report plain.part >text 2>err
	like "$(cat text)" "^ *4  +release at [^ ]*errors\.c:$(sed -n '/^static int release/,/cuMem/=' \
		"$top_srcdir/t/stat/errors.c" | tail -n 1), errors\+0x[0-9a-f]+\$" "... with function, file and line"
else
	skip 1 "built without libdw"
fi
"$cuaudit" report --symbols no plain.part >text 2>err
like "$(cat text)" '^ *4  +errors\+0x[0-9a-f]+$' "... or as offsets alone"

# Functions are called from more places than have records: their errors keep their names.
{
	echo '#include "t/trace/driver.h"'
	echo 'int main(void) { volatile int sum = 0; cuInit(0); trace_answer = 2;'
	for n in $(seq 300); do
		echo "sum += cuMemFree_v2($n);"
	done
	echo 'return sum != 600; }'
} >places.c
compile -O1 -I"$top_srcdir" -I"$top_srcdir/include" -o places places.c libcuda.so.1 >build.out 2>&1 ||
	bail_out "cannot build: $(cat build.out)"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(format=json)" CUAUDIT_OUTPUT="$tmp/json" "$tmp/places" >out 2>err
is "$(jq -c '[.results[] | [.name, .result, .calls]]' json)" '[["cuMemFree_v2","CUDA_ERROR_OUT_OF_MEMORY",300]]' \
	"300 call sites: one result"
is "$(jq -c '.results[0].callers | [length, (.[0] | .offset, .calls), (map(.calls) | add)]' json)" "[129,null,172,300]" \
	"... of which the first 128 have a row"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="stat(format=prometheus)" CUAUDIT_OUTPUT="$tmp/prometheus" "$tmp/places" \
	>out 2>err
is "$(sed -n 's/^cuaudit_results_total{.*} //p' prometheus)" 300 "... and one metric of their library"

# Records as they were before: no build ID, no call site.
cat >old.py <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
segment, = struct.unpack_from("<I", data, 32)
for start in range(0, len(data), segment):
    at = start + (4096 if not start else 0)
    out = at
    kept = bytearray()
    while at + 8 <= min(len(data), start + segment):
        kind, size = struct.unpack_from("<II", data, at)
        if not kind or not size:
            break
        record = data[at:at + size]
        if kind == 3:
            struct.pack_into("<I", record, 4, 512)
            record = record[:512]
        if kind == 9:
            record[32:64] = bytes(32)
        kept += record
        at += size
    data[out:at] = kept + bytes(at - out - len(kept))
open(sys.argv[2], "wb").write(data)
END
"$PYTHON3" -B old.py plain.part old.part
"$cuaudit" report --format json old.part >old.json 2>err
is "$(results old.json)" "$want" "saved by an older version: by library" || diag "$(cat err)"
is "$(jq -c '[.results[].callers[] | .offset] | unique' old.json)" "[null]" "... as far as is known"

audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/many.cutrace)" "$tmp/errors" many >out 2>err
"$cuaudit" report --format json many.cutrace >trace.json 2>err
is "$(jq '.results | length' trace.json) $(jq '[.results[].calls] | add' trace.json)" "17 252" \
	"... of 200 results a trace's report has as many rows"
done_testing
