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

done_testing
