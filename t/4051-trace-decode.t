# SPDX-License-Identifier: Apache-2.0
# A decoder that was written from cuaudit-trace(5) alone finds in traces of every kind what jsonl says.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

command -v "$PYTHON3" >"$tmp/which" || skip_all "no python3"

# decoded NAME WHAT FILE...: each file is as jsonl says; in one of them is each of the things.
decoded() {
	decoded_name=$1
	decoded_what=$2
	shift 2
	: >"$tmp/decoded"
	for decoded_file; do
		tool convert --to jsonl --demangle no --symbols no "$decoded_file"
		"$PYTHON3" "$top_srcdir/t/trace/decode.py" "$top_srcdir/include/cuaudit" "$decoded_file" "$tmp/out" \
			>>"$tmp/decoded" 2>&1 || echo "status $?" >>"$tmp/decoded"
	done
	decoded_missing=
	for decoded_one in $decoded_what; do
		grep -q "^[1-9][0-9]* calls.*[: ]$decoded_one\( \|\$\)" "$tmp/decoded" ||
			decoded_missing="$decoded_missing $decoded_one"
	done
	is "$(grep -v '^[0-9]* calls' "$tmp/decoded" | head -n 5)$decoded_missing" "" "$decoded_name"
	diag "$(head -n 2 "$tmp/decoded")"
}

