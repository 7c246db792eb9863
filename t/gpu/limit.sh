# SPDX-License-Identifier: Apache-2.0
# limit.sh in a build directory, on a machine with a GPU: the limit hook there. Prints TAP.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpu=$top_srcdir/t/gpu
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"

# under NAME OPTIONS WANTED COMMAND...: what it prints, then the report
under() {
	under_name=$1
	under_options=$2
	under_wanted=$3
	shift 3
	under_status=0
	audited CUAUDIT_HOOKS="limit($under_options)" CUAUDIT_OUTPUT="$tmp/report" "$@" \
		>"$tmp/out" 2>"$tmp/err" || under_status=$?
	sed 's/^/# /' "$tmp/out" "$tmp/report.limit"
	is "$under_status" 0 "$under_name: ends well"
	is "$(grep -v '^ok' "$tmp/out" | paste -s -d ' ')" "$under_wanted" "$under_name: as wanted"
}

python_has() {
	"$PYTHON3" -c "import $1" >"$tmp/import" 2>&1
}

driver=$(ldconfig -p | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)
compile -o "$tmp/limit" "$gpu/limit.c" "${driver:-/usr/local/nvidia/lib64/libcuda.so.1}" &&
	under "driver" "device0=1GiB" "0 failed" "$tmp/limit"
# What a context takes is some hundred megabytes, of which the program is told as well.
under "count=all" "device0=4GiB;count=all" "True" "$PYTHON3" -c '
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
context, free, total = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
cuda.cuInit(0) or cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
print(total.value == 4 << 30 and 50 << 20 < total.value - free.value < 2 << 30)'
if python_has torch; then
	under "torch" "device0=4GiB" "told 4.0 got True got True back True" \
		"$PYTHON3" "$gpu/limit_torch.py"
	under "torch, expandable segments" "device0=4GiB" "told 4.0 got True got True back True" \
		PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "$PYTHON3" "$gpu/limit_torch.py"
	under "torch, the driver's pools" "device0=4GiB" "told 4.0 got True got True back True" \
		PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync "$PYTHON3" "$gpu/limit_torch.py"
	# device_count() asks NVML, which no hook of the driver's can tell anything.
	under "torch, no device" "visible=" "False" \
		"$PYTHON3" -c 'import torch; print(torch.cuda.is_available())'
else
	skip 8 "no torch"
fi
if python_has jax; then
	under "jax" "device0=4GiB" "sum 1048576.0 share True refused True" \
		"$PYTHON3" "$gpu/limit_jax.py"
else
	skip 2 "no jax"
fi
done_testing
