# SPDX-License-Identifier: Apache-2.0
# AFL++ for a while: traces and files of statistics, settings, selectors, rules of fault and files of rules.
# CUAUDIT_TEST_AFL_SECONDS is for how long each; findings are left in CUAUDIT_TEST_AFL_DIR.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"
long_test

command -v afl-clang-fast >"$tmp/which" && command -v afl-fuzz >"$tmp/which" || skip_all "no AFL++"
seconds=${CUAUDIT_TEST_AFL_SECONDS-20}
kept=${CUAUDIT_TEST_AFL_DIR-$tmp/findings}
mkdir -p "$kept" "$tmp/tool"
AFL_USE_ASAN=1 AFL_USE_UBSAN=1 AFL_QUIET=1 AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1
AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
export AFL_USE_ASAN AFL_USE_UBSAN AFL_QUIET AFL_SKIP_CPUFREQ AFL_NO_UI AFL_NO_AFFINITY
export AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES

# explore NAME COMMAND...: with the samples in $tmp/NAME.in; @@ stands for the file.
explore() {
	fuzz_name=$1
	shift
	ok "$fuzz_name: afl-fuzz runs" timeout $((seconds + 300)) afl-fuzz -m none -t 5000 \
		-V "$seconds" -i "$tmp/$fuzz_name.in" -o "$kept/$fuzz_name" -- "$@" </dev/null
	tried=$(sed -n 's/^execs_done *: //p' "$kept/$fuzz_name/default/fuzzer_stats")
	ok "$fuzz_name: it tried some, $tried" test "${tried:-0}" -gt 100
	is "$(find "$kept/$fuzz_name/default/crashes" -name 'id:*')" "" "$fuzz_name: none crashed"
}

# The tool as it is: one command reads both kinds of files.
here=$(cd "$top_srcdir" && pwd)
ok "the tool is built" sh -c 'cd "$1" && "$2/configure" -q CC=afl-clang-fast &&
	"$3" -s -j2 bin/cuaudit' sh "$tmp/tool" "$here" "$MAKE"
mkdir "$tmp/trace.in" "$tmp/stat.in"
# A file of statistics is left by what is killed.
compile -o "$tmp/killed" -x c - -ldl <<'C' || bail_out "no program"
#include <dlfcn.h>
#include <signal.h>

int main(void)
{
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit");

	init(0);
	return raise(SIGKILL);
}
C
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/trace.in/a.cutrace)" "$tmp/killed" \
	>"$tmp/out" 2>&1
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(save=$tmp/stat.in/a)" "$tmp/killed" \
	>"$tmp/out" 2>&1
helper trace/synth
"$tmp/synth" -D -k -c 16384 -n 100 -t 2 "$tmp/trace.in/ranges.cutrace" >"$tmp/out"
for kind in trace stat; do
	ok "$kind: there is a sample" test -n "$(ls "$tmp/$kind.in")"
	explore $kind "$tmp/tool/bin/cuaudit" report --by function,range @@
done

set --
arch=$(arch)
for file in audit/elf audit/env audit/filter audit/provider "hooks/arch/$arch/layout_arch" \
	hooks/name_iterator hooks/layout hooks/modules/fault/fault_condition \
	hooks/modules/fault/fault_number hooks/modules/fault/fault_result \
	hooks/modules/fault/fault_rule hooks/modules/rules/rules_copied \
	hooks/modules/rules/rules_file hooks/modules/rules/rules_number \
	hooks/modules/rules/rules_word hooks/params hooks/provided hooks/safe_read hooks/selector_api; do
	set -- "$@" "$top_srcdir/$file.c"
done
CC=afl-clang-fast
auditor
hosted -DCUAUDIT_BUILDING_CORE -I"$top_srcdir/hooks/arch/$arch" -o "$tmp/texts" "$fuzz/absent.c" "$fuzz/no_runtime.c" "$fuzz/afl.c" \
	"$fuzz/fuzz.c" "$tmp/sys.o" "$top_srcdir"/print/*.c "$@" \
	$(sources util util_sources)
mkdir "$tmp/rule.in" "$tmp/rules.in" "$tmp/selector.in" "$tmp/settings.in"
printf '%s\n' 'mark warm-up = 3rd cuLaunchKernel in libx*' 'never cuMemAlloc by "a b" from a:b after warm-up # why' \
	'optional at-most 1MiB copied HtoD per range step*' 'no-errors except cuMemFree:1 in libx' \
	'exactly 0x10 %memory,!%sync on device 1' 'allow libx*:f # known' >"$tmp/rules.in/a"
echo 'cuMemAlloc_v2:error=2:when=3..9+2:if=bytesize>=1M:p=0.5:seed=7:lib=(main)' >"$tmp/rule.in/a"
echo 'cuMem*,!cuMemFree_v2,%stream,/^cuLaunch/' >"$tmp/selector.in/a"
printf '%s\n' 'CUAUDIT_HOOKS=stat,fault(inject=cuInit:error=1)' CUAUDIT_LOG=debug CUAUDIT_STRICT=1 \
	'CUAUDIT_OUTPUT=/tmp/%p.%h' 'CUAUDIT_EXCLUDE=lib*.so*:(main)' 'LD_AUDIT=a:b' \
	>"$tmp/settings.in/a"
for kind in rule rules selector settings; do
	explore $kind "$tmp/texts" $kind @@
done
done_testing