# ran NAME WHAT HOOKS [VARIABLE=VALUE...] COMMAND...: what the command's processes leave.
ran() {
	ran_name=$1
	ran_what=$2
	ran_hooks=$3
	shift 3
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="$ran_hooks" "$@" >"$tmp/out" 2>"$tmp/err" || :
	decoded "$ran_name" "$ran_what" "$tmp"/traces/*.cutrace
}

# simulated NAME WHAT OPTIONS COMMAND...: with the simulated driver.
simulated() {
	simulated_name=$1
	simulated_what=$2
	simulated_hooks=trace${3:+($3)}
	shift 3
	ran "$simulated_name" "$simulated_what" "$simulated_hooks" CUAUDIT_DRIVER=sim "$@"
}

helper trace/synth
# made NAME WHAT ARGUMENT...: a trace that no program made.
made() {
	made_name=$1
	made_what=$2
	shift 2
	synth "$@" "$tmp/made.cutrace"
	decoded "$made_name" "$made_what" "$tmp/made.cutrace"
}
made "calls" "call process long status stack" -n 5000
made "arguments" "call" -a -n 5000 -t 7 -c 16384
made "repeated records" "again" -a -g -n 5000
made "kernels' parameters" "parameters unknown" -A -n 5000
made "what the driver says of errors" "error_text" -a -E -n 5000
made "Python frames" "stack python cut" -a -P -n 5000
made "ranges" "ranges" -R -n 5000
made "... of threads that took over, in chunks" "ranges next" -R -e 50 -c 16384 -n 5000
made "... of a killed process" "ranges" -a -R -k -o -n 5000
made "... that make no sense" "ranges loss" -D -n 5000
made "nested calls" "again" -a -i -g -n 5000 -s 3
made "threads that take over a chunk" "next" -a -e 50 -n 5000
made "a killed process, calls that have not ended" "unfinished" -a -k -o -n 5000
made "... of threads that took over" "next unfinished" -e 20 -o -t 40 -n 5000
synth -n 5000 -c 16384 "$tmp/made.cutrace"
head -c 32808 "$tmp/made.cutrace" >"$tmp/torn.cutrace"
decoded "a torn file" "loss" "$tmp/torn.cutrace"

# altered NAME OFFSET FORM EXPRESSION: a number is another one; call is the second one's record.
altered() {
	"$PYTHON3" -c "import struct, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import decode
trace = decode.Trace(sys.argv[2])
before, call = list(trace.calls())[:2]
with open(sys.argv[2], 'r+b') as file:
    file.seek($2)
    file.write(struct.pack('=$3', $4))
" "$top_srcdir/t/trace" "$tmp/made.cutrace" || echo "cannot alter"
	decoded "$1" "call" "$tmp/made.cutrace"
}
synth -t 1 -n 20000 "$tmp/made.cutrace"
altered "a correlation id as far above as below" "call.at + 2" H "before.correlation + 0x8000 & 0xffff"
altered "a clock that ran faster than its writer had measured" 104 Q \
	"trace.start_ns + (trace.end_ns - trace.start_ns) * 1009 // 1000"
altered "a time of day that was set" 104 Q "trace.start_ns + (trace.end_ns - trace.start_ns) * 2"
altered "... back" 104 Q "trace.start_ns - 1"

helpers trace/app trace/args trace/ends trace/kernels trace/libcuda.so.1 trace/library.so trace/moved

ran "structures, arrays, strings" "call status" trace "$tmp/args"
ran "... cut" "call" "trace(strings=2;elements=1)" "$tmp/args"
ran "... of the most elements" "call" "trace(strings=1000;elements=100)" "$tmp/args"
ran "calls that a hook answers" "status" "trace,fault(inject=*:error=5)" "$tmp/args"
ran "... with success" "status" "trace,fault(inject=*:error=0)" "$tmp/args"
ran "a handle that comes back for another kernel" "call" trace "$tmp/kernels"
ran "a call that hangs" "unfinished" trace "$tmp/kernels" hang

helper trace/parameters
for kind in ways sizes refused reloads threads kernels; do
	ran "kernels' parameters: $kind" "parameters" "trace(args=kernel)" LD_LIBRARY_PATH="$simdir" "$tmp/parameters" "$kind"
done

helper kernel/launches
ran "what the driver says of errors" "error_text" trace "$tmp/launches"
ran "... in a ring" "parameters loss" "trace(args=kernel;size=1M;when-full=ring)" LD_LIBRARY_PATH="$simdir" \
	"$tmp/parameters" threads

simulated "a program" "call" "" "$tmp/app" call 1000
simulated "calls of many kinds" "call" "" "$tmp/app" mixed 20000
simulated "without arguments" "call" "args=no" "$tmp/app" mixed 20000
simulated "many threads" "call" "" "$tmp/app" threads 30 500
simulated "short threads" "next" "" "$tmp/app" short 300 30
simulated "some functions" "call" "functions=cuInit;functions=cuDeviceGet*" "$tmp/app" call 30
simulated "long calls only" "process" "min-duration=1us" "$tmp/app" mixed 20000
simulated "a stack with each call" "stack" "backtrace=cuDriver*" "$tmp/app" library 20 "$tmp/library.so"
simulated "... of threads" "stack" "backtrace=cuDriver*;frames=2" "$tmp/app" threads 4 50
command -v "$PYTHON3" >"$tmp/which" && simulated "lines of Python" "stack python cut" "python=*;backtrace=cuInit;frames=9" \
	"$PYTHON3" "$top_srcdir/t/python/traced.py" "$tmp/expected"
simulated "nested calls" "call" "" "$tmp/app" nested
simulated "started and stopped" "mark" "start=marker;stop=marker" "$tmp/app" marks
simulated "a library loaded again" "call" "" "$tmp/app" reload 5 "$tmp/library.so"
simulated "code of no object" "call" "" "$tmp/app" generated 50
simulated "... and its stacks" "stack" "backtrace=*" "$tmp/app" generated 50
simulated "forked children" "call" "" "$tmp/ends" 20 fork
simulated "a file that is full" "loss" "size=1M;args=no" "$tmp/app" call 200000
simulated "a ring" "loss" "size=1M;when-full=ring" "$tmp/app" mixed 60000
simulated "a ring of many threads" "loss" "size=4M;when-full=ring;args=no" "$tmp/app" short 4000 200
simulated "a killed process" "call" "" "$tmp/app" killed 900
simulated "... with a ring" "call" "size=1M;when-full=ring" "$tmp/app" killed 4000
simulated "calls that move to another thread" "correlation next" "" "$tmp/moved"

if test "$(loader_family)" = new && test -n "$PERL"; then
	ints=$(seq -s ', ' -f 'int p%g' 45) few=$(seq -s ', ' -f 'long p%g' 23)
	printf 'int many(%s);\nint few(%s, const char *text);\n' "$ints" "$few" >"$tmp/many.h"
	printf 'int many(%s) { return p45; }\nint few(%s, const char *text) { return *text; }\n' "$ints" "$few" >"$tmp/many.c"
	printf '#include "many.h"\nint main(void)\n{\n\treturn many(%s) + few(%s, "text") - 45 - 116;\n}\n' \
		"$(seq -s ', ' 45)" "$(seq -s ', ' 23)" >"$tmp/main.c"
	compile -shared -fPIC -o "$tmp/libmany.so" "$tmp/many.c" &&
		compile -o "$tmp/many" "$tmp/main.c" -L"$tmp" -lmany -Wl,-rpath,"$tmp" || bail_out "cannot build"
	compile -w -shared -fPIC -o "$tmp/libcomm.so.2" -Wl,-soname,libcomm.so.2 "$top_srcdir/t/types/comm.c" &&
		compile -w -o "$tmp/uses" "$top_srcdir/t/types/uses.c" -L"$tmp" -l:libcomm.so.2 -Wl,-rpath,"$tmp" ||
		bail_out "cannot build"
	export CUAUDIT_PROVIDERS='libcomm.so.*:libmany.so' CUAUDIT_TYPES="$tmp/all.types"
	"$top_builddir/bin/cuaudit" types --from "$top_srcdir/t/types/comm.h" --from "$tmp/many.h" >"$tmp/all.types" ||
		bail_out "no types"
	ran "types of functions of other libraries" "typed" trace "$tmp/uses"
	ran "... of many parameters" "typed" trace "$tmp/many"
	ran "... answered by a hook" "typed" "trace,fault(inject=libmany.so:*:error=9)" "$tmp/many"
	unset CUAUDIT_PROVIDERS CUAUDIT_TYPES
fi

name=$(printf '%200s' x | tr ' ' y)
cp "$tmp/app" "$tmp/$name"
simulated "a long name" "call" "" "$tmp/$name" names 4
mkdir "$tmp/other"
cp "$simdir/libcuda.so.1" "$tmp/other"
ran "two drivers" "call" trace LD_LIBRARY_PATH="$simdir" "$tmp/app" copy 30 "$tmp/other/libcuda.so.1"
done_testing
