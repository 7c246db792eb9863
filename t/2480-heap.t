# SPDX-License-Identifier: Apache-2.0
# The program's malloc takes memory from brk under us as without us, which UCX and others watch.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

fake_driver
helper hostile/heap
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH

# heap AUDITORS [VARIABLE=VALUE...]: where blocks come from; whether calloc is what it is.
heap() {
	heap_audit=$1
	shift
	$run_env LD_AUDIT="$heap_audit" LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS= "$@" "$tmp/heap" 2>&1
}

other_auditor
# With an old loader it takes none under any auditor, one that is told of nothing too.
want="1 1 1 1"
test "$(loader_family)" = new || want=$(heap "$tmp/told.so")
is "$(heap "")" "1 1 1 1" "without us"
is "$(heap "$LIBCUAUDIT")" "$want" "with us"
is "$(heap "$LIBCUAUDIT" LD_BIND_NOW=1)" "$want" "with us, LD_BIND_NOW=1"
is "$(heap "$LIBCUAUDIT" CUAUDIT_DISABLE=1)" "$want" "CUAUDIT_DISABLE=1"
is "$(heap "$LIBCUAUDIT:$tmp/told.so")" "$want" "another auditor behind us"
is "$(heap "$tmp/told.so:$LIBCUAUDIT")" "$want" "and before us"
done_testing
