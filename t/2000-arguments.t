# SPDX-License-Identifier: Apache-2.0
# Arguments, answers and errno pass the trampolines, and hooks may change them.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
program arguments arguments.c -L"$tmp" -l:libcuda.so.1

for how in none both enter exit; do
	both "hooks: $how" "$tmp/arguments" $how
done
for how in edit edit-enter skip nested-skip change nest call timed timed-alone clocked; do
	routed "hooks: $how" "$tmp/arguments" $how
done

# the same with what the compiler makes of other options
program optimised arguments.c -O3 -L"$tmp" -l:libcuda.so.1
program frameless arguments.c -O0 -fno-plt -L"$tmp" -l:libcuda.so.1
for how in both enter edit edit-enter; do
	routed "-O3, hooks: $how" "$tmp/optimised" $how
	routed "-O0 -fno-plt, hooks: $how" "$tmp/frameless" $how
done

# Where parameters lie, of prototypes that no row of the table has yet.
if test "$(arch)" = x86_64; then
	seed=$(date +%s)
	awk -v seed="$seed" -v count=100 -f "$routes/layouts.awk" >"$tmp/cases.h" ||
		bail_out "no prototypes"
	build layouts -I"$tmp" -I"$top_srcdir/hooks/arch/x86_64" "$routes/layouts.c" \
		"$top_srcdir/hooks/arch/x86_64/layout_arch.c" "$top_srcdir/t/fake/record.S"
	ok "prototypes, seed $seed" "$tmp/layouts"
fi

done_testing
