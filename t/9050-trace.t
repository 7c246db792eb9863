# SPDX-License-Identifier: Apache-2.0
# Traces of real programs on a real GPU: every call the statistics count is in the file.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
gpu=$top_srcdir/t/gpu
helper trace/check

# sides NAME: what the two say of each function of each process, in $tmp/counted and $tmp/traced;
# how many bytes a call took.
sides() {
	for report in "$tmp"/reports/*.json; do
		pid=${report##*/}
		pid=${pid%.json}
		"$PYTHON3" -c 'import json, sys
for row in json.load(open(sys.argv[1]))["functions"]:
    print(sys.argv[2], row["name"], row["calls"])' "$report" "$pid"
	done | sort >"$tmp/counted"
	rm -f "$tmp/bytes"
	for trace in "$tmp"/reports/*.cutrace; do
		pid=${trace##*/}
		pid=${pid%.cutrace}
		"$tmp/check" "$trace" >"$tmp/records" || echo "$pid damaged"
		awk -v pid="$pid" '
			$1 == "call" { calls[$4]++ }
			END { for (name in calls) print pid, name, calls[name] }' "$tmp/records"
		grep '^total' "$tmp/records" >>"$tmp/bytes"
	done | sort >"$tmp/traced"
	diag "$1: $(awk '{ calls += $2; bytes += $4 } END {
		printf "%d calls, %.1f bytes a call", calls, bytes / calls }' "$tmp/bytes")"
}

# same NAME OPTIONS COMMAND...
same() {
	same_name=$1
	same_options=$2
	shift 2
	rm -rf "$tmp/reports"
	mkdir "$tmp/reports"
	audited CUAUDIT_OUTPUT="$tmp/reports/%p.json" \
		CUAUDIT_HOOKS="stat(format=json),trace(file=$tmp/reports/%p.cutrace$same_options)" \
		"$@" >"$tmp/out" 2>"$tmp/err" || diag "$(tail -n 3 "$tmp/err")"
	sides "$same_name"
	like "$(wc -l <"$tmp/counted")" '[1-9]' "$same_name: calls are counted"
	is "$(cat "$tmp/traced")" "$(cat "$tmp/counted")" "$same_name: as many are traced, by function"
	unlike "$(cat "$tmp/err")" '^cuaudit: ' "$same_name: no word of ours"
}

# run HOOKS COMMAND...: its files are in $tmp/reports
run() {
	run_hooks=$1
	shift
	rm -rf "$tmp/reports"
	mkdir "$tmp/reports"
	audited CUAUDIT_OUTPUT="$tmp/reports/%p" CUAUDIT_HOOKS="$run_hooks" "$@" >"$tmp/out" 2>"$tmp/err" ||
		diag "$(tail -n 3 "$tmp/err")"
}

# Beside no other hook the trace writes from ways of its own; what two runs call as often, a third does.
alone() {
	alone_name=$1
	shift
	for turn in 1 2; do
		run "stat(format=json)" "$@"
		"$PYTHON3" -c 'import json, sys
for row in json.load(open(sys.argv[1]))["functions"]:
    print(row["name"], row["calls"])' "$tmp"/reports/* | sort >"$tmp/counted.$turn"
	done
	comm -12 "$tmp/counted.1" "$tmp/counted.2" >"$tmp/steady"
	run "trace(file=$tmp/reports/%p.cutrace)" "$@"
	"$tmp/check" "$tmp"/reports/*.cutrace >"$tmp/records"
	awk '$1 == "call" { calls[$4]++ }
		END { for (name in calls) print name, calls[name] }' "$tmp/records" | sort >"$tmp/traced"
	diag "$alone_name: $(wc -l <"$tmp/counted.1") functions, $(wc -l <"$tmp/steady") called as often twice"
	like "$(cat "$tmp/steady")" 'cuLaunchKernel' "$alone_name: two runs launch as many kernels"
	is "$(comm -23 "$tmp/steady" "$tmp/traced")" "" "$alone_name: and a trace alone has those calls"
	again=$(sed -n 's/^again //p' "$tmp/records")
	ok "$alone_name: $again calls of $(grep -c ^call "$tmp/records") said again" test "$again" -gt 0
}

for program in torch_eager torch_workers triton_kernel cupy_arrays jax_jit; do
	module=${program%%_*}
	if "$PYTHON3" -c "import $module" >"$tmp/import" 2>&1; then
		same "$program" "" "$PYTHON3" "$gpu/$program.py"
		test "$program" != torch_eager ||
			same "$program, no arguments" ";args=no" "$PYTHON3" "$gpu/$program.py"
		case $program in
		torch_eager | triton_kernel | cupy_arrays) alone "$program" "$PYTHON3" "$gpu/$program.py" ;;
		esac
	else
		skip 3 "no $module"
	fi
done

# What kernels are launched with. How many there are the driver tells by an error, which is in its own log once.
cat >"$tmp/parameters.py" <<'END'
import cupy, numpy
kernel = cupy.RawKernel('''struct three { int a[3]; };
extern "C" __global__ void own(long long a, float b, double *c, unsigned char d, three e)
{ *c = a + b + d + e.a[2]; }''', 'own')
result = cupy.zeros(1)
three = numpy.array([((1, 2, 3),)], dtype=numpy.dtype([('a', 'i4', 3)]))[0]
for number in range(3):
    kernel((1,), (1,), (0x1122334455667788 + number, numpy.float32(1), result, numpy.uint8(7), three))
    print('["0x%x","0x3f800000","0x%x","0x7","0x010000000200000003000000"]' % (0x1122334455667788 + number, result.data.ptr))
END
if "$PYTHON3" -c 'import cupy' >"$tmp/out" 2>&1; then
	CUDA_LOG_FILE=$tmp/cuda.log run "trace(args=kernel;file=$tmp/reports/%p.cutrace)" "$PYTHON3" "$tmp/parameters.py"
	"$top_builddir/bin/cuaudit" convert --to jsonl "$tmp"/reports/*.cutrace >"$tmp/calls"
	is "$(sed -n 's/.*"kernel":"own".*"kernelParams":\(\[.*\]\).*/\1/p' "$tmp/calls")" "$(cat "$tmp/out")" \
		"CuPy: a kernel's parameters"
	test -s "$tmp/cuda.log" || echo "paramIndex 5 outside" >"$tmp/cuda.log"
	is "$(grep -c 'paramIndex 5 outside' "$tmp/cuda.log")" 1 "CUDA's log has a word of it, if there is such a log"
else
	skip 2 "no CuPy"
fi
for program in torch_eager triton_kernel jax_jit; do
	if ! "$PYTHON3" -c "import ${program%%_*}" >"$tmp/out" 2>&1; then
		skip 1 "no ${program%%_*}"
		continue
	fi
	run "trace(args=kernel;file=$tmp/reports/%p.cutrace)" "$PYTHON3" "$gpu/$program.py"
	"$top_builddir/bin/cuaudit" convert --to jsonl "$tmp"/reports/*.cutrace | grep '"function":"cuLaunchKernel' >"$tmp/calls"
	# One that is not known has no key; one that is NULL has the other.
	is "$(wc -l <"$tmp/calls") launches, $(grep -vc '"kernelParams":\[\|"extra":\[' "$tmp/calls") not known" \
		"$(wc -l <"$tmp/calls") launches, 0 not known" "$program: what its kernels are launched with"
	diag "$(wc -l <"$tmp/calls") launches of $(sed -n 's/.*"kernel":"\([^"]*\)".*/\1/p' "$tmp/calls" | sort -u | wc -l) kernels"
done

done_testing
