# SPDX-License-Identifier: Apache-2.0
# Statistics without another hook: what a program is answered, which errors there were, who called.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

command -v jq >/dev/null 2>&1 || skip_all "no jq"
helpers stat/cells stat/library.so stat/spread trace/args trace/libcuda.so.1 trace/swap
helper trace/swapped.so liba.so
helper trace/swapped.so libb.so

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
		"$tmp/spread" >"$tmp/out" 2>"$tmp/err"
	"$tmp/cells" "$tmp/part" >"$tmp/cells.out"
	is "$? $(cut -d " " -f 1-5 "$tmp/cells.out" | sort)" "0 $(cut -d " " -f 1-5 "$tmp/out" | sort)" \
		"stat${also%%(*}: calls, errors and times fit together"
	is "$(cat "$tmp/cells.out" "$tmp/out" | awk '{
		if ($1 $2 in total) print $1, $2, (total[$1 $2] >= $6 && total[$1 $2] < 100 * $6)
		total[$1 $2] = $6
	}')" "$(awk '{ print $1, $2, 1 }' "$tmp/out")" "stat${also%%(*}: and are what the driver took"
done

# The trampolines' code is in C; that of the ways of their own is not.
if test "$(arch)" = x86_64; then
	helper stat/full
	ok "a full histogram" stat "$tmp/full"
	diag "$(grep '^not ok' "$tmp/out")"
else
	diag "a full histogram: there are no ways of their own here"
fi
done_testing
