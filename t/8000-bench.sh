# SPDX-License-Identifier: Apache-2.0
# `make bench`: the cost of a routed call and of a start, one JSON line a measure.
#
# Each line holds both sides, measured in turn in one run, and the number
# DESIGN asks for ("..._at_most", 0 for none). It judges nothing: machines
# differ. Arguments: the directory to build in. Environment: CC, LIBCUAUDIT,
# top_srcdir, PYTHON3, BENCH_THREADS (default: the processors).
set -eu

dir=$1
threads=${BENCH_THREADS:-$(getconf _NPROCESSORS_ONLN)}
[ "$threads" -le 16 ] || threads=16
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
src=$top_srcdir/t/bench

$CC -O2 -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$dir/libcuda.so.1" "$src/driver.c"
$CC -O2 -D_GNU_SOURCE -fPIC -shared -o "$dir/libbenchraw.so" "$src/raw.c"
$CC -O2 -fPIC -shared -I"$top_srcdir/include" -o "$dir/libbenchempty.so" "$src/empty.c"
$CC -O2 -fno-omit-frame-pointer -D_GNU_SOURCE -I"$top_srcdir/include" -o "$dir/bench" "$src/bench.c" \
	-pthread -Wl,--no-as-needed -L"$dir" -lbenchraw -lbenchempty -l:libcuda.so.1 -ldl \
	-Wl,-rpath,'$ORIGIN'
$CC -O2 -D_GNU_SOURCE -o "$dir/step" "$src/step.c" -Wl,--no-as-needed -L"$dir" -lbenchraw \
	-l:libcuda.so.1 -ldl -Wl,-rpath,'$ORIGIN'
$CC -O2 -D_GNU_SOURCE -o "$dir/start" "$src/start.c"
$CC -O2 -fPIC -shared -o "$dir/libbenchplt.so" -x c - <<'C'
long bench_next(long number);
long bench_next(long number)
{
	return number + 1;
}
C
$CC -O2 -fplt -D_GNU_SOURCE -o "$dir/plt" "$src/plt.c" -Wl,-z,lazy -L"$dir" -lbenchplt \
	-Wl,-rpath,'$ORIGIN'

audited() {
	env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER="$dir/libcuda.so.1" \
		CUAUDIT_EXCLUDE=libbenchraw.so CUAUDIT_OUTPUT="$dir/report.txt" "$@"
}

audited CUAUDIT_HOOKS= "$dir/bench" hooks "$threads"
audited CUAUDIT_HOOKS= "$dir/bench" attached
audited CUAUDIT_HOOKS=stat "$dir/bench" stat "$threads"
audited CUAUDIT_HOOKS='stat(clock=no)' "$dir/bench" count "$threads"
audited CUAUDIT_HOOKS=stat "$dir/step" "timed statistics"
audited CUAUDIT_HOOKS='fault(inject=cuCtxGetCurrent:error=2:when=9999999999)' "$dir/bench" fault \
	"a fault rule that is not due"
audited CUAUDIT_HOOKS='fault(inject=cuCtxGetCurrent:error=2:if=pctx==1)' "$dir/bench" fault \
	"a fault rule's condition that does not hold"
audited CUAUDIT_HOOKS='limit(memory=1G)' "$dir/bench" pairs 1 "limit: an allocation and its free"
audited CUAUDIT_HOOKS="limit(user=1G;file=$dir/shared)" \
	"$dir/bench" pairs 1 "limit of the user: an allocation and its free"
audited CUAUDIT_HOOKS='limit(memory=1G)' "$dir/bench" launch 1 "limit(memory=): a launch"
audited CUAUDIT_HOOKS="limit(share=50;share-dir=$dir)" \
	"$dir/bench" launch 1 "limit(share=): a launch while nobody else wants the device"
audited CUAUDIT_HOOKS="limit(time=100%;share-dir=$dir)" \
	"$dir/bench" launch 1 "limit(time=): a launch while the device is measured, as beside others"
