# SPDX-License-Identifier: Apache-2.0
# dbgmem.sh in a build directory, on a machine with a GPU: what dbgmem says of each kind of memory, and
# what PyTorch costs with it. Prints each finding, and the mappings of what it was told wrong, and TAP.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpu=$top_srcdir/t/gpu
nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# /'
uname -r | sed 's/^/# Linux /'

# checked LIBRARIES ACTION COMMAND...: $status, $tmp/out, $tmp/err
checked() {
	checked_hooks="dbgmem(libraries=$1;action=$2)"
	shift 2
	status=0
	audited CUAUDIT_DOMAINS=driver,libc CUAUDIT_HOOKS="$checked_hooks" timeout 300 "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	diag "$checked_hooks $*: status $status"
	sed 's/^/# out: /' "$tmp/out" | tail -n 8
	sed 's/^/# err: /' "$tmp/err" | head -n 20
}

# timed NAME COMMAND...: its seconds
timed() {
	timed_name=$1
	shift
	timed_begun=$(date +%s%N)
	"$@" >"$tmp/none" 2>&1 || :
	diag "$timed_name $(($(date +%s%N) / 1000000 - timed_begun / 1000000)) ms"
}

if test -x "$nvcc" && "$nvcc" -Xcompiler -fno-builtin -o "$tmp/memory" "$gpu/dbgmem.cu"; then
	for kind in managed pinned registered; do
		checked '(main)' abort "$tmp/memory" $kind
		is "$status $(cat "$tmp/out")" "0 came through, first byte 7" "$kind: is fine to copy"
		is "$(cat "$tmp/err")" "" "$kind: nothing is said"
	done
	for kind in device inside; do
		checked '(main)' abort "$tmp/memory" $kind
		is "$status" 134 "$kind: aborted"
		like "$(cat "$tmp/err")" 'memcpy of 4 KiB by .*: source 0x[0-9a-f]* is 4 MiB of device memory .*allocated in cuMemAlloc' \
			"$kind: is named"
		checked '(main)' report "$tmp/memory" $kind
		is "$status" 139 "$kind: the processor cannot come at it"
	done
	for kind in freed freed-pool; do
		checked '(main)' report "$tmp/memory" $kind
		like "$(cat "$tmp/err")" 'source 0x[0-9a-f]* is freed: 4 MiB of .*, freed in cuMem' "$kind: is named"
	done
	# The driver may keep host memory that is freed mapped: then nothing is wrong for a copy.
	for kind in freed-pinned freed-managed; do
		checked '(main)' report "$tmp/memory" $kind
		if test "$status" -eq 0; then
			is "$(cat "$tmp/err")" "" "$kind: can be copied, and nothing is said"
			diag "$kind: the driver keeps it mapped"
			continue
		fi
		like "$(cat "$tmp/err")" 'source 0x[0-9a-f]* is freed: 4 MiB of .*, freed in cuMem.*, and is (not mapped|memory without access)' "$kind: is named"
	done
	for kind in pinned managed; do
		checked '(main)' abort "$tmp/memory" overlap-$kind
		is "$status" 134 "overlap-$kind: aborted"
		like "$(cat "$tmp/err")" 'source 0x[0-9a-f]* and destination 0x[0-9a-f]* overlap; use memmove; the source is in 1 MiB of .* memory' \
			"overlap-$kind: is named"
		checked '(main)' report "$tmp/memory" overlap-$kind
		is "$status $(cat "$tmp/out")" "0 came through, first byte 7" "overlap-$kind: goes on"
	done
	for kind in past past-registered; do
		checked '(main)' abort "$tmp/memory" $kind
		is "$status" 134 "$kind: aborted"
		like "$(cat "$tmp/err")" 'memcpy of 4 KiB by .*: source 0x[0-9a-f]*fc4 is .*past the end of a mapping: after 60 bytes nothing is mapped' \
			"$kind: is named"
	done
else
	skip 26 "no nvcc"
fi

if "$PYTHON3" -c 'import torch' >"$tmp/import" 2>&1; then
	checked '_ctypes*:(main)' abort "$PYTHON3" "$gpu/dbgmem_torch.py"
	is "$status $(cat "$tmp/out")" "134 pinned came through" "PyTorch: the address of a tensor"
	like "$(cat "$tmp/err")" 'memmove of 4 KiB by .* at .*dbgmem_torch.py:12: source .* device memory .* at .*dbgmem_torch.py:7' \
		"PyTorch: both lines of Python"
	"$PYTHON3" "$gpu/torch_eager.py" >"$tmp/alone" 2>&1
	checked 'libtorch*' abort "$PYTHON3" "$gpu/torch_eager.py"
	is "$status $(cat "$tmp/out")" "0 $(cat "$tmp/alone")" "PyTorch: the same output with libtorch*"
	is "$(cat "$tmp/err")" "" "PyTorch: and nothing is said"
	for round in 1 2 3; do
		diag "round $round: alone, then with libtorch*"
		timed alone "$PYTHON3" "$gpu/torch_eager.py"
		timed checked audited CUAUDIT_DOMAINS=driver,libc CUAUDIT_HOOKS='dbgmem(libraries=libtorch*)' "$PYTHON3" \
			"$gpu/torch_eager.py"
	done
else
	skip 4 "no torch"
fi
if command -v "$CC" >"$tmp/none"; then
	for name in plain checked; do
		printf '%s\n' '#include <string.h>' 'void bench_copy(void *to, const void *from, size_t size, long times)' \
			'{ while (times--) memcpy(to, from, size); }' |
			$CC -O2 -w -fno-builtin -fPIC -shared -o "$tmp/libcopy$name.so" -x c -
	done
	$CC -O2 -w -o "$tmp/dbgmem" "$top_srcdir/t/bench/dbgmem.c" -ldl
	for round in 1 2 3; do
		checked libcopychecked.so abort "$tmp/dbgmem" "$tmp/libcopyplain.so" "$tmp/libcopychecked.so"
	done
fi
done_testing
