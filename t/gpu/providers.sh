# SPDX-License-Identifier: Apache-2.0
# providers.sh in a build directory, on a machine with a GPU or several: calls of NCCL and cuBLAS by
# CUAUDIT_PROVIDERS, and of a shared runtime by its bindings. Prints what was counted, and TAP.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpu=$top_srcdir/t/gpu
toolkit=${CUDA_HOME:-/usr/local/cuda}
nvcc=$toolkit/bin/nvcc
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# /'
gpus=$(grep -c '^GPU' "$tmp/gpus")
diag "GPUs: $gpus"

# run NAME [VARIABLE=VALUE...] COMMAND...: alone, then audited; the outputs are compared, lines in any order
run() {
	run_name=$1
	shift
	run_status=0
	rm -f "$tmp"/stat*
	env "$@" >"$tmp/alone" 2>"$tmp/err" || run_status=$?
	is "$run_status" 0 "$run_name: runs alone"
	sed 's/^/# alone: /' "$tmp/alone" "$tmp/err" | head -n 20
	run_status=0
	audited CUAUDIT_PROVIDERS="$providers" CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/stat-%p" "$@" \
		>"$tmp/out" 2>"$tmp/err" || run_status=$?
	is "$run_status" 0 "$run_name: ends well with providers"
	sed 's/^/# stderr: /' "$tmp/err" | head -n 20
	is "$(sort "$tmp/out")" "$(sort "$tmp/alone")" "$run_name: with the same output"
	counts | sed 's/^/# /' | head -n 60
}

# counts: "NAME CALLS NANOSECONDS" of functions of libraries, of all processes
counts() {
	"$PYTHON3" -c '
import collections, glob, json, sys
calls, times = collections.Counter(), collections.Counter()
for path in glob.glob(sys.argv[1]):
    for row in json.load(open(path))["functions"]:
        if ":" in row["name"]:
            calls[row["name"]] += row["calls"]
            times[row["name"]] += row["total_ns"] or 0
for name, number in calls.most_common():
    print(name, number, times[name])' "$tmp/stat-*"
}

# file PACKAGE PATH: where a package of PyPI, or the system, has that header
file() {
	"$PYTHON3" -c 'import importlib.util, os, sys
found = importlib.util.find_spec("nvidia")
for place in list(found.submodule_search_locations if found else []) + [sys.argv[3] + "/include", "/usr/include", "/usr/local/include"]:
    for path in sys.argv[1] + "/include/" + sys.argv[2], "cu13/include/" + sys.argv[2], sys.argv[2]:
        if os.path.exists(os.path.join(place, path)):
            sys.exit(print(os.path.join(place, path)))' "$1" "$2" "$toolkit"
}

# shown FILE...: the calls of ncclAllReduce in texts
shown() {
	cat "$@" | sed -n 's/^.*libnccl\.so\.2:\(ncclAllReduce(.*) = [A-Za-z0-9]*\).*/\1/p' | sort
}

