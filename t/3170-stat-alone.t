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
mkdir "$tmp/spread"
compile -fPIC -shared -DDRIVER -Wl,-soname,libcuda.so.1 -o "$tmp/spread/libcuda.so.1" \
	"$top_srcdir/t/stat/spread.c" &&
	compile -fPIC -shared -DLIBRARY -o "$tmp/spread/library.so" "$top_srcdir/t/stat/spread.c" \
		-L"$tmp/spread" -l:libcuda.so.1 &&
	compile -o "$tmp/spread/spread" "$top_srcdir/t/stat/spread.c" -pthread -L"$tmp/spread" \
		-l:library.so -l:libcuda.so.1 -Wl,-rpath,"$tmp/spread" &&
	compile -I"$top_srcdir/include" -o "$tmp/cells" "$top_srcdir/t/stat/cells.c" -lm ||
	bail_out "no test program"

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

# All of a cell fits together, and what was spent. With another hook there are no ways of their own.
for also in "" ",trace(file=$tmp/a.cutrace)"; do
	rm -f "$tmp/part" "$tmp/a.cutrace"
	audited CUAUDIT_HOOKS="stat(save=$tmp/part)$also" CUAUDIT_OUTPUT="$tmp/unused" \
		"$tmp/spread/spread" >"$tmp/out" 2>"$tmp/err"
	"$tmp/cells" "$tmp/part" >"$tmp/cells.out"
	is "$? $(cut -d " " -f 1-5 "$tmp/cells.out" | sort)" "0 $(cut -d " " -f 1-5 "$tmp/out" | sort)" \
		"stat${also%%(*}: calls, errors and times fit together"
	is "$(cat "$tmp/cells.out" "$tmp/out" | awk '{
		if ($1 $2 in total) print $1, $2, (total[$1 $2] >= $6 && total[$1 $2] < 100 * $6)
		total[$1 $2] = $6
	}')" "$(awk '{ print $1, $2, 1 }' "$tmp/out")" "stat${also%%(*}: and are what the driver took"
done

# The trampolines' code is in C; that of the ways of their own is not.
if test "$($CC -dumpmachine | sed 's/-.*//')" = x86_64; then
	compile -I"$top_srcdir/hooks/arch/x86_64" -o "$tmp/spread/full" "$top_srcdir/t/stat/full.c" \
		-L"$tmp/spread" -l:libcuda.so.1 -Wl,-rpath,"$tmp/spread" -ldl || bail_out "no test program"
	ok "a full histogram" stat "$tmp/spread/full"
	diag "$(grep '^not ok' "$tmp/out")"
else
	diag "a full histogram: there are no ways of their own here"
fi
done_testing
