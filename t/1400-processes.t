# SPDX-License-Identifier: Apache-2.0
# fork, vfork and exec: children are audited, from zero, or not at all.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/processes

for how in fork fork-first fork-threads; do
	both "$how" timeout 300 "$tmp/processes" $how
done
for how in exec vfork spawn; do
	both "$how" timeout 300 "$tmp/processes" $how child
done

helper routes/indirect.so
both "fork, what escaped" "$tmp/processes" inherited "$tmp/indirect.so"

helper routes/early_hook.so early.so
routed "fork, a hook called the driver before" CUAUDIT_HOOKS="$tmp/early.so" "$tmp/processes" fork

# who reports
mkdir "$tmp/reports"
routed "children that end" CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/reports/%p" \
	"$tmp/processes" reporting
is "$(sed -n 's/.*"name":"cuInit","calls":\([0-9]*\).*/\1/p' "$tmp"/reports/* | sort | tr '\n' ' ')" \
	"2 3 " "one report of the parent, one of the child that forked"

# children without us; another auditor is none of our business
helper routes/told.so other.so
for how in exec vfork spawn; do
	routed "CUAUDIT_FOLLOW=0, $how" CUAUDIT_FOLLOW=0 "$tmp/processes" $how alone
	routed "CUAUDIT_FOLLOW=1, $how" CUAUDIT_FOLLOW=1 "$tmp/processes" $how last
done

# child LIST: what a child of a program with that LD_AUDIT has of it, and its auditors
child() {
	env LD_AUDIT="$1" CUAUDIT_FOLLOW=0 env sh -c 'echo "LD_AUDIT=$LD_AUDIT"
		exec cat /proc/self/maps' >"$tmp/child" || echo "status $?"
	sed -n 's,^LD_AUDIT=,&,p; s,.*/\(libcuaudit\.so\|other\.so\)$,\1,p' "$tmp/child" \
		>"$tmp/child.out" || echo "status $?"
	sort -u "$tmp/child.out"
}
is "$(child "$LIBCUAUDIT")" "LD_AUDIT=" "alone: nothing is left"
is "$(child "$LIBCUAUDIT:$tmp/other.so")" "LD_AUDIT=$tmp/other.so
other.so" "first of two: the other stays"
is "$(child "$tmp/other.so:$LIBCUAUDIT")" "LD_AUDIT=$tmp/other.so
other.so" "last of two: the other stays"
is "$(child "$tmp/other.so:$LIBCUAUDIT:$tmp/other.so")" "LD_AUDIT=$tmp/other.so:$tmp/other.so
other.so" "in the middle"

# next to another auditor everything is routed still
routed "first of two auditors" LD_AUDIT="$LIBCUAUDIT:$tmp/other.so" "$tmp/processes" fork

done_testing
