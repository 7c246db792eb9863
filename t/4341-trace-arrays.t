# SPDX-License-Identifier: Apache-2.0
# Of arrays and texts no more is read than the driver has written.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helpers trace/libcuda.so.1 trace/arrays

# with HOOK: the status, and what was said
with() {
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	status=0
	audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="$1" "$tmp/arrays" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
	echo "$status $(cat "$tmp/err")"
}

is "$(with "trace(elements=100)")" "0 " "arrays end where they end"
"$top_builddir/bin/cuaudit" convert --to text -o - "$tmp"/traces/*.cutrace >"$tmp/text"
is "$(grep -o 'cu[A-Z].* = CUDA_SUCCESS' "$tmp/text" | sed 's/0x[0-9a-f]*/A/g')" "\
cuInit(Flags = 0) = CUDA_SUCCESS
cuLibraryEnumerateKernels(kernels = A, numKernels = 4294967295, lib = A) = CUDA_SUCCESS
cuModuleEnumerateFunctions(functions = A, numFunctions = 1000000, mod = A) = CUDA_SUCCESS
cuLibraryEnumerateKernels(kernels = A, numKernels = 2, lib = A) = CUDA_SUCCESS
cuDeviceGetPCIBusId(pciBusId = \"bbbb\", len = 4, dev = 0) = CUDA_SUCCESS
cuGraphGetNodes(hGraph = A, nodes = [A, A], numNodes = [2]) = CUDA_SUCCESS
cuGraphGetNodes(hGraph = A, nodes = [...], numNodes = [1000000]) = CUDA_SUCCESS
cuGraphGetNodes(hGraph = A, nodes = NULL, numNodes = [1000000]) = CUDA_SUCCESS
cuGraphAddDependencies(hGraph = A, from = [...], to = [...], numDependencies = 18446744073709551615) = CUDA_SUCCESS" \
	"and what is there is recorded"
is "$(with "trace(text=yes)")" "0 " "as text, too"
for hook in leak "limit(memory=1GiB)" "fault(inject=cuMemAlloc:error=2)" coverage stat; do
	is "$(with "$hook" | sed -n '1s/ .*//p')" 0 "$hook"
done
done_testing
