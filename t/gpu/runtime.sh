# SPDX-License-Identifier: Apache-2.0
# runtime.sh [cost] in a build directory, on a machine with a GPU: calls of the runtime, as stat and as CUPTI's
# callbacks count them in the same process. Prints both, and TAP; at the end what a call costs; cost: that alone.
# CUPTI_LIBRARY: CUPTI, if it is not found beside the toolkit or Python's nvidia packages.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpu=$top_srcdir/t/gpu
toolkit=${CUDA_HOME:-/usr/local/cuda}
nvcc=$toolkit/bin/nvcc
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# /'

headers=
for directory in "$toolkit/include" "$toolkit/extras/CUPTI/include" \
	$("$PYTHON3" -c 'import nvidia, os
for root in nvidia.__path__:
    for directory, _, files in os.walk(root):
        if "cupti.h" in files:
            print(directory)' 2>"$tmp/none"); do
	test -n "$headers" || test ! -r "$directory/cupti.h" || headers=$directory
done
test -n "$headers" || skip_all "no headers of CUPTI"
compile -shared -fPIC -I"$headers" -I"$toolkit/include" -o "$tmp/cupti_runtime.so" "$gpu/cupti_runtime.c" ||
	skip_all "the subscriber cannot be built"
for library in "$toolkit"/lib64/libcupti.so* "$toolkit"/extras/CUPTI/lib64/libcupti.so* \
	$("$PYTHON3" -c 'import nvidia, os
for root in nvidia.__path__:
    for directory, _, files in os.walk(root):
        for name in sorted(files):
            if name.startswith("libcupti.so"):
                print(os.path.join(directory, name))' 2>"$tmp/none"); do
	test -n "${CUPTI_LIBRARY:-}" || test ! -r "$library" || CUPTI_LIBRARY=$library
done
test -n "${CUPTI_LIBRARY:-}" || skip_all "no library of CUPTI"
export CUPTI_LIBRARY
diag "CUPTI: $CUPTI_LIBRARY"

# ours FILE...: "NAME CALLS" of the runtime's functions in stat's JSON
ours() {
	"$PYTHON3" -c '
import json, sys
for path in sys.argv[1:]:
    for row in json.load(open(path))["functions"]:
        if row["name"].lstrip("_").startswith("cuda"):
            print(row["name"], row["calls"])' "$@" | summed
}

# By name: CUPTI has a number for each version.
summed() {
	awk '{ calls[$1] += $2 } END { for (name in calls) print name, calls[name] }' | sort
}

# same FILE FILE WHAT: the counts, but for functions that $silent names, which runtimes do not report at first
same() {
	is "$(grep -v "^\(${silent:-none}\) " "$1")" "$(grep -v "^\(${silent:-none}\) " "$2")" "$3"
}

domains=driver,runtime
hooks=
# both NAME COMMAND...: the program alone, with stat, and with both; the counts are compared. $silent: see same;
# $varies: what is called differs from run to run; $hooks: besides stat
both() {
	both_name=$1
	shift
	both_status=0
	rm -f "$tmp"/stat* "$tmp"/counts*
	"$@" >"$tmp/alone" 2>"$tmp/err" || both_status=$?
	is "$both_status" 0 "$both_name: runs alone"
	both_status=0
	audited CUAUDIT_DOMAINS="$domains" CUAUDIT_HOOKS="stat(format=json)$hooks" CUAUDIT_OUTPUT="$tmp/stat-%p" "$@" \
		>"$tmp/out" 2>"$tmp/err" || both_status=$?
	is "$both_status" 0 "$both_name: ends well with stat"
	is "$(sort "$tmp/out")" "$(sort "$tmp/alone")" "$both_name: with the same output"
	sed 's/^/# stderr: /' "$tmp/err" | head -n 10
	ours "$tmp"/stat-* >"$tmp/without"
	rm -f "$tmp"/stat-* "$tmp"/*.cutrace
	both_status=0
	audited CUAUDIT_DOMAINS="$domains" CUAUDIT_HOOKS="stat(format=json)$hooks" CUAUDIT_OUTPUT="$tmp/stat-%p" \
		CUDA_INJECTION64_PATH="$tmp/cupti_runtime.so" CUPTI_COUNTS="$tmp/counts" "$@" \
		>"$tmp/out" 2>"$tmp/err" || both_status=$?
	is "$both_status" 0 "$both_name: ends well with stat and CUPTI"
	sed 's/^/# stderr: /' "$tmp/err" | head -n 10
	ours "$tmp"/stat-* >"$tmp/ours"
	cat "$tmp"/counts.* | summed >"$tmp/theirs"
	join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$tmp/ours" "$tmp/theirs" |
		awk '{ printf "# %-40s cuaudit %8d  CUPTI %8d%s\n", $1, $2, $3, $2 == $3 ? "" : "  differs" }'
	ok "$both_name: calls of the runtime are seen" test -s "$tmp/ours"
	same "$tmp/ours" "$tmp/theirs" "$both_name: as many calls of each function as CUPTI has"
	if test -z "${varies-}"; then
		is "$(cat "$tmp/without")" "$(cat "$tmp/ours")" "$both_name: as many without CUPTI"
	fi
	diag "$both_name: $(awk '{ n += $2 } END { print n + 0 }' "$tmp/without") calls without CUPTI," \
		"$(awk '{ n += $2 } END { print n + 0 }' "$tmp/ours") with it"
}

python_has() {
	"$PYTHON3" -c "import $1" >"$tmp/import" 2>&1
}

# cost NAME COMMAND...: nanoseconds of cudaGetDevice and cudaEventQuery; the first's in $device
cost() {
	cost_name=$1
	shift
	cost_line=$("$@" 2>&1 | grep '^[0-9.]* [0-9.]*$')
	device=${cost_line%% *}
	diag "$(printf '%-44s %s' "$cost_name" "$cost_line")"
}

# What a call costs, in three rounds; of cudaGetDevice, above one that nobody sees, no more than a third of CUPTI's.
costs() {
	quiet="CUAUDIT_OUTPUT=$tmp/quiet"
	third=
	test -x "$nvcc" || {
		skip 2 "no nvcc"
		return
	}
	ok "what is timed is built" "$nvcc" -o "$tmp/cost" "$gpu/runtime_cost.cu"
	compile -shared -fPIC -I"$top_srcdir" -o "$tmp/runtime_empty.so" "$gpu/runtime_empty.c" -ldl
	for round in 1 2 3; do
		diag "round $round, ns a call: cudaGetDevice cudaEventQuery"
		cost "plain" "$tmp/cost"
		third="$third $device"
		cost "audited, driver: counted" audited "$quiet" CUAUDIT_HOOKS='stat(clock=no)' "$tmp/cost"
		cost "audited, driver and runtime: counted" audited "$quiet" CUAUDIT_DOMAINS=driver,runtime \
			CUAUDIT_HOOKS='stat(clock=no)' "$tmp/cost"
		cost "audited, runtime: counted" audited "$quiet" CUAUDIT_DOMAINS=runtime CUAUDIT_HOOKS='stat(clock=no)' "$tmp/cost"
		third="$third $device"
		cost "audited, runtime: timed" audited "$quiet" CUAUDIT_DOMAINS=runtime CUAUDIT_HOOKS=stat "$tmp/cost"
		cost "reported to nobody" env LD_PRELOAD="$tmp/runtime_empty.so" "$tmp/cost"
		cost "reported, counted by function" env LD_PRELOAD="$tmp/runtime_empty.so" RUNTIME_COUNTS=1 "$tmp/cost"
		cost "CUPTI, an empty callback" env CUDA_INJECTION64_PATH="$tmp/cupti_runtime.so" "$tmp/cost"
		cost "CUPTI, counted by function" env CUDA_INJECTION64_PATH="$tmp/cupti_runtime.so" \
			CUPTI_COUNTS="$tmp/counted" "$tmp/cost"
		third="$third $device"
		test -z "$nsys" || cost "nsys" "$nsys" profile -t cuda -s none --cpuctxsw=none -f true -o "$tmp/tool" "$tmp/cost" 200
	done
	third=$(echo "$third" | awk '{
		for (i = 1; i <= NF; i++)
			least[i % 3] = i <= 3 || $i < least[i % 3] ? $i : least[i % 3]
		part = least[0] > least[1] ? (least[2] - least[1]) / (least[0] - least[1]) : 9
		printf "%s, %.1f percent of a callback of CUPTI that counts as well", part <= 1 / 3 ? "GOOD" : "BAD", 100 * part
	}')
	diag "COST: $third"
	like "$third" '^GOOD' "a call that is counted costs a third of a callback of CUPTI"
}

nsys=$(command -v "${NSYS:-nsys}" || ls "$toolkit"/bin/nsys /opt/nvidia/nsight-systems/*/bin/nsys 2>"$tmp/none" | head -n 1)
ncu=$(command -v ncu || ls "$toolkit"/bin/ncu 2>"$tmp/none")
sanitizer=$(command -v compute-sanitizer || ls "$toolkit"/bin/compute-sanitizer 2>"$tmp/none")
if test "${1-}" = cost; then
	costs
	done_testing
	exit
fi
if test -x "$nvcc"; then
	"$nvcc" -o "$tmp/saxpy_static" "$gpu/saxpy.cu" && both "saxpy, static cudart" "$tmp/saxpy_static"
	cp "$tmp/ours" "$tmp/of_static"
	audited CUAUDIT_DOMAINS=runtime CUAUDIT_HOOKS='trace(text=yes)' "$tmp/saxpy_static" >"$tmp/out" 2>&1
	grep ' cuda[A-Z]' "$tmp/out" | sed 's/^/# /'
	for given in '2 cudaMalloc\(devPtr = 0x[0-9a-f]*, size = 262144\) = cudaSuccess' \
		'2 cudaMemcpy\(dst = 0x[0-9a-f]*, src = 0x[0-9a-f]*, count = 262144, kind = 1\) = cudaSuccess' \
		'1 cudaMemcpy\(dst = 0x[0-9a-f]*, src = 0x[0-9a-f]*, count = 262144, kind = 2\) = cudaSuccess' \
		'1 cudaLaunchKernel\(func = 0x[0-9a-f]*, gridDim = 0x100000100:0x1, blockDim = 0x100000100:0x1, .*\) = cudaSuccess'; do
		is "$(grep -c -E "${given#* }" "$tmp/out")" "${given%% *}" "saxpy, static cudart, parameters: ${given#* }"
	done
	"$nvcc" -cudart shared -o "$tmp/saxpy_shared" "$gpu/saxpy.cu" && both "saxpy, shared cudart" "$tmp/saxpy_shared"
	is "$(cat "$tmp/ours")" "$(cat "$tmp/of_static")" "saxpy: as many calls of the shared cudart as of the static one"
	"$nvcc" -o "$tmp/gemm" "$gpu/gemm.cu" -lcublas && both "cuBLAS" "$tmp/gemm"
	# A call that is made by libcublas is its own, though it has a cudart inside.
	audited CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/gemm-" "$tmp/gemm" >"$tmp/out" 2>&1
	"$top_builddir/bin/cuaudit" report --by tree "$tmp"/gemm-*trace | sed 's/^/# /'
else
	skip 26 "no nvcc"
fi
# Other tools have their own subscribers and injections.
# beside NAME PROGRAM COMMAND...: what the tool runs has the same output; and what is counted beside it
beside() {
	beside_name=$1
	beside_program=$2
	shift 2
	rm -f "$tmp"/stat* "$tmp"/tool*
	beside_status=0
	audited CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/stat-%p" \
		"$@" "$tmp/$beside_program" >"$tmp/out" 2>"$tmp/err" || beside_status=$?
	is "$beside_status $(grep -c -x -F "$("$tmp/$beside_program")" "$tmp/out")" "0 1" \
		"$beside_program beside $beside_name: the same output"
	grep -h '^cuaudit' "$tmp/out" "$tmp/err" | sort | uniq -c | sed 's/^/# /'
	ours "$tmp"/stat-* | sed 's/^/# /'
	ours "$tmp"/stat-* >"$tmp/ours"
	is "$(cat "$tmp/ours")" "$(cat "$tmp/of_static")" "$beside_program beside $beside_name: as many calls as without it"
}

for program in saxpy_static saxpy_shared; do
	test -x "$tmp/$program" || continue
	if test -n "$nsys"; then
		beside nsys "$program" "$nsys" profile -t cuda,nvtx -s none --cpuctxsw=none -f true -o "$tmp/tool"
		"$nsys" export -t sqlite -f true -o "$tmp/tool.sqlite" "$tmp/tool.nsys-rep" >"$tmp/out" 2>&1
		"$PYTHON3" -c '
import re, sqlite3, sys
for name, calls in sqlite3.connect(sys.argv[1]).execute("SELECT value, count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME, StringIds"
        " WHERE nameId = StringIds.id GROUP BY value"):
    if name.startswith("cuda"):
        print(re.sub("_v[0-9]*$", "", name), calls)' "$tmp/tool.sqlite" | summed >"$tmp/theirs"
		sed 's/^/# nsys has /' "$tmp/theirs"
		is "$(join -o 0,1.2 "$tmp/ours" "$tmp/theirs")" "$(cat "$tmp/theirs")" "$program: nsys has seen as many of each that it has"
	fi
	test -z "$ncu" || beside ncu "$program" "$ncu" --set none --metrics gpu__time_duration.sum
	test -z "$sanitizer" || beside compute-sanitizer "$program" "$sanitizer" --tool memcheck
done
if python_has torch; then
	both "PyTorch" "$PYTHON3" "$gpu/torch_eager.py"
	audited CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/torch-" "$PYTHON3" \
		"$gpu/torch_eager.py" >"$tmp/out" 2>&1
	"$top_builddir/bin/cuaudit" report --by tree "$tmp"/torch-*trace | sed 's/^/# /' | head -n 60
	both "cuDNN" "$PYTHON3" "$gpu/torch_conv.py"
	audited CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/conv-" "$PYTHON3" \
		"$gpu/torch_conv.py" >"$tmp/out" 2>&1
	"$top_builddir/bin/cuaudit" report --by tree "$tmp"/conv-*trace >"$tmp/tree"
	grep -A 12 'libcudnn' "$tmp/tree" | sed 's/^/# /' | head -n 40
	like "$(grep -A 1 'libcudnn' "$tmp/tree")" ' cuda[A-Z]' "cuDNN: its own calls of the runtime are its own"
	if test "$(grep -c '^GPU' "$tmp/gpus")" -gt 1; then
		varies=yes
		both "NCCL on two GPUs" "$PYTHON3" "$gpu/torch_nccl.py" 2
		domains=driver,runtime,tables
		hooks=",trace(args=kernel;backtrace=%launch;python=%driver;file=$tmp/nccl-%p.cutrace)"
		export CUAUDIT_PROVIDERS='libnccl.so.2:libcublas.so.*' NVTX_INJECTION64_PATH="${LIBCUAUDIT%/*}/cuaudit/libcuaudit-nvtx.so"
		both "NCCL on two GPUs, all of it recorded" "$PYTHON3" "$gpu/torch_nccl.py" 2
		unset CUAUDIT_PROVIDERS NVTX_INJECTION64_PATH
		test -z "${RUNTIME_TRACES-}" || cp "$tmp"/nccl-*.cutrace "$RUNTIME_TRACES"
		varies= domains=driver,runtime hooks=
	else
		diag "one GPU: NCCL on two is not compared"
	fi
else
	skip 15 "no torch"
fi
if python_has jax; then
	# It does not initialize its runtime, which reports nothing until something does: only the binding tells.
	silent=cudaRuntimeGetVersion
	both "JAX" "$PYTHON3" "$gpu/jax_jit.py"
	silent=
else
	skip 7 "no jax"
fi

costs
done_testing
