# SPDX-License-Identifier: Apache-2.0
# Made-up rules of the fault hook: each refused in one line, or taken for what it says.
# A case alone: CUAUDIT_TEST_SEED is the seed; see t/fuzz/fault.c for the arguments.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"

sanitizers
# Each case looks through the table of functions, some more than once.
cases=$((cases / 5))
arch=$(arch)
set --
for file in "hooks/arch/$arch/layout_arch" hooks/name_iterator hooks/layout hooks/modules/fault/fault_condition hooks/modules/fault/fault_number \
	hooks/modules/fault/fault_result hooks/modules/fault/fault_rule hooks/params hooks/safe_read hooks/selector_api; do
	set -- "$@" "$top_srcdir/$file.c"
done
auditor
hosted -DCUAUDIT_BUILDING_CORE -I"$top_srcdir/hooks/arch/$arch" -o "$tmp/fault" "$fuzz/fault.c" \
	"$fuzz/absent.c" "$fuzz/no_runtime.c" "$fuzz/fuzz.c" "$tmp/sys.o" "$top_srcdir"/print/*.c "$@" \
	$(sources util util_sources)

fuzzed "made-up rules" "$tmp/fault"
share cases 100
share taken 35
share refused 30
share conditions 8
share held 100
share due 1000
done_testing
