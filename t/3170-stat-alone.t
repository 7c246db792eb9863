# SPDX-License-Identifier: Apache-2.0
# Statistics without another hook: what a program is answered, which errors there were, who called.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

command -v jq >/dev/null 2>&1 || skip_all "no jq"
compile -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$tmp/libcuda.so.1" "$top_srcdir/t/trace/driver.c" \
	-Wl,--no-as-needed -ldl &&
	compile -o "$tmp/args" "$top_srcdir/t/trace/args.c" -L"$tmp" -l:libcuda.so.1 \
		-Wl,-rpath,"$tmp" || bail_out "no test program"
for letter in a b; do
	compile -O1 -fPIC -shared -DSWAPPED -fno-optimize-sibling-calls -o "$tmp/lib$letter.so" \
		"$top_srcdir/t/trace/swap.c" || bail_out "no test library"
done
compile -O1 -o "$tmp/swap" "$top_srcdir/t/trace/swap.c" -ldl || bail_out "no test program"

# stat COMMAND...: with these statistics alone
stat() {
	audited CUAUDIT_HOOKS="stat(format=json)" CUAUDIT_OUTPUT="$tmp/json" "$@" >"$tmp/out" 2>"$tmp/err"
}

stat "$tmp/args"
is "$? $(cat "$tmp/err")" "0 " "the program gets what the driver answered"
is "$(jq -r '.functions[] | [.name, .calls, .errors] | @tsv' "$tmp/json" | sort)" \
	"$(printf '%s\t%s\t%s\n' cuBrandNew 2 0 cuCtxGetDevice_v2 2 0 cuDeviceGetName 2 0 \
		cuDevicePrimaryCtxGetState 8 2 cuGraphGetNodes 4 0 cuInit 2 0 cuIpcOpenMemHandle_v2 2 0 \
		cuLaunchKernel 2 0 cuMemAlloc_v2 6 2 cuMemGetInfo_v2 2 0 cuMemcpy3D_v2 2 0 \
		cuMemcpyBatchAsync 2 0 cuMemsetD16_v2 2 0 cuMemsetD8_v2 2 0 cuModuleGetFunction 10 2 \
		cuPointerGetAttributes 10 2 cuTexRefSetMipmapLevelBias 2 0)" "each call, and each error"

# A library that lies where another one was, and the same place in it.
stat env CUAUDIT_DRIVER=sim "$tmp/swap" "$tmp/liba.so" "$tmp/libb.so" "$tmp/liba.so"
is "$? $(cat "$tmp/err")" "0 " "libraries come and go"
is "$(sort -u "$tmp/out" | wc -l)" 1 "each where the one before it was"
is "$(jq -r '.libraries[] | [(.path | split("/") | last), (.functions[] | .name, .calls)] | @tsv' "$tmp/json" |
	sort)" "$(printf '%s\tcuDriverGetVersion\t%s\n' liba.so 10 libb.so 5)" "and each has its own calls"
done_testing
