# SPDX-License-Identifier: Apache-2.0
# The demonstration program makes the same calls in three ways, and they are counted alike.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

# counts TABLE: calls and name of each function, from the table's first part.
counts() {
	awk '
	/^Time.* Name$/ { on = 1; next }
	on && !NF { exit }
	on { print $3, $NF }' "$1" | grep -v ' cuGetProcAddress' | sort -k 2
}

# run WAY PROGRAM
run() {
	ok "$1: the program succeeds" audited CUAUDIT_DRIVER=sim "$top_builddir/demo/$2" "$1"
	cp "$tmp/tap.out" "$tmp/$1"
	like "$(cat "$tmp/$1")" "^$1: driver .* 0 wrong\$" "$1: with the right numbers"
	like "$(cat "$tmp/$1")" '^ +escapes +none$' "$1: nothing escaped"
}
run linked cudemo-linked
run dlopen cudemo
run procaddr cudemo

want='1 cuCtxCreate_v2
1 cuCtxDestroy_v2
1 cuCtxSynchronize
1 cuDeviceGet
1 cuDeviceGetCount
1 cuDeviceGetName
1 cuDriverGetVersion
1 cuInit
10 cuLaunchKernel
2 cuMemAlloc_v2
2 cuMemFree_v2
1 cuMemcpyDtoH_v2
2 cuMemcpyHtoD_v2
1 cuModuleGetFunction
1 cuModuleLoadData
1 cuModuleUnload'
for way in linked dlopen procaddr; do
	is "$(counts "$tmp/$way")" "$want" "$way: the calls the program makes"
done
like "$(cat "$tmp/procaddr")" '^ .* 16 +.* cuGetProcAddress_v2$' "procaddr: 16 look-ups"

ok "demo/run shows all three" sh "$top_srcdir/demo/run" "$top_builddir"
is "$(grep -c ' 0 wrong$' "$tmp/tap.out")" 3 "and all three succeed"
fails "an unknown way is an error" "$top_builddir/demo/cudemo" telepathy
done_testing
