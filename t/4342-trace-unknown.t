# SPDX-License-Identifier: Apache-2.0
# What a trace does not have is not printed as NULL, 0 or an address, in any format.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helpers trace/libcuda.so.1 trace/args

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
is "$(grep -o 'cuLaunchKernel.*extra = [^)]*)' "$tmp/to" | sed 's/<x\{64\}>/<name>/' | sort -u)" \
	"cuLaunchKernel(f = 0x40<name>, gridDim = (1, 2, 3), blockDim = (4, 5, 6), sharedMemBytes = 7, hStream = 0x9, kernelParams = ?, extra = ?)" \
	"text: a launch's parameters"
is "$(grep -o 'cuMemAlloc_v2(.* = CUDA_[A-Z_]*' "$tmp/to" | sort -u)" \
	"cuMemAlloc_v2(dptr = ?, bytesize = 2) = CUDA_ERROR_OUT_OF_MEMORY
cuMemAlloc_v2(dptr = NULL, bytesize = 1) = CUDA_SUCCESS
cuMemAlloc_v2(dptr = [0x123456789abc], bytesize = 4096) = CUDA_SUCCESS" \
	"text: NULL is what was NULL"
record "args=kernel"
to text
is "$(grep -o 'kernelParams = [^)]*)' "$tmp/to" | sort -u)" "kernelParams = ?, extra = ?)" \
	"text: parameters of a driver that does not tell of them"
record ""
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
if to perfetto | grep -q 'built without protobuf-c'; then
	skip 1 "no protobuf-c"
else
	ok "perfetto" test -s "$tmp/to"
fi
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
like "$(find "$tmp/to" -name metadata -exec cat {} \;)" 'text_t _kernelParams;' "ctf: a launch's parameters are text"
is "$(find "$tmp/to" -name 'thread*' -exec cat {} \; | tr '\0' '\n' | grep -a -c '^dptr$')" 2 "ctf: with the names"
is "$(find "$tmp/to" -name 'thread*' -exec cat {} \; | tr '\0' '\n' | grep -a -c '^?$')" 12 "ctf: texts that are not known"
is "$("$top_builddir/bin/cuaudit" report --html "$tmp/page.html" "$tmp"/traces/*.cutrace 2>&1)" "" "html"
unlike "$(cat "$tmp/page.html")" 'kernelParams = [^?]' "html: nothing else"

# What follows where a record's room is spent.
record "strings=1000;elements=100"
spent='attrs = \?, attrsIdxs = \?, numAttrs = 0, failIdx = \?, hStream = NULL'
for format in text csv; do
	to $format
	like "$(grep cuMemcpyBatchAsync "$tmp/to")" "$spent" "$format: a record without room for more"
done
for format in jsonl chrome; do
	to $format
	like "$(grep cuMemcpyBatchAsync "$tmp/to")" '"numAttrs":0' "$format: what has room"
	unlike "$(grep cuMemcpyBatchAsync "$tmp/to")" '"(attrs|attrsIdxs|failIdx)"' "$format: and nothing else"
done
to otlp
like "$(cat "$tmp/to")" '"cuda.argument.attrsIdxs","value":\{"stringValue":"\?"' "otlp: the same"

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
# Of a call that failed, what the driver reads is known, and whether it was NULL.
helper trace/fails
rm -rf "$tmp/traces"
mkdir "$tmp/traces"
audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS=trace "$tmp/fails" || echo "status $?"
to text
is "$(grep -o 'cu[MG].*NOT_FOUND' "$tmp/to" | sed 's/ = CUDA.*//; s/hmod = [^,]*/hmod/')" \
	'cuModuleGetFunction(hfunc = ?, hmod, name = "nosuchkernel")
cuModuleGetFunction(hfunc = ?, hmod, name = NULL)
cuModuleGetFunction(hfunc = ?, hmod, name = ?)
cuModuleGetFunction(hfunc = ?, hmod, name = "ppp"...)
cuModuleGetFunction(hfunc = ?, hmod, name = "pp")
cuMemcpy3D_v2(pCopy = NULL)' "a failed call's text, NULL, and what cannot be read"
to csv
like "$(cat "$tmp/to")" 'hfunc = \?, hmod = [^,]*, name = ""nosuchkernel""' "csv has it, too"
to jsonl
like "$(cat "$tmp/to")" '"name":"nosuchkernel"' "jsonl"

# 8: a hook made a success of it; 4: all that is not NULL could be read.
rm -rf "$tmp/traces"
mkdir "$tmp/traces"
audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace,fault(inject=cuModuleGetFunction:result=0)" \
	"$tmp/fails" 2>"$tmp/err" || echo "status $?"
is "$(checked "$tmp"/traces/*.cutrace | sed -n 's/^call .*cuModuleGetFunction \(result [0-9]*\) .* \(status [0-9]*\) .*/\1 \2/p')" \
	"$(printf 'result 0 status %s\n' 12 12 8 12 12)" "one that a hook made a success of is one that failed"
unlike "$(cat "$tmp/to")" '"hfunc"' "and nothing that the driver would have written"
# So it is of one whose failure a hook made success of.
rm -rf "$tmp/traces"
mkdir "$tmp/traces"
audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS='trace,fault(inject=*:result=0)' "$tmp/fails" 2>/dev/null
to text
is "$(grep -o 'cu[MG].* = CUDA_[A-Z_]*' "$tmp/to" | sed 's/hmod = [^,]*/hmod/')" \
	'cuModuleGetFunction(hfunc = ?, hmod, name = "nosuchkernel") = CUDA_SUCCESS
cuModuleGetFunction(hfunc = ?, hmod, name = NULL) = CUDA_SUCCESS
cuModuleGetFunction(hfunc = ?, hmod, name = ?) = CUDA_SUCCESS
cuModuleGetFunction(hfunc = ?, hmod, name = "ppp"...) = CUDA_SUCCESS
cuModuleGetFunction(hfunc = ?, hmod, name = "pp") = CUDA_SUCCESS
cuMemcpy3D_v2(pCopy = NULL) = CUDA_SUCCESS' "what the driver refused and fault made success of"
audited CUAUDIT_HOOKS="trace(text=yes)" "$tmp/fails" >"$tmp/out" 2>&1
like "$(cat "$tmp/out")" 'cuModuleGetFunction\(hfunc = .*, name = "nosuchkernel"\) = CUDA_ERROR_NOT_FOUND' \
	"and as lines of text"

record "args=no"
to text
like "$(cat "$tmp/to")" 'cuLaunchKernel\(\.\.\.\) = CUDA_SUCCESS' "no arguments"
done_testing
