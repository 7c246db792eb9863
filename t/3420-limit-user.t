# SPDX-License-Identifier: Apache-2.0
# The limit of a user: what processes share, whoever of them dies however.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/user

"$PYTHON3" "$top_srcdir/t/limit/user.py" "$tmp/user" "$tmp/shared" "$LIBCUAUDIT" >"$tmp/users.out" 2>&1 ||
	ok "the driving script" false
is "$(grep -v '^ok \|^1\.\.' "$tmp/users.out")" "" "processes that share a limit"
is "$(grep -c '^ok' "$tmp/users.out")" 23 "all of them"

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
