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
	under "driver" "device0=1GiB;count=allocations" "0 failed" "$tmp/limit"
# What a context takes is some hundred megabytes, of which the program is told as well; what is left can be had. On a
# thread's stack of 32 KiB, of which Python has a part. NVML is there once the context is, if it is wanted.
for row in ":True True True" ";count=all:True True True" ";count=allocations:False True False"; do
	under "a context, device0=4GiB${row%%:*}" "device0=4GiB${row%%:*}" "${row#*:}" "$PYTHON3" "$gpu/limit_context.py"
	is "$(grep -c "contexts, code and the driver's own" "$tmp/report.limit")" \
		"$(case $row in *allocations*) echo 0 ;; *) echo 1 ;; esac)" "... as the report has it"
	is "$(grep -v '^ok' "$tmp/err")" "" "... and nothing is said"
done
under "a context without a quota of memory" "share=50" "False True False" "$PYTHON3" "$gpu/limit_context.py"
if python_has torch; then
	for count in "" ";count=allocations"; do
		context=$(test "$count" && echo False || echo True)
		torch_wanted="told 4.0 context $context got True got True back True"
		under "torch$count" "device0=4GiB$count" "$torch_wanted" "$PYTHON3" "$gpu/limit_torch.py"
		under "torch, expandable segments$count" "device0=4GiB$count" "$torch_wanted" \
			PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "$PYTHON3" "$gpu/limit_torch.py"
		under "torch, the driver's pools$count" "device0=4GiB$count" "$torch_wanted" \
			PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync "$PYTHON3" "$gpu/limit_torch.py"
	done
	# device_count() asks NVML, which no hook of the driver's can tell anything.
	under "torch, no device" "visible=" "False" \
		"$PYTHON3" -c 'import torch; print(torch.cuda.is_available())'
else
	skip 14 "no torch"
fi
if python_has jax; then
	under "jax" "device0=4GiB" "sum 1048576.0 share True refused True" \
		"$PYTHON3" "$gpu/limit_jax.py"
else
	skip 2 "no jax"
fi
done_testing
