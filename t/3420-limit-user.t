# SPDX-License-Identifier: Apache-2.0
# The limit of a user: what processes share, whoever of them dies however.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/user

"$PYTHON3" "$top_srcdir/t/limit/user.py" "$tmp/user" "$tmp/shared" "$LIBCUAUDIT" >"$tmp/users.out" 2>&1 ||
	ok "the driving script" false
is "$(grep -v '^ok \|^1\.\.' "$tmp/users.out")" "" "processes that share a limit"
is "$(grep -c '^ok' "$tmp/users.out")" 23 "all of them"

# often BYTES NAME: one of several processes that share 100 MiB
often() {
	echo "often $1 20000" | audited CUAUDIT_HOOKS="limit(user=100M;file=$tmp/often)" "$tmp/user" \
		>"$tmp/out.$2" 2>"$tmp/err.$2"
}

# Who asks for more than there is has nothing, and nobody is refused since it asks; again where a process that was
# kept from the processor for longer than others wait for it had to be passed by.
for turn in 1 2 3; do
	often 209715200 large &
	often 41943040 small
	wait
	test "$(cat "$tmp/out.small")" != 0 || break
done
is "$(cat "$tmp/out.large")" 20000 "one that asks for too much is refused each time"
is "$(cat "$tmp/out.small")" 0 "and one beside it that does not, never, in turn $turn"

echo "not the file" >"$tmp/wrong"
status=0
echo "take 1" | audited CUAUDIT_HOOKS="limit(user=1M;file=$tmp/wrong)" "$tmp/user" \
	>"$tmp/out" 2>"$tmp/err" || status=$?
is "$status" 85 "a file of something else: the program does not start"
is "$(cat "$tmp/err")" "cuaudit: limit: cannot share $tmp/wrong: it is not a file of limit(user=),\
 or was truncated; name another by file=, or let the program run without the user's limit by\
 on-error=run" "and says why"
is "$(cat "$tmp/wrong")" "not the file" "the file is as it was"
done_testing
