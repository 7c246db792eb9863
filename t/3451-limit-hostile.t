# SPDX-License-Identifier: Apache-2.0
# The limit of a user with processes stopped and killed, and the shared file spoiled.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/user
helper limit/libwatch.so
helper limit/stress

mkdir "$tmp/files"
timeout 300 "$PYTHON3" "$top_srcdir/t/limit/hostile.py" "$tmp/user" "$tmp/stress" "$tmp/files" \
	"$LIBCUAUDIT" >"$tmp/hostile.out" 2>&1 || ok "the driving script" false
is "$(grep -v '^ok \|^1\.\.' "$tmp/hostile.out")" "" "processes that share a limit"
ok "all of them" test "$(grep -c '^ok' "$tmp/hostile.out")" -ge 70
done_testing
