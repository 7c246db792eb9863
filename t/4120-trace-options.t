# SPDX-License-Identifier: Apache-2.0
# What options choose is in the trace, and nothing else.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helper trace/library.so

# traces OPTIONS COMMAND...: what is in the file goes to $tmp/text
traces() {
	traced "$@"
	checked "$tmp"/traces/*.cutrace >"$tmp/text"
}

# calls: how often each function, after its thread's name
calls() {
	# An emulated program's first thread is called as the emulator is.
	awk '$1 == "thread" { name[$2] = $5 ~ /^qemu-/ ? "app" : $5 }
	$1 == "call" { n[name[$3] " " $4]++ }
	END { for (i in n) print i, n[i] }' "$tmp/text" | sort
}

# Which functions, libraries, threads.
traces "functions=cuInit;functions=cuDeviceGet*" "$tmp/app" call 3
is "$(calls)" "app cuInit 1" "functions="
traces "library=library.so" "$tmp/app" library 5 "$tmp/library.so"
is "$(calls)" "app cuDriverGetVersion 5" "library="
traces "thread=worker-*" "$tmp/app" names 4
is "$(calls)" "worker-1 cuDriverGetVersion 4
worker-2 cuDriverGetVersion 4" "thread=, a glob"
is "$(traces "thread=*w[!a-n]r[k]er-[0-1]" "$tmp/app" names 4; calls)" "worker-1 cuDriverGetVersion 4" "... with sets"
traces "thread=************************b" "$tmp/app" names 4
like "$(cat "$tmp/err")" 'thread=\*{24}b matched no thread' "... of many stars"
traces "thread=other" "$tmp/app" names 4
is "$(calls)" "other cuDriverGetVersion 4" "thread=, a name"
traces "min-duration=1h" "$tmp/app" call 3
is "$(grep -c '^call ' "$tmp/text")" 0 "min-duration=, of an unknown unit, is refused"
traces "min-duration=100s" "$tmp/app" call 3
like "$(cat "$tmp/text")" '^total 0 calls 0 bytes 4 filtered' "min-duration="
traces "min-duration=10ns;functions=cuInit" "$tmp/app" call 3
like "$(cat "$tmp/text")" '^total 1 calls' "min-duration=, and longer calls"

# From where to where.
traces "start=cuDriverGetVersion:3" "$tmp/app" call 10
is "$(calls)" "app cuDriverGetVersion 8" "start= the third call: it is in"
like "$(cat "$tmp/text")" '^mark thread [01] start=cuDriverGetVersion:3' "and a mark"
traces "stop=cuDriverGetVersion:3" "$tmp/app" call 10
is "$(calls)" "app cuDriverGetVersion 3
app cuInit 1" "stop= the third call: it is in"
like "$(cat "$tmp/text")" '^mark thread 1 stop=cuDriverGetVersion:3' "and a mark"
traces "start=cuDriverGetVersion:3;stop=cuDriverGetVersion:5" "$tmp/app" call 10
is "$(calls)" "app cuDriverGetVersion 3" "both"
traces "start=marker;stop=marker" "$tmp/app" marks
is "$(calls)" "app cuDriverGetVersion 16
app cuProfilerStart 2
app cuProfilerStop 2" "marks of the program, twice"
is "$(grep -c '^mark' "$tmp/text")" 4 "and marks in the file"
traces "start=400ms" "$tmp/app" pause 10
is "$(calls)" "app cuDriverGetVersion 20" "start= a time"
traces "stop=400ms" "$tmp/app" pause 10
is "$(calls)" "app cuDriverGetVersion 10
app cuInit 1" "stop= a time"
traces "start=400ms;stop=100ms" "$tmp/app" pause 10
is "$(calls)" "app cuDriverGetVersion 20" "stop= a time before start= ends nothing"
traces "start=cuDriverGetVersion:11;stop=100ms" "$tmp/app" pause 10
is "$(calls)" "app cuDriverGetVersion 20" "... though no call was made between them"
traced "start=100s" "$tmp/app" call 10
is "$(ls "$tmp/traces")" "" "one that never starts makes no file"
is "$(cat "$tmp/err")" "cuaudit: trace: start=100s never came; nothing is written" "... and says so"
traced "start=cuDriverGetVersion:99" "$tmp/app" call 10
is "$(cat "$tmp/err")" "cuaudit: trace: start=cuDriverGetVersion:99 never came, there were 10 such calls; nothing is written" \
	"... with the calls there were"
traced "text;start=marker" "$tmp/app" call 10
is "$(cat "$tmp/err")" "cuaudit: trace: start=marker never came; nothing is written" "... of a marker, as text, too"
traced "start=marker;stop=0s" "$tmp/app" marks
is "$(cat "$tmp/err")" "" "one that came is not said"
for wrong in start=cuInit:0 stop=cuInit:0 start=cuInit:18446744073709551616; do
	traced "$wrong" "$tmp/app" call 1
	like "$(cat "$tmp/err")" "^cuaudit: trace: ${wrong%=*} takes SELECTOR" "$wrong is refused"
done
traced "start=cuInt" "$tmp/app" call 1
like "$(cat "$tmp/err")" "names no function; did you mean cuInit" "a function that is none"
# Calls of the other threads may be under way when it begins, and end later.
traces "start=cuDriverGetVersion:1000" "$tmp/app" threads 4 1000
total=$(awk '$1 == "total" { print $2 }' "$tmp/text")
ok "the thousandth call of four threads, and $((total - 3001)) more" test "$total" -ge 3001 -a "$total" -le 3004

# Callbacks.
traces "" "$tmp/app" nested
is "$(awk '$1 == "call" { print $4, $8 }' "$tmp/text" | head -n 5)" "cuInit 0
cuCtxCreate_v2 0
cuDriverGetVersion 1
cuLaunchHostFunc 0
cuDriverGetVersion 1" "calls inside of calls come before, one that was left not at all"

# Libraries.
traces "" "$tmp/app" reload 2 "$tmp/library.so"
is "$(grep -c '^library .*library\.so' "$tmp/text")" 2 "a library at two places is two"
is "$(awk '$1 == "call" && $4 ~ /Version/ { print $18 }' "$tmp/text" | uniq -c |
	awk '{ print $1 }' | xargs)" "2 2" "with places of their own"
mkdir "$tmp/other"
cp "$simdir/libcuda.so.1" "$tmp/other/"
rm -rf "$tmp/traces"
mkdir "$tmp/traces"
audited LD_LIBRARY_PATH="$simdir" CUAUDIT_OUTPUT="$tmp/traces/x" CUAUDIT_HOOKS=trace \
	"$tmp/app" copy 3 "$tmp/other/libcuda.so.1"
checked "$tmp"/traces/x.cutrace >"$tmp/text"
is "$(awk '$1 == "call" && $4 == "cuDriverGetVersion" { n[$18]++ }
	END { for (i in n) print n[i] }' "$tmp/text" | xargs)" "3 3" "two copies of the driver: places of their own"
is "$(grep -c '^driver .*libcuda\.so\.1$' "$tmp/text")" 2 "and both are described"
traces "backtrace=cuDriver*" "$tmp/app" library 2 "$tmp/library.so"
is "$(awk '$1 == "call" { print $4, $19 }' "$tmp/text" | sort | uniq -c | awk '{ print $2, $3, $1 }')" \
	"cuDriverGetVersion stack 2
cuInit 0:0x00000000 1" "backtrace="
is "$(grep -c '^stack' "$tmp/text")" 1 "equal ones are one"
numbers=$(sed -n "s|^library \([0-9]*\) $tmp/app .*|\1|p; s|^library \([0-9]*\) .*/library.so .*|\1|p" \
	"$tmp/text" | sort -n | xargs)
like "$(grep '^stack' "$tmp/text")" "libraries ${numbers#* } ${numbers% *} " \
	"from the library to the program"
traces "backtrace=cuDriver*" "$tmp/app" threads 4 10
is "$(grep -c '^stack' "$tmp/text")" 1 "and of threads"
traces "backtrace=cuDriver*;args=no;frames=1" "$tmp/app" call 2
like "$(cat "$tmp/text")" '^stack 0 frames 2 libraries [0-9]+ 0$' "frames=, and that there were more"
is "$(grep -c 'Version .* stack$' "$tmp/text")" 2 "also without arguments"

# Kernels, and calls that do not end.
helpers trace/libcuda.so.1 trace/kernels
unset CUAUDIT_DRIVER
kernels() {
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace($1)" "$tmp/kernels" $2 ||
		test "$2" = hang || bail_out "the test program failed"
	checked "$tmp"/traces/*.cutrace >"$tmp/text"
}
kernels "" "" >"$tmp/out" 2>&1
is "$(grep '^kernel' "$tmp/text")" "kernel 40 first
kernel 40 second" "names of kernels, when they are new"
kernels "" hang >"$tmp/out" 2>&1
like "$(cat "$tmp/text")" '^open thread 1 depth 0 cuCtxSynchronize' "a call that does not end is open"
is "$(grep -c '^call ' "$tmp/text")" 12 "and has no record"
helper trace/late
for late in "" nameless; do
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS=trace "$tmp/late" $late
	is "$(checked "$tmp"/traces/*.cutrace | grep '^kernel')" "kernel 40 first" \
		"a handle launched before its name is known gets it later: ${late:-handed out late}"
done
kernels open=cuLaunchKernel hang >"$tmp/out" 2>&1
is "$(grep -c '^open' "$tmp/text")" 0 "open= takes others"
kernels "" "" >"$tmp/out" 2>&1
is "$(grep -c '^open' "$tmp/text")" 0 "a call that ends is not open"
helper trace/nameless.so libcuda.so.1
kernels "" "" >"$tmp/out" 2>&1
is "$(grep '^kernel' "$tmp/text")" "kernel 40 first
kernel 40 second" "names, of a driver that cannot be asked"

# Text.
traced "text" "$tmp/app" call 2
is "$(ls "$tmp"/traces | sed 's/^[0-9]*//')" ".trace" "text: no file of records"
is "$(sed 's/^\[[0-9]*\]/[]/; s/<[0-9.]*[mun]*s>/<>/' "$tmp"/traces/*)" \
	"[] cuInit(Flags = 0) = CUDA_SUCCESS <> app
[] cuDriverGetVersion(driverVersion = [13000]) = CUDA_SUCCESS <> app
[] cuDriverGetVersion(driverVersion = [13000]) = CUDA_SUCCESS <> app" "a line for each call"
traced "text;start=marker;stop=marker" "$tmp/app" marks
is "$(ls "$tmp"/traces | sed 's/^[0-9]*//') $(cat "$tmp"/traces/* | wc -l)" ".trace 20" \
	"start and stop hold for text"
traced "text;thread=worker-*" "$tmp/app" names 4
is "$(cat "$tmp"/traces/* | wc -l)" 8 "threads, too"
traced "text;min-duration=100s" "$tmp/app" call 4
is "$(cat "$tmp"/traces/* | wc -l)" 0 "and the least duration"
traced "text" "$tmp/app" threads 20 100
is "$(cat "$tmp"/traces/* | wc -l)" 2001 "lines of many threads"
is "$(grep -cvE '^\[[0-9]+\] cu[A-Za-z]+\(.*\) = CUDA_SUCCESS <[0-9.]+[mun]?s> app$' "$tmp"/traces/*)" 0 \
	"none is torn"
traced "text" "$tmp/app" nested
like "$(cat "$tmp"/traces/*)" '\]   cuDriverGetVersion' "an inner call is set in"
helper stat/ends
traced "text" "$tmp/ends" 20 fork
is "$(wc -l "$tmp"/traces/* | awk '$2 != "total" { print $1 }' | sort -n | xargs)" "6 41" \
	"a child's lines are in a file of its own"
rm -rf "$tmp/traces"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(text)" "$tmp/app" call 2 2>"$tmp/err"
is "$(grep -c '\] cu' "$tmp/err")" 3 "without CUAUDIT_OUTPUT: on standard error"

# Times count from the first call of each process.
if command -v "$PYTHON3" >"$tmp/which"; then
	traced "start=20ms" "$PYTHON3" -c 'import ctypes, os, time
driver = ctypes.CDLL("libcuda.so.1")
def call():
    driver.cuDriverGetVersion(ctypes.byref(ctypes.c_int()))
def work():
    call()
    time.sleep(0.1)
    call()
    call()
work()
if os.fork():
    os.wait()
else:
    work()
    driver.cuDriverGetVersion(None)
    os._exit(0)'
	is "$(for file in "$tmp"/traces/*.cutrace; do
		"$top_builddir/bin/cuaudit" convert --to text "$file" | grep -c cuDriverGetVersion
	done | sort | xargs)" "2 3" "start=20ms: of a child, from its own first call on"
else
	skip 1 "no python3"
fi
done_testing
