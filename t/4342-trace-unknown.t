# SPDX-License-Identifier: Apache-2.0
# What a trace does not have is not printed as NULL, 0 or an address, in any format.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

compile -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$tmp/libcuda.so.1" "$top_srcdir/t/trace/driver.c" \
	-Wl,--no-as-needed -ldl &&
	compile -o "$tmp/args" "$top_srcdir/t/trace/args.c" -L"$tmp" -l:libcuda.so.1 \
		-Wl,-rpath,"$tmp" || bail_out "no test program"

# record OPTIONS
record() {
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace($1)" "$tmp/args" || echo "status $?"
}

# to FORMAT: $tmp/to
to() {
	rm -rf "$tmp/to"
	"$top_builddir/bin/cuaudit" convert --to "$1" -o "$tmp/to" "$tmp"/traces/*.cutrace 2>&1
}

record ""
to text
is "$(grep -o 'cuLaunchKernel.*extra = [^)]*)' "$tmp/to" | sort -u)" \
	"cuLaunchKernel(f = 0x40<first>, gridDim = (1, 2, 3), blockDim = (4, 5, 6), sharedMemBytes = 7, hStream = 0x9, kernelParams = ?, extra = ?)" \
	"text: a launch's parameters"
is "$(grep -o 'cuMemAlloc_v2(.* = CUDA_[A-Z_]*' "$tmp/to" | sort -u)" \
	"cuMemAlloc_v2(dptr = ?, bytesize = 2) = CUDA_ERROR_OUT_OF_MEMORY
cuMemAlloc_v2(dptr = NULL, bytesize = 1) = CUDA_SUCCESS
cuMemAlloc_v2(dptr = [0x123456789abc], bytesize = 4096) = CUDA_SUCCESS" \
	"text: NULL is what was NULL"
to csv
like "$(cat "$tmp/to")" 'kernelParams = \?, extra = \?"' "csv"
unlike "$(cat "$tmp/to")" 'kernelParams = [^?]|extra = [^?]' "csv: nothing else"
for format in jsonl chrome; do
	to "$format"
	like "$(cat "$tmp/to")" '"sharedMemBytes":7' "$format has arguments"
	unlike "$(cat "$tmp/to")" '"kernelParams"|"extra"' "$format: none that were not recorded"
	like "$(cat "$tmp/to")" '"dptr":(null|"NULL")' "$format: and NULL"
done
to otlp
like "$(cat "$tmp/to")" '"cuda.argument.kernelParams","value":\{"stringValue":"\?"' "otlp"
unlike "$(cat "$tmp/to")" 'kernelParams","value":\{"[a-zA-Z]*":"[^?]' "otlp: nothing else"
to perfetto
ok "perfetto" test -s "$tmp/to"
if ! command -v sqlite3 >/dev/null; then
	skip 1 "no sqlite3"
elif to sqlite | grep -q 'built without sqlite3'; then
	skip 1 "built without sqlite3"
else
	is "$(sqlite3 "$tmp/to" "SELECT DISTINCT value, number IS NULL FROM argument WHERE name = 'kernelParams'")" \
		"?|1" "sqlite"
fi
to ctf
like "$(find "$tmp/to" -name metadata -exec cat {} \;)" 'text_t _not_recorded;' "ctf has a field for it"
is "$(find "$tmp/to" -name 'thread*' -exec cat {} \; | tr '\0' '\n' | grep -a -c 'kernelParams, extra')" 2 \
	"ctf: with the names"
is "$("$top_builddir/bin/cuaudit" report --html "$tmp/page.html" "$tmp"/traces/*.cutrace 2>&1)" "" "html"
unlike "$(cat "$tmp/page.html")" 'kernelParams = [^?]' "html: nothing else"

# Of a list or a text of which nothing was kept, it is known that it was there.
record "elements=0;strings=0"
to text
is "$(grep -o 'cuPointerGetAttributes(numAttributes = [289],.*) = CUDA_SUCCESS' "$tmp/to" | sort -u |
	sed 's/ = CUDA.*//')" \
	"cuPointerGetAttributes(numAttributes = 2, attributes = [...], data = [...], ptr = 0x1)
cuPointerGetAttributes(numAttributes = 8, attributes = [...], data = [...], ptr = 0x1)
cuPointerGetAttributes(numAttributes = 9, attributes = [...], data = [...], ptr = 0x1)" "no elements"
like "$(cat "$tmp/to")" 'cuModuleGetFunction\(.*, name = ""\.\.\.\) = CUDA_SUCCESS' "no characters"
unlike "$(cat "$tmp/to")" '0xfff[45]' "and no address that no process has"
record "args=no"
to text
like "$(cat "$tmp/to")" 'cuLaunchKernel\(\.\.\.\) = CUDA_SUCCESS' "no arguments"
done_testing
