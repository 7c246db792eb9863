# SPDX-License-Identifier: Apache-2.0
# What the driver says of errors, with the call that made it.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

command -v jq >/dev/null 2>&1 || skip_all "no jq"
helpers trace/says trace/libcuda.so.1 kernel/launches
cd "$tmp" || exit 1

# said OPTIONS ARGUMENT...: jsonl of the program's trace, in $tmp/jsonl.
said() {
	said_options=$1
	shift
	rm -f a.cutrace
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace$said_options)" "$tmp/says" "$@" \
		>printed 2>err || bail_out "the test program failed: $(cat err)"
	tool convert --to jsonl a.cutrace
	cp out jsonl
}

# text RESULT: what was said of the calls with this size, which is their result.
text() {
	jq -r "select(.type == \"call\" and .arguments.bytesize == $1) | .error_text // \"-\"" jsonl | sort | uniq -c |
		sed 's/^ *//'
}

for how in "" ";min-duration=1ns" ";backtrace=cuMem*"; do
	said "$how"
	is "$(text 1)" "1 one line" "a line${how:+, $how}"
	is "$(text 2)" "1 -" "of what only repeats the result nothing is taken"
	is "$(text 3)" "1 second; third; fourth; fifth" "the last four lines of a call"
	is "$(jq -r 'select(.arguments.bytesize == 6).error_text | length' jsonl)" $((4 * 255 + 6)) "long ones are cut"
	is "$(text 5) $(text 7)" "1 - 1 -" "empty ones, none"
	is "$(text 9)" "1 of the thread" "of a thread"
	is "$(text 8)" "36 -
64 one line" "of what comes again for ever 64 are recorded"
	is "$(jq -r 'select(.function == "cuMemFree_v2") | .error_text // "-"' jsonl)" "-" "a call that succeeds has none"
done
is "$(jq -r 'select(.arguments.bytesize == 4).error_text | explode | map(select(. < 32)) | length' jsonl)" 2 \
	"jsonl has control characters as they were"
tool convert --to text a.cutrace
is "$(LC_ALL=C grep -c '[[:cntrl:]]' out)" 0 "text has none of them"
like "$(cat out)" ' = CUDA_ERROR_INVALID_VALUE \(one line\) <' "... and the driver's words behind the result"
said ";error-text=no"
is "$(jq -r 'select(.error_text) | .function' jsonl)" "" "nothing with error-text=no"

said "" own
is "$(cat printed)" "heard 1" "a program's own callback hears the same"
is "$(jq -r 'select(.error_text) | "\(.function) \(.depth) \(.error_text)"' jsonl)" "cuMemFree_v2 1 inner words
cuMemAlloc_v2 0 outer words" "a call inside of the callback has its own words" || diag "$(cat jsonl)"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(text=yes)" "$tmp/says" 2>err >out
like "$(cat err)" ' = CUDA_ERROR_INVALID_VALUE \(one line\) <' "live text"
is "$(LC_ALL=C grep -c '[[:cntrl:]]' err)" 0 "... without control characters"
is "$(awk 'length > 4096' err | wc -l)" 0 "... in lines of 4 KiB"

# The simulated driver; other formats.
rm -f a.cutrace
audited CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace)" "$tmp/launches" >out 2>err
for format in text chrome otlp; do
	tool convert --to $format a.cutrace
	like "$(cat out)" 'Grid or block dimensions are out of range' "$format"
done
tool convert --to perfetto -o a.pf a.cutrace
is "$(grep -c 'Grid or block dimensions are out of range' a.pf)" 1 "perfetto"
tool report --html a.html a.cutrace
like "$(grep -o 'CUDA_ERROR_INVALID_VALUE (Grid[a-z ]*)' a.html)" 'are out of range' "the page"
tool convert --to sqlite -o a.db a.cutrace
if command -v sqlite3 >/dev/null 2>&1; then
	is "$(sqlite3 a.db 'SELECT function, error_text FROM calls WHERE error_text IS NOT NULL')" \
		"cuLaunchKernel|Grid or block dimensions are out of range" "sqlite"
else
	is "$("$PYTHON3" -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT function, error_text FROM calls WHERE error_text IS NOT NULL"):
    print("|".join(row))' a.db)" "cuLaunchKernel|Grid or block dimensions are out of range" "sqlite"
fi
tool trace -o "$tmp/traces" "$tmp/launches"
tool convert --to text "$tmp/traces"
like "$(cat out)" 'Grid or block dimensions are out of range' "cuaudit trace"
tool trace --error-text no -o "$tmp/traces2" "$tmp/launches"
tool convert --to text "$tmp/traces2"
unlike "$(cat out)" 'Grid or block dimensions are out of range' "cuaudit trace --error-text no"
done_testing
