# SPDX-License-Identifier: Apache-2.0
# What the tests of rules share: programs judged by `cuaudit check`, or by the hook alone.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

cd "$tmp" || exit 99
injection=$top_builddir/lib/cuaudit/libcuaudit-nvtx.so
unset NVTX_INJECTION64_PATH

# rules LINE...: the rules file of the checks that follow.
rules() {
	printf '%s\n' "$@" >rules
}

# check COMMAND...: judged by `rules`; its status in $status, what is said in $tmp/err. With $check_options.
check_options=
check() {
	status=0
	$run_env timeout 300 "$cuaudit" check -d sim --rules rules $check_options -- "$@" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
}

# alone COMMAND...: judged by the hook, without cuaudit check.
alone() {
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="rules(file=$tmp/rules)" \
		timeout 300 "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

# ends STATUS NAME: of the last check.
ends() {
	is "$status" "$1" "$2" || diag "$(head -c 3000 "$tmp/err")"
}

# says REGEX NAME: a line of the last check's text.
says() {
	like "$(cat "$tmp/err")" "$1" "$2"
}

# Of each way of t/rules/broken.c the rules that it breaks; what its finding has: "line", the source's line
# in a stack, or a regex; options of cuaudit check.
ways() {
	cat <<-'END'
	after-fork|no-use-after-fork|line
	after-mark|mark warm = 3rd cuLaunchKernel;never cuMemAlloc after warm|line
	at-least|at-least 1 cuStreamQuery|broken: 0 calls?, at least 1 allowed
	before-main|never cuInit before main|line
	before-mark|mark launched = 1st cuLaunchKernel;never cuStreamSynchronize before launched|line
	between|mark a = 1st cuMemGetInfo;mark b = 1st cuStreamSynchronize;never cuMemAlloc between a b|line
	by-kernel|never cuLaunchKernel by *debug*|line
	capture|no-capture-breaker|line|-k fault(inject=cuMemsetD32:error=900)
	copied|at-most 1KiB copied DtoH per range step*|line
	device|never cuMemAlloc on device 1|line
	errors|no-errors except cuMemFree:INVALID_VALUE|line
	few|at-least 2 kernels per range step*|in this range it was 1
	growth|at-most 0 growth per range step*|in this range it was 4096
	host-time|at-most 0ns host-time cuCtxSynchronize|line
	in-range|never %sync in range step*|line
	kernels|at-most 1 distinct-kernels|line
	launches|at-most 2 kernels per range step*|line
	leak|no-leak|line
	legacy|never %blocking in (main) on legacy stream|line
	mapped|at-most 0 growth per range step*|line
	pageable|never %blocking in range step*|line
	peak|at-most 10K memory|line
	primary|never cuDevicePrimaryCtxRetain on device 0|line
	sticky|no-sticky-error|line|-k fault(inject=cuMemsetD16:error=700)
	thread|same-thread cuLaunchKernel|line
	unchecked|no-unchecked-error|line
	version|min-driver 11.8|line
	END
}
