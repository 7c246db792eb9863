# SPDX-License-Identifier: Apache-2.0
# Hooks that come and go while sixteen threads call: audited, step by step, and under the
# thread sanitizer.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

plugins=$top_srcdir/t/plugins
count=5000
test -z "${LONG_TESTS-}" || count=100000

fake_driver
build stress "$plugins/stress.c" "$plugins/audited.c" -L"$tmp" -l:libcuda.so.1 \
	-L"$top_builddir/lib/cuaudit" -l:cuaudit-core.so -Wl,-rpath,"$top_builddir/lib/cuaudit" \
	-pthread -ldl
routed "$count hooks come and go" timeout 600 "$tmp/stress" "$count" 1024
sed -n 's/^ok 6 - /# /p; s/^ok 10 - /# /p' "$tmp/tap.out"

arch=$(arch)
set --
for file in hooks/clock hooks/clock_read hooks/dispatch hooks/entry hooks/guard hooks/hook hooks/name_iterator hooks/layout hooks/lock hooks/log \
	hooks/library hooks/loaded_image hooks/maps hooks/pages hooks/safe_read hooks/record hooks/stack hooks/strict hooks/thread hooks/unwound; do
	set -- "$@" "$top_srcdir/$file.c"
done
# hosted NAME ARGUMENT...: the core's own C code, with a driver of the test's.
hosted() {
	hosted_name=$1
	shift
	build "$hosted_name" -DCUAUDIT_BUILDING_CORE -I"$top_srcdir/hooks/arch/$arch" "$@" \
		"$top_srcdir/hooks/arch/$arch/layout_arch.c" $(sources util util_sources) -pthread -ldl
}

set -- "$top_srcdir/t/fuzz/no_runtime.c" "$@"
hosted steps "$plugins/steps.c" "$@"
ok "between any two steps" "$tmp/steps"
diag "$(grep '^ok 1 \|^ok 7 ' "$tmp/tap.out")"

echo 'int main(void) { return 0; }' >"$tmp/none.c"
compile -fsanitize=thread -o "$tmp/none" "$tmp/none.c" >"$tmp/none.out" 2>&1 &&
	"$tmp/none" >"$tmp/none.out" 2>&1 || {
	skip 2 "no thread sanitizer"
	done_testing
}
hosted hosted -fsanitize=thread "$plugins/stress.c" "$plugins/hosted.c" "$top_srcdir/hooks/registry.c" "$@"
ok "$count hooks come and go under the thread sanitizer" env TSAN_OPTIONS=halt_on_error=1 \
	timeout 600 "$tmp/hosted" "$count"
sed -n 's/^ok 6 - /# /p' "$tmp/tap.out"
unlike "$(cat "$tmp/tap.out")" 'WARNING|ERROR' "it has nothing to say"
done_testing
