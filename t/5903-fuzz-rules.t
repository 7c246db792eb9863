# SPDX-License-Identifier: Apache-2.0
# Made-up files of rules: each refused in one line that says where, or taken for what it says.
# A case alone: CUAUDIT_TEST_SEED is the seed; see t/fuzz/rules.c for the arguments.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"

sanitizers
# Each case is a file of up to 24 lines, and each of these looks through the table of functions.
cases=$((cases / 50))
arch=$(arch)
set --
for file in "hooks/arch/$arch/layout_arch" hooks/name_iterator hooks/layout hooks/modules/fault/fault_number \
	hooks/modules/fault/fault_result hooks/modules/rules/rules_copied hooks/modules/rules/rules_file \
	hooks/modules/rules/rules_number hooks/modules/rules/rules_word hooks/params hooks/provided hooks/safe_read \
	hooks/selector_api; do
	set -- "$@" "$top_srcdir/$file.c"
done
auditor
hosted -DCUAUDIT_BUILDING_CORE -I"$top_srcdir/hooks/arch/$arch" -o "$tmp/rules" "$fuzz/rules.c" \
	"$fuzz/absent.c" "$fuzz/no_runtime.c" "$fuzz/fuzz.c" "$tmp/sys.o" "$top_srcdir"/print/*.c "$@" \
	$(sources util util_sources)

fuzzed "made-up files of rules" "$tmp/rules"
share cases 100
share taken 30
share refused 30
share rules 200
share marks 50
share allows 30
share right 30
done_testing
