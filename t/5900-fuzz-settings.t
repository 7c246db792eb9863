# SPDX-License-Identifier: Apache-2.0
# Made-up environments: nothing is read out of bounds, each problem is one line.
# A case alone: CUAUDIT_TEST_SEED is the seed; see t/fuzz/settings.c for the arguments.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"

sanitizers
auditor
mkdir "$tmp/hooks"
printf 'MODULE(stat)\nMODULE(coverage)\nMODULE(fault)\n' >"$tmp/hooks/builtin.def"
core=-DCUAUDIT_BUILDING_CORE
hosted $core -c -o "$tmp/log.o" "$top_srcdir/hooks/log.c"
hosted $core -c -o "$tmp/output.o" "$top_srcdir/hooks/output.c"
set --
for file in audit/elf audit/env audit/filter audit/judge audit/provider hooks/name_iterator hooks/module hooks/modules/stat/stat \
	hooks/modules/fault/fault hooks/modules/fault/fault_condition hooks/modules/fault/fault_log \
	hooks/modules/fault/fault_number hooks/modules/fault/fault_result hooks/modules/fault/fault_rule \
	hooks/settings hooks/strict hooks/selector_api; do
	set -- "$@" "$top_srcdir/$file.c"
done
arch=$(arch)
hosted -DCUAUDIT_BUILDING_CORE -D_exit=settings_exit -Dsys_exit=settings_exit -iquote "$tmp" -I"$top_srcdir/hooks/arch/$arch" -o "$tmp/settings" "$fuzz/settings.c" "$fuzz/text.c" \
	"$fuzz/stat.c" "$top_srcdir/t/stat/no_fast_path.c" "$fuzz/calls.c" "$fuzz/absent.c" "$fuzz/no_runtime.c" "$fuzz/fuzz.c" "$tmp/sys.o" "$tmp/log.o" "$tmp/output.o" "$@" \
	$(sources util util_sources | grep -v -E '/(io|sandbox)\.c$')

fuzzed "made-up environments" "$tmp/settings"
share cases 100
share silent 10
share lines 100
share opened 5
share stopped 10
done_testing
