# SPDX-License-Identifier: Apache-2.0
# What takes the trace's fast path away is said, once and at level info.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

test "$(uname -m)" = x86_64 && test "$run_env" = env || skip_all "there is no fast path"

# said HOOKS LEVEL: how often
said() {
	audited CUAUDIT_DRIVER=sim CUAUDIT_LOG="$2" CUAUDIT_HOOKS="$1" "$tmp/app" call 10 2>&1 |
		number 'cuaudit: trace: fault or stat comes before it in CUAUDIT_HOOKS'
}

trace="trace(file=$tmp/x.cutrace)"
fault="fault(inject=cuMemAlloc:error=2)"
is "$(said "$fault,$trace" info)" 1 "behind fault"
is "$(said "stat,$trace" info)" 1 "behind stat"
is "$(said "$fault,$trace" warn)" 0 "it is no warning"
is "$(said "$trace,$fault" info)" 0 "before it"
is "$(said "$trace" info)" 0 "alone"
done_testing