# types: what a program gave ncclAllReduce on all GPUs is what is printed of it
types() {
	header=$(file nccl nccl.h)
	# PyPI's package of the runtime lacks what its headers include.
	runtime=$(file cuda_crt crt/host_config.h)
	runtime=${runtime%/crt/*}
	diag "$header, $runtime"
	"$top_builddir/bin/cuaudit" types --from "$header" --include "$runtime" -o "$tmp/nccl.types" 2>"$tmp/err"
	ok "nccl.h is read" test -s "$tmp/nccl.types"
	sed 's/^/# stderr: /' "$tmp/err"
	diag "$(grep -c '^function	nccl.*	e4 ncclResult_t' "$tmp/nccl.types") functions of ncclResult_t"
	run_status=0
	for how in text=yes "file=$tmp/nccl-%p.cutrace"; do
		audited CUAUDIT_TYPES="$tmp/nccl.types" CUAUDIT_PROVIDERS=libnccl.so.2 CUAUDIT_OUTPUT="$tmp/text-%p" \
			CUAUDIT_FUNCTIONS='libnccl.so.2:ncclAllReduce' CUAUDIT_HOOKS="trace($how)" \
			"$PYTHON3" "$gpu/nccl_calls.py" "$1" >"$tmp/out-${how%%=*}" 2>"$tmp/err" || run_status=$?
		is "$run_status" 0 "NCCL by its types, $1, ${how%%=*}: ends well"
		sed 's/^/# stderr: /' "$tmp/err" | head -n 20
	done
	is "$(grep -c ncclAllReduce "$tmp/out-text")" "$((4 * $1))" "NCCL by its types, $1: all were called"
	is "$(shown "$tmp"/text-*)" "$(sort "$tmp/out-text")" "NCCL by its types, $1: count, type, communicator, result"
	"$top_builddir/bin/cuaudit" convert --symbols no --to text "$tmp"/nccl-*.cutrace >"$tmp/lines"
	bytes "$1" "$tmp"/nccl-*.cutrace
	is "$(shown "$tmp/lines")" "$(sort "$tmp/out-file")" "NCCL by its types, $1: a trace has the same"
	rm -f "$tmp"/text-* "$tmp"/nccl-*.cutrace
	sed 's/^/# /' "$tmp/out-text"
	run_status=0
	audited CUAUDIT_TYPES="$tmp/nccl.types" CUAUDIT_PROVIDERS=libnccl.so.2 CUAUDIT_OUTPUT="$tmp/text-%p" \
		CUAUDIT_FUNCTIONS='libnccl.so.2:ncclAllReduce' CUAUDIT_HOOKS='trace(text=yes)' \
		"$PYTHON3" "$gpu/torch_nccl.py" "$1" >"$tmp/out" 2>"$tmp/err" || run_status=$?
	is "$run_status $(shown "$tmp"/text-* | grep -c 'count = 1048576, datatype = ncclFloat32, op = ncclSum, .* = ncclSuccess')" \
		"0 $((10 * $1))" "PyTorch, $1: ten of 4 MiB of floats in each process"
	is "$(for text in "$tmp"/text-*; do
		shown "$text" | sed -n 's/.*comm = \(0x[0-9a-f]*\),.*/\1/p' | sort -u
	done | grep -c .)" "$1" "PyTorch, $1: and one communicator in each"
	rm -f "$tmp"/text-*
}

# bytes WORLD TRACE...: the query of docs/providers.md says what nccl_calls.py gave, by type
bytes() {
	bytes_of=$1
	shift
	rm -f "$tmp/calls.sqlite"
	"$top_builddir/bin/cuaudit" convert --symbols no --to sqlite -o "$tmp/calls.sqlite" "$@"
	sed -n '/collectives.sql -->/,/<!-- end/p' "$top_srcdir/docs/providers.md" | sed '/^<!--/d' >"$tmp/collectives.sql"
	"$PYTHON3" -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(open(sys.argv[2]).read()):
    print(*row)' "$tmp/calls.sqlite" "$tmp/collectives.sql" >"$tmp/bytes"
	sed 's/^/# /' "$tmp/bytes"
	is "$(awk '{ calls[$2] += $4; bytes[$2] += $5; comms[$3] } END { for (type in calls) print type, calls[type], bytes[type]
		print length(comms) }' "$tmp/bytes" | sort)" "$(printf '%s\n' "$bytes_of" "ncclFloat16 $bytes_of $((131074 * bytes_of))" \
		"ncclFloat32 $bytes_of $((4194304 * bytes_of))" "ncclFloat64 $bytes_of $((8000 * bytes_of))" \
		"ncclInt64 $bytes_of $((24 * bytes_of))")" "NCCL by its types, $bytes_of: the query of bytes"
}

# gemm_types: a product of batches is printed with all 23 parameters of what cuBLAS is asked for
gemm_types() {
	header=$(file cublas cublas_api.h)
	kinds=$(file cuda_runtime library_types.h)
	diag "$header, $kinds"
	"$top_builddir/bin/cuaudit" types --from "$kinds" --from "$header" --include "${kinds%/*}" --include "$runtime" \
		-o "$tmp/cublas.types" 2>"$tmp/err"
	sed 's/^/# stderr: /' "$tmp/err" | head -n 20
	run_status=0
	audited CUAUDIT_TYPES="$tmp/cublas.types" CUAUDIT_PROVIDERS='libcublas.so.*' CUAUDIT_OUTPUT="$tmp/text-%p" \
		CUAUDIT_FUNCTIONS='libcublas.so.*:*' CUAUDIT_HOOKS='trace(text=yes)' "$PYTHON3" -c 'import torch
a = torch.ones(4, 8, 16, device="cuda", dtype=torch.half)
print(float(torch.bmm(a, a.transpose(1, 2)).sum()))' >"$tmp/out" 2>"$tmp/err" || run_status=$?
	is "$run_status $(cat "$tmp/out")" "0 4096.0" "cuBLAS by its types: the product is right"
	sed 's/^/# /' "$tmp"/text-* | head -n 20
	last='batchCount = 4, computeType = CUBLAS_COMPUTE_[0-9A-Z_]*, algo = CUBLAS_GEMM_[0-9A-Z_]*'
	like "$(cat "$tmp"/text-*)" "cublasGemmStridedBatchedEx\(handle = .*, $last\) = CUBLAS_STATUS_SUCCESS" \
		"cuBLAS by its types: all parameters, the last of them too"
	rm -f "$tmp"/text-*
}