audited CUAUDIT_HOOKS=leak "$dir/bench" leak "$threads"

# Calls through a table, which only the simulated driver has.
sim=${LIBCUAUDIT%/*}/cuaudit/sim
$CC -O2 -D_GNU_SOURCE -o "$dir/tables" "$src/tables.c" -Wl,--no-as-needed -L"$dir" -lbenchraw \
	"$sim/libcuda.so.1" -ldl -Wl,-rpath,'$ORIGIN'
for hooks in '' stat 'stat(clock=no)' "trace(file=$dir/tables-trace)"; do
	env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_TOOLS=1 CUAUDIT_DOMAINS=driver,tables \
		CUAUDIT_EXCLUDE=libbenchraw.so CUAUDIT_OUTPUT="$dir/report.txt" CUAUDIT_HOOKS="$hooks" \
		CUAUDIT_LOG=error "$dir/tables" "$(test -n "$hooks" && echo "${hooks%%(file*}" || echo no hook)"
	rm -f "$dir/tables-trace"
done

# Calls of a runtime that reports them; what is inside of one is a nested call.
$CC -O2 -D_GNU_SOURCE -I"$top_srcdir" -o "$dir/runtime" "$src/runtime.c" -Wl,--no-as-needed -L"$dir" \
	-lbenchraw "$sim/libcuda.so.1" -ldl -Wl,-rpath,'$ORIGIN'
for hooks in 'stat(clock=no)' stat; do
	env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_TOOLS=1 CUAUDIT_DOMAINS=driver,runtime \
		CUAUDIT_EXCLUDE=libbenchraw.so CUAUDIT_OUTPUT="$dir/report.txt" CUAUDIT_HOOKS="$hooks" \
		CUAUDIT_LOG=error "$dir/runtime" "$hooks"
done

# Twenty rules, of which one or more look at most of the functions that are measured.
{
	echo 'mark warm-up = 1000000000th cuEventQuery'
	echo 'optional never cuEventQuery after warm-up'
	echo 'optional never cuCtxGetCurrent in libnothere*'
	echo 'at-most 99999999999 cuCtxGetApiVersion'
	echo 'at-most 99999999999 cuLaunchKernel by step*'
	echo 'same-thread cuStreamQuery'
	echo 'optional never cuCtxSetCurrent on device 7'
	echo 'optional never cuCtxPopCurrent from libnothere*:*'
	for function in cuStreamSynchronize cuCtxSynchronize cuMemAlloc cuMemFree cuInit cuModuleLoadData \
		cuEventSynchronize cuMemcpyHtoD cuMemcpyDtoH cuMemHostAlloc cuStreamCreate cuEventCreate; do
		echo "optional never $function in range step after warm-up"
	done
} >"$dir/rules"
audited CUAUDIT_HOOKS="rules(file=$dir/rules)" "$dir/bench" rules 1
echo no-errors >>"$dir/rules"
audited CUAUDIT_HOOKS="rules(file=$dir/rules)" "$dir/bench" rules 1 ", and no-errors"
for condition in '' ' on legacy stream'; do
	echo "optional never %blocking$condition" >"$dir/rules"
	audited CUAUDIT_HOOKS="rules(file=$dir/rules)" "$dir/bench" kernels 1 "rules, %blocking$condition, a launch"
done

# Launches that several rules look at, as those of t/gpu/check/rules/twenty.rules do.
for several in 1 2 4 6; do
	{
		echo 'mark warm-up = 2000th cuLaunchKernel'
		head -n "$several" <<-'END'
			at-most 99999999999 cuLaunchKernel by step*
			at-most 1000 distinct-kernels
			optional never cuLaunchKernel by *nan_check*
			optional never %blocking in libnothere*
			optional never cuLaunchKernel by other* after warm-up
			at-least 100 kernels
		END
	} >"$dir/rules"
	audited CUAUDIT_HOOKS="rules(file=$dir/rules)" "$dir/bench" kernels 1 \
		"rules, a launch that $several and a mark look at"
done

# Memory functions: the same library twice, of which one is checked.
for name in plain checked; do
	$CC -O2 -fno-builtin -fPIC -shared -o "$dir/libcopy$name.so" -x c - <<'C'
#include <string.h>
void bench_copy(void *to, const void *from, size_t size, long times);
void bench_copy(void *to, const void *from, size_t size, long times)
{
	while (times--)
		memcpy(to, from, size);
}
C
done
$CC -O2 -D_GNU_SOURCE -o "$dir/dbgmem" "$src/dbgmem.c" -ldl
audited CUAUDIT_DOMAINS=driver,libc CUAUDIT_HOOKS='dbgmem(libraries=libcopychecked.so)' \
	"$dir/dbgmem" "$dir/libcopyplain.so" "$dir/libcopychecked.so"

# Traces, in memory where there is a place for files that is: what is measured is no disk.
shm=$(mktemp -d /dev/shm/cuaudit-XXXXXX 2>/dev/null || mktemp -d)
trap 'rm -rf "$shm"' EXIT
traced() {
	traced_options=$1
	shift
	audited CUAUDIT_LOG=info CUAUDIT_HOOKS="trace($traced_options;file=$shm/trace)" \
		"$dir/bench" "$@" 2>"$shm/err"
}
traced_step() {
	audited CUAUDIT_LOG=info CUAUDIT_HOOKS="trace($1;file=$shm/trace)" "$dir/step" "$2" \
		2>"$shm/err"
}
for arguments in no yes; do
	for place in 'a growing file' 'a ring'; do
		ring=
		test "$place" != 'a ring' || ring=';when-full=ring;size=16M'
		traced "args=$arguments$ring" trace 1 \
			"trace, args=$arguments, $place"
		test -n "$ring" || sed -n "s|.*: trace: \([0-9]*\) calls in .*|\1 $(wc -c <"$shm/trace")|p" \
			"$shm/err" | awk -v arguments=$arguments '{
			printf "{\"measure\":\"trace, args=%s: the file\",\"calls\":%d,", arguments, $1
			printf "\"bytes_per_call\":%.2f}\n", $2 / $1 }'
		rm -f "$shm/trace"
		traced_step "args=$arguments$ring" "trace, args=$arguments, $place"
		rm -f "$shm/trace"
	done
	traced "args=$arguments;when-full=ring;size=64M" trace-threads "$threads" \
		"trace, args=$arguments, many threads"
	rm -f "$shm/trace"
done

# What the driver says of an error, which only the simulated one does here.
$CC -O2 -D_GNU_SOURCE -o "$dir/fails" "$src/fails.c" -Wl,--no-as-needed -L"$dir" -lbenchraw \
	"$sim/libcuda.so.1" -ldl -Wl,-rpath,'$ORIGIN'
for text in no yes; do
	env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_EXCLUDE=libbenchraw.so CUAUDIT_LOG=error \
		CUAUDIT_HOOKS="trace(file=$shm/trace;when-full=ring;size=16M;error-text=$text)" \
		"$dir/fails" "trace, error-text=$text"
	rm -f "$shm/trace"
done

# The names of kernels, which the simulated driver has.
$CC -O2 -D_GNU_SOURCE -I"$top_srcdir/include" -o "$dir/kernels" "$src/kernels.c" -Wl,--no-as-needed -L"$dir" -lbenchraw \
	"$sim/libcuda.so.1" -ldl -Wl,-rpath,'$ORIGIN'
env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_EXCLUDE=libbenchraw.so CUAUDIT_LOG=error CUAUDIT_HOOKS= "$dir/kernels"

# Ranges: alone, and where a trace has them.
$CC -O2 -D_GNU_SOURCE -DCUAUDIT_OWN_TYPES -I"$top_srcdir" -I"$top_srcdir/include" -o "$dir/ranges" \
	"$src/ranges.c" -L"$dir" -l:libcuda.so.1 -Wl,-rpath,'$ORIGIN' -ldl
for hooks in "trace(file=$shm/trace)" stat; do
	audited NVTX_INJECTION64_PATH="${LIBCUAUDIT%/*}/cuaudit/libcuaudit-nvtx.so" CUAUDIT_HOOKS="$hooks" \
		"$dir/ranges" 2>"$shm/err"
	rm -f "$shm/trace"
done
for hooks in 'stat(in-range=training*)' "trace(in-range=training*;file=$shm/trace)"; do
	audited NVTX_INJECTION64_PATH="${LIBCUAUDIT%/*}/cuaudit/libcuaudit-nvtx.so" CUAUDIT_HOOKS="$hooks" \
		"$dir/ranges" "${hooks%%(*}(in-range=)" 2>"$shm/err"
	rm -f "$shm/trace"
done

# Others, where they are installed.
peer() {
	peer_out=$1
	shift
	$CC -O2 -D_GNU_SOURCE -I"$src" -o "$dir/$peer_out" "$src/peers.c" "$@" \
		-Wl,--no-as-needed -L"$dir" -l:libcuda.so.1 -Wl,-rpath,'$ORIGIN'
}
peer peers-print -DPRINT
"$dir/peers-print" "a line of fprintf, to a file in memory" "$shm/text"
if command -v uftrace >/dev/null; then
	peer peers-plain
	uftrace record --force -d "$shm/uftrace" "$dir/peers-plain" \
		"uftrace record, by the PLT" 2>/dev/null || echo "uftrace does not run" >&2
	rm -rf "$shm/uftrace"
fi
if command -v lttng-sessiond >/dev/null && peer peers-lttng -DLTTNG -llttng-ust -ldl 2>/dev/null; then
	LTTNG_HOME=$shm
	export LTTNG_HOME
	lttng-sessiond --daemonize --pidfile="$shm/pid" --no-kernel >/dev/null 2>&1
	for mode in --snapshot "--output=$shm/lttng"; do
		lttng -q create bench "$mode" && lttng -q enable-event -u 'cuaudit_bench:*' &&
			lttng -q start &&
			"$dir/peers-lttng" "LTTng-UST, two events, $(test "$mode" = --snapshot &&
				echo flight recorder || echo a file in memory)"
		lttng -q destroy
	done >"$shm/lttng.out" 2>&1 || :
	grep '^{' "$shm/lttng.out" || cat "$shm/lttng.out" >&2
	kill "$(cat "$shm/pid")" && while test -e "$shm/pid"; do sleep 0.1; done
fi
"$dir/start" "$LIBCUAUDIT"
"$dir/plt" "$LIBCUAUDIT" "lazily bound call" 2
provider() {
	CUAUDIT_PROVIDERS='libbenchplt.so' CUAUDIT_OUTPUT="$dir/report.txt" CUAUDIT_HOOKS="$1" \
		"$dir/plt" "$LIBCUAUDIT" "provider: $2" 0
}
provider '' "no hook"
provider 'stat(clock=no)' "counted"
provider stat "timed statistics"

# Call stacks with Python's frames, by the interpreter itself: LD_AUDIT is not for what starts it.
if python=$("${PYTHON3:-python3}" -c 'import ctypes, sys; print(sys.executable)' 2>/dev/null); then
	$CC -O2 -D_GNU_SOURCE -fPIC -shared -I"$top_srcdir/include" -o "$dir/stacks.so" "$src/stacks.c" \
		-L"${LIBCUAUDIT%/*}/cuaudit" -l:cuaudit-core.so
	py_spy=$(command -v py-spy) || {
		"$python" -m pip install -q --no-deps --target "$dir/py-spy" py-spy >"$dir/pip" 2>&1 || :
		py_spy=$dir/py-spy/bin/py-spy
	}
	test -x "$py_spy" || py_spy=
	audited CUAUDIT_HOOKS="$dir/stacks.so" "$python" "$src/stacks.py" "$dir/libcuda.so.1" \
		"$dir/stacks.so" ${py_spy:+"$py_spy"}
fi

# Traces are read by the tool alone.
tree="-std=gnu11 -D_GNU_SOURCE -DCUAUDIT_OWN_TYPES -I$top_srcdir/t/parts -I$top_srcdir -I$top_srcdir/include"
$CC -O2 $tree -o "$dir/synth" "$top_srcdir/t/trace/synth.c" "$top_srcdir"/print/*.c "$top_srcdir"/util/buffer.c \
	"$top_srcdir"/util/sort.c
named='-DPACKAGE_NAME="" -DPACKAGE_VERSION=""'
$CC -O2 $tree $named -o "$dir/report" "$src/report.c" \
	$(ls "$top_srcdir"/analysis/*.c | grep -v '/dwarf\|/debuginfod') "$top_srcdir"/tracefile/*.c \
	"$top_srcdir"/print/*.c "$top_srcdir"/tables/*.c "$top_srcdir"/util/*.c -pthread -lm
"$dir/synth" -n 10000000 "$dir/calls" >"$dir/truth"
"$dir/synth" -a -n 10000000 "$dir/calls with arguments" >"$dir/truth"
(cd "$dir" && ./report calls "calls with arguments" && rm calls "calls with arguments")

# What a report by caller asks of a file: the command's own, by its symbol table and by libdw.
cuaudit=${LIBCUAUDIT%/lib/*}/bin/cuaudit
# looked_up WHAT ARGUMENT...
looked_up() {
	looked_up_what=$1
	shift
	$CC -O2 $tree -o "$dir/symbols" "$src/symbols.c" "$top_srcdir/analysis/symbols.c" \
		"$top_srcdir/analysis/elf_symbols.c" "$top_srcdir/tracefile/demangle.c" \
		"$top_srcdir"/util/*.c "$@" -pthread -lm &&
		"$dir/symbols" "$looked_up_what" "$cuaudit" \
			"$(readelf -nW "$cuaudit" | sed -n 's/.*Build ID: //p')" \
			$(readelf -SW "$cuaudit" | sed -n \
				's/.* \.text  *PROGBITS  *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p')
}
looked_up "without libdw"
looked_up "with libdw" -DHAVE_LIBDW "$top_srcdir/analysis/debuginfod.c" "$top_srcdir"/analysis/dwarf*.c \
	-ldw -ldl 2>"$dir/err" ||
	echo "no libdw" >&2

# Traces in other formats.
$CC -O2 -D_GNU_SOURCE -o "$dir/convert" "$src/convert.c"
"$dir/synth" -n 3000000 "$dir/bare.cutrace" >"$dir/truth"
"$dir/synth" -a -n 1000000 "$dir/whole.cutrace" >"$dir/truth"

# converted FORMAT AT-LEAST [OUTPUT]
converted() {
	"$dir/convert" "$cuaudit" "$1" "$2" 3000000 "${3:-/dev/null}" \
		"$dir/bare.cutrace" "without arguments"
	"$dir/convert" "$cuaudit" "$1" 0 1000000 "${3:-/dev/null}" \
		"$dir/whole.cutrace" "with arguments"
}

for format in chrome csv folded otlp text; do
	converted $format 0
done
# Those whose library the tool was built without say so, and make nothing.
if ! "$cuaudit" convert --to sqlite "$dir/bare.cutrace" 2>&1 | grep -q without; then
	converted sqlite 1 "$dir/converted.db"
fi
if "$cuaudit" convert --to perfetto -o "$dir/truth" "$dir/whole.cutrace"; then
	converted perfetto 3
fi
if "$cuaudit" convert --to jsonl -o "$dir/truth" "$dir/whole.cutrace"; then
	converted jsonl 0
fi
rm -f "$dir"/*.cutrace "$dir/converted.db"
