# SPDX-License-Identifier: Apache-2.0
# cuaudit_call_kernel, and the names of kernels in live text, in the logs of fault and limit, and in traces.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helpers kernel/launches kernel/tells.so

# told HOOKS [BYTES]: what the plug-in printed, "#" for a new part.
told() {
	audited CUAUDIT_HOOKS="$1" "$tmp/launches" $2 >"$tmp/out" 2>"$tmp/err" ||
		bail_out "the test program failed: $(cat "$tmp/err")"
}

# part NAME PHASE: function and kernel of the calls of a part.
part() {
	sed -n "/^# $1\$/,/^# /p" "$tmp/out" | sed -n "s/^$2 \(cu[^ ]*\) \(.*\) [0-9]*\$/\1 \2/p"
}

told "$tmp/tells.so" 40000
for phase in enter exit; do
	is "$(part function $phase)" "cuLaunchKernel one
cuLaunchKernel one
cuLaunchKernelEx one
cuLaunchCooperativeKernel one
cuFuncGetAttribute one" "$phase: a module's function, also of a launch that fails"
	is "$(part library $phase | grep -v cuLibrary)" "cuKernelGetFunction two
cuLaunchKernel two
cuLaunchKernel two
cuKernelGetAttribute two" "$phase: a library's kernel, launched as such and as its function"
	is "$(part enumerated $phase | grep Launch)" "cuLaunchKernel two
cuLaunchKernel one" "$phase: of those that were enumerated the driver tells"
	is "$(part structures $phase)" "cuGraphAddKernelNode one
cuGraphAddKernelNode_v2 one
cuGraphKernelNodeSetParams_v2 two
cuGraphExecKernelNodeSetParams_v2 one
cuGraphAddNode one
cuGraphAddNode -
cuLaunchCooperativeKernelMultiDevice one
cuGraphAddKernelNode_v2 -
cuGraphAddKernelNode_v2 -
cuGraphAddKernelNode_v2 -" "$phase: structures, and those that cannot be read"
	is "$(part again $phase | grep Launch)" "cuLaunchKernel reused_0
cuLaunchKernel reused_1
cuLaunchKernel reused_2
cuLaunchKernel reused_2" "$phase: a destroyed handle that comes again names the new kernel"
done
is "$(grep -c '^enter cuLaunchKernel - 0$' "$tmp/out")" 1 "of a handle that nobody handed out there is none"
like "$(cat "$tmp/out")" "^exit cuLaunchKernel n{200} 32767$" "a long name is cut"
told "$tmp/tells.so" 32767
like "$(cat "$tmp/out")" "^exit cuLaunchKernel n{200} 32767$" "... a little shorter one is not"
told "$tmp/tells.so(prepare=no)"
unlike "$(cat "$tmp/out")" '^(enter|exit) .* (one|two) ' "nothing is told that nobody asked for"

told "trace(text=yes)" 300
like "$(cat "$tmp/err")" '] cuLaunchKernel\(f = function#1<one>, grid' "live text names the kernel"
like "$(cat "$tmp/err")" 'threads|cuLaunchKernel\(f = function#1<one>.* = CUDA_ERROR_INVALID_VALUE' "... of a launch that fails"
like "$(cat "$tmp/err")" 'cuGraphAddKernelNode_v2\(.*func = function#[0-9]*<one>' "... of a node of a graph"
like "$(cat "$tmp/err")" 'cuModuleGetFunction\(hfunc = \[function#1<one>\]' "... that is handed out"
like "$(cat "$tmp/err")" 'cuLaunchKernel\(f = function#[0-9]*<n{128}\.\.\.>, grid' "... the beginning of a long one"
told "fault(inject=cuLaunchKernel:error=CUDA_ERROR_LAUNCH_FAILED:when=2)"
like "$(cat "$tmp/err")" 'fault: rule 1, call 2.*cuLaunchKernel\(f = function#1<one>' "fault's log names it"
told "limit(deny=cuLaunchKernelEx)"
like "$(cat "$tmp/err")" 'limit: cuLaunchKernelEx of kernel one by launches\+0x[0-9a-f]+ is denied' "limit's log names it"
audited CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace)" "$tmp/launches" >"$tmp/out" 2>"$tmp/err"
tool convert --to text "$tmp/a.cutrace"
like "$(cat "$tmp/out")" 'cuLaunchKernel\(f = 0x[0-9a-f]*<one>.*INVALID_VALUE' "a trace names the kernel of a launch that fails" ||
	diag "$(grep Launch "$tmp/out")"
done_testing
