# SPDX-License-Identifier: Apache-2.0
# Typed arguments, printing and replacement, in hooks of running programs.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

typed=$top_srcdir/t/typed
fake_driver
mkdir "$tmp/other" && cp "$tmp/libcuda.so.1" "$tmp/other/"
CORE=$top_builddir/lib/cuaudit/cuaudit-core.so
export CORE
helpers typed/calls typed/hooks
helper typed/hooks-ndebug -DNDEBUG
helper typed/hooks-debug -DNDEBUG-DCUAUDIT_DEBUG

# hooked WHICH [LIBRARY [ARGUMENT]]: what the program says with these hooks.
hooked() {
	hooked_status=0
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS= HOOKS="$1" "$tmp/calls" \
		"$tmp/${2-hooks}" "$tmp/other/libcuda.so.1" ${3-} >"$tmp/out" 2>"$tmp/err" ||
		hooked_status=$?
}

hooked edit
is "$(cat "$tmp/out")" "cuMemAlloc_v2 0 17, 1 calls
the second driver's 0 33, 1 calls of the first
cuStreamQuery 600
cuTexRefSetMipmapLevelClamp 0
cuIpcOpenMemHandle_v2 1 17
cuLaunchKernel 1" "typed arguments are read and edited"
is "$hooked_status $(cat "$tmp/err")" "0 " "and nothing else happens"

message="cuaudit: a hook reads the arguments of cuStreamQuery as those of cuMemAlloc_v2"
for library in hooks -DNDEBUG-DCUAUDIT_DEBUG; do
	hooked wrong "$library"
	like "$(cat "$tmp/err")" "$message" "$library: another function's view is told"
	ok "$library: and the end" test "$hooked_status" -eq 134
	unlike "$(cat "$tmp/out")" "cuStreamQuery" "$library: before the call"
done
hooked wrong -DNDEBUG
is "$hooked_status $(cat "$tmp/err")" "0 " "nobody checks with NDEBUG"
like "$(cat "$tmp/out")" "cuLaunchKernel 1" "the program goes on"

hooked print
sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g' "$tmp/out" >"$tmp/printed"
is "$(cat "$tmp/printed")" \
"before cuMemAlloc_v2(dptr = ADDRESS, bytesize = 16)
after cuMemAlloc_v2(dptr = [0x10], bytesize = 16) = CUDA_SUCCESS
CUdeviceptr * dptr 2 0 1 = [0x10]
size_t bytesize 0 1 1 = 16
cuMemAlloc_v2 0 16, 1 calls
before cuMemAlloc_v2(dptr = ADDRESS, bytesize = 32)
after cuMemAlloc_v2(dptr = [0x20], bytesize = 32) = CUDA_SUCCESS
CUdeviceptr * dptr 2 0 1 = [0x20]
size_t bytesize 0 1 1 = 32
the second driver's 0 32, 1 calls of the first
before cuStreamQuery(hStream = stream#1)
after cuStreamQuery(hStream = stream#1) = CUDA_ERROR_NOT_READY
cuStreamQuery 600
before cuCtxGetCurrent(pctx = 0x8)
after cuCtxGetCurrent(pctx = 0x8) = CUDA_SUCCESS
cuCtxGetCurrent 0
before cuIpcOpenMemHandle_v2(pdptr = 0x10, handle = {...}, Flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
after cuIpcOpenMemHandle_v2(pdptr = 0x10, handle = {...}, Flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) = CUDA_ERROR_INVALID_VALUE
cuIpcOpenMemHandle_v2 1
before cuLaunchKernel(f = function#1, gridDim = (2, 3, 4), blockDim = (5, 6, 7), sharedMemBytes = 8, hStream = stream#2, kernelParams = 0xa, extra = 0xb)
after cuLaunchKernel(f = function#1, gridDim = (2, 3, 4), blockDim = (5, 6, 7), sharedMemBytes = 8, hStream = stream#2, kernelParams = 0xa, extra = 0xb) = CUDA_SUCCESS
cuLaunchKernel 0" "calls are printed, bad addresses among them"
is "$hooked_status $(cat "$tmp/err")" "0 " "and nothing else happens"
hooked print hooks forbidden
sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g' "$tmp/out" >"$tmp/forbidden"
ok "the same where reading by system call is forbidden" diff "$tmp/printed" "$tmp/forbidden"
is "$hooked_status $(cat "$tmp/err")" "0 " "and nothing else happens"

hooked replace
is "$(cat "$tmp/out")" "cuMemAlloc_v2 0 1023, 1 calls
the second driver's 0 1039, 1 calls of the first
cuStreamQuery 600
cuTexRefSetMipmapLevelClamp 0
cuIpcOpenMemHandle_v2 0 5
cuLaunchKernel 0" "replacements take all kinds of arguments, and call their own driver"
is "$hooked_status $(cat "$tmp/err")" "0 " "and nothing else happens"

helper typed/twin
ok "per-thread twins" audited LD_LIBRARY_PATH="$simdir" CUAUDIT_HOOKS= HOOKS=twin \
	"$tmp/twin" "$tmp/hooks"
is "$(cat "$tmp/tap.out")" "!!?#" "have their functions' views"
done_testing
