# SPDX-License-Identifier: Apache-2.0
# The simulated driver with the toolkit's own runtime, linked statically: it does not start, and says so.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
test -x "$nvcc" || skip_all "no nvcc"
cat >"$tmp/program.cu" <<'END'
#include <cstdio>
int main()
{
	void *pointer;
	bool well = !cudaMalloc(&pointer, 4096);

	printf("%s\n", well ? "memory" : "none");
	return 0;
}
END
"$nvcc" -o "$tmp/program" "$tmp/program.cu" >"$tmp/build.out" 2>&1 || bail_out "$(cat "$tmp/build.out")"
for tools in 0 1; do
	status=0
	CUAUDIT_SIM_TOOLS=$tools LD_LIBRARY_PATH="$top_builddir/lib/cuaudit/sim" timeout 300 "$tmp/program" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
	is "$status $(cat "$tmp/out")" "0 none" "CUAUDIT_SIM_TOOLS=$tools: the runtime refuses the driver, and the program ends"
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_SIM_TOOLS=$tools CUAUDIT_DOMAINS=driver,runtime,tables CUAUDIT_OUTPUT="$tmp/counts" \
		timeout 300 "$tmp/program" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/out")" "0 none" "... audited as well"
done
done_testing