python_has() {
	"$PYTHON3" -c "import $1" >"$tmp/import" 2>&1
}

providers='libnccl.so.2:libcublas.so.*'
if python_has torch && "$PYTHON3" -c 'import torch.distributed as d, sys; sys.exit(not d.is_nccl_available())'; then
	"$PYTHON3" -c 'import torch; print("# torch", torch.__version__, "NCCL", torch.cuda.nccl.version())'
	for world in 1 $(test "$gpus" -lt 2 || echo 2); do
		run "NCCL, $world" "$PYTHON3" "$gpu/torch_nccl.py" "$world"
		is "$(counts | sed -n 's/^libnccl.so.2:ncclAllReduce \([0-9]*\) .*/\1/p')" "$((10 * world))" \
			"NCCL, $world: ten ncclAllReduce in each process"
		ok "NCCL, $world: communicators were made" test "$(counts | grep -c 'libnccl.so.2:ncclCommInit')" -gt 0
		ok "NCCL, $world: cuBLAS multiplied" test "$(counts | grep -c '^libcublas.so.*[gG]emm')" -gt 0
	done
	types "$(test "$gpus" -lt 2 && echo 1 || echo 2)"
	gemm_types
	# Without types: count is the third word and the communicator the sixth.
	audited CUAUDIT_PROVIDERS="$providers" CUAUDIT_FUNCTIONS='libnccl.so.2:ncclAllReduce' CUAUDIT_HOOKS='trace(text=yes)' \
		"$PYTHON3" "$gpu/torch_nccl.py" 1 >"$tmp/out" 2>&1
	grep ncclAllReduce "$tmp/out" | head -n 5 | sed 's/^/# /'
	is "$(grep -c 'ncclAllReduce(0x[0-9a-f]*, 0x[0-9a-f]*, 0x100000, ' "$tmp/out")" 10 "a trace has the number of elements"
	status=0
	audited CUAUDIT_PROVIDERS="$providers" CUAUDIT_HOOKS='fault(inject=libnccl.so.2:ncclAllReduce:error=5:when=3)' \
		"$PYTHON3" "$gpu/torch_nccl.py" 1 >"$tmp/out" 2>&1 || status=$?
	tail -n 5 "$tmp/out" | sed 's/^/# /'
	ok "an answer of ncclInvalidUsage ends the program" test "$status" -ne 0
	audited CUAUDIT_PROVIDERS="$providers" CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/nccl-" \
		"$PYTHON3" "$gpu/torch_nccl.py" 1 >"$tmp/out" 2>&1
	"$top_builddir/bin/cuaudit" report --by tree "$tmp"/nccl-*trace | sed 's/^/# /' | head -n 60
else
	diag "no torch with NCCL: $(tail -n 1 "$tmp/import")"
	skip 18 "no torch with NCCL"
fi

if test -x "$nvcc"; then
	providers='libcublas.so.*'
	"$nvcc" -o "$tmp/gemm" "$gpu/gemm.cu" -lcublas && run "cuBLAS" "$tmp/gemm"
	ok "cuBLAS: it was called" test "$(counts | grep -c '^libcublas.so')" -gt 2
	"$nvcc" -cudart shared -o "$tmp/mallocs" "$gpu/mallocs.cu"
	for domains in runtime driver,runtime; do
		audited CUAUDIT_DOMAINS=$domains CUAUDIT_HOOKS='fault(inject=libcudart.so.*:cudaMalloc:error=2:when=2)' \
			"$tmp/mallocs" >"$tmp/out" 2>"$tmp/err"
		sed 's/^/# /' "$tmp/out" "$tmp/err"
		is "$(cat "$tmp/out")" "cudaMalloc 0 pointer
cudaMalloc 2 nothing
cudaMalloc 0 pointer" "$domains: the second cudaMalloc of a shared runtime is answered"
	done
	audited CUAUDIT_DOMAINS=runtime CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/shared" "$tmp/mallocs" >"$tmp/out" 2>&1
	is "$("$PYTHON3" -c '
import json, sys
print(*sorted("%s %d" % (row["name"], row["calls"]) for row in json.load(open(sys.argv[1]))["functions"]))' "$tmp/shared")" \
		"cudaFree 3 cudaMalloc 3" "shared: each call once"
else
	skip 7 "no nvcc"
fi
diag "calls of the runtime beside CUPTI's, static and shared: sh t/gpu/runtime.sh"
done_testing
