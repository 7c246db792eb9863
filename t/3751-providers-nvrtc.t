# SPDX-License-Identifier: Apache-2.0
# CUAUDIT_PROVIDERS: NVRTC of a toolkit, which needs no GPU to compile.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"
nvrtc=
for library in "${CUDA_HOME:-/usr/local/cuda}"/lib64/libnvrtc.so; do
	test ! -e "$library" || nvrtc=$library
done
test -n "$nvrtc" || skip_all "no NVRTC"
cat >"$tmp/compiles.c" <<'C'
#include <stdio.h>

int nvrtcCreateProgram(void **made, const char *source, const char *name, int nheaders, const char *const *headers,
		       const char *const *names);
int nvrtcCompileProgram(void *program, int noptions, const char *const *options);
int nvrtcGetPTXSize(void *program, size_t *size);
int nvrtcDestroyProgram(void **program);

int main(void)
{
	void *right, *wrong;
	size_t size = 0;

	if (nvrtcCreateProgram(&right, "extern \"C\" __global__ void k(float *x) { x[0] = 1; }", "k.cu", 0, NULL, NULL) ||
	    nvrtcCreateProgram(&wrong, "kernel", "w.cu", 0, NULL, NULL))
		return 1;
	printf("%d %d\n", nvrtcCompileProgram(right, 0, NULL), nvrtcCompileProgram(wrong, 0, NULL));
	printf("%d %d\n", nvrtcGetPTXSize(right, &size), size > 100);
	return nvrtcDestroyProgram(&right) || nvrtcDestroyProgram(&wrong);
}
C
compile -o "$tmp/compiles" "$tmp/compiles.c" "$nvrtc" -Wl,-rpath,"${nvrtc%/*}" || bail_out "cannot link with $nvrtc"
status=0
$run_env timeout 300 "$tmp/compiles" >"$tmp/alone" 2>&1 || status=$?
is "$status $(head -n 1 "$tmp/alone")" "0 0 6" "a program compiles one kernel, and not another one"
status=0
audited CUAUDIT_PROVIDERS='libnvrtc.so.*' CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/counts" timeout 300 \
	"$tmp/compiles" >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/out" "$tmp/err")" "0 $(cat "$tmp/alone")" "... as well with its calls hooked"
is "$("$PYTHON3" -c '
import json, sys
for row in json.load(open(sys.argv[1]))["functions"]:
    print(row["name"].split(":")[1], row["calls"])' "$tmp/counts" | sort)" "nvrtcCompileProgram 2
nvrtcCreateProgram 2
nvrtcDestroyProgram 2
nvrtcGetPTXSize 1" "... and counted"
audited CUAUDIT_PROVIDERS='libnvrtc.so.*' CUAUDIT_HOOKS='fault(inject=libnvrtc.so.*:nvrtcCompileProgram:error=5)' timeout 300 \
	"$tmp/compiles" >"$tmp/out" 2>"$tmp/err"
is "$(head -n 1 "$tmp/out")" "5 5" "... or answered for"
done_testing
