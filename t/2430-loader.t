# SPDX-License-Identifier: Apache-2.0
# The loader's own variables.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

hostile mixed_callers
for variable in LD_BIND_NOW=1 LD_BIND_NOT=1 LD_DYNAMIC_WEAK=1 LD_WARN=1 LD_VERBOSE=1 \
		LD_DEBUG=statistics LD_DEBUG=all LD_PREFER_MAP_32BIT_EXEC=1; do
	counted "$variable" "$variable" LD_DEBUG_OUTPUT="$tmp/debug" timeout 300 \
		"$tmp/mixed_callers" 10 2
	is "$(calls cuInit) $(calls cuMemAlloc_v2)" "90 90" "$variable: all are counted"
done
set -- "$tmp"/debug.*
ok "the loader did speak" test -s "$1"

audited LD_LIBRARY_PATH="$tmp" LD_TRACE_LOADED_OBJECTS=1 "$tmp/mixed_callers" >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" 'libcuda\.so\.1 => ' "ldd's way lists the driver"
is "$(cat "$tmp/err")" "" "and nothing is said"

done_testing
