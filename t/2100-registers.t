# SPDX-License-Identifier: Apache-2.0
# Every register and stack word that a function may look at, or must keep.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/registers
helper routes/registers-noplt eager

both "the call that loads the core" "$tmp/registers" none first
for how in none enter exit enter+exit; do
	both "hooks: $how" "$tmp/registers" $how later
	both "-fno-plt, hooks: $how" "$tmp/eager" $how later
done

# Hooks that stand alone with these functions.
for hook in stat "trace(file=$tmp/a.cutrace)" "trace(args=no;file=$tmp/b.cutrace)"; do
	routed "$hook alone" CUAUDIT_HOOKS="$hook" "$tmp/registers" none alone
done

done_testing
