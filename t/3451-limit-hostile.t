# SPDX-License-Identifier: Apache-2.0
# The limit of a user with processes stopped and killed, and the shared file spoiled.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

on_sim user
compile -O2 -g -shared -fPIC -Wl,-soname,libwatch.so -o "$tmp/libwatch.so" \
	"$top_srcdir/t/limit/watch.c" "$simdir/libcuda.so.1" || bail_out "cannot build libwatch.so"
on_sim stress -O2 "$tmp/libwatch.so"

mkdir "$tmp/files"
timeout 300 "$PYTHON3" "$top_srcdir/t/limit/hostile.py" "$tmp/user" "$tmp/stress" "$tmp/files" \
	"$LIBCUAUDIT" >"$tmp/hostile.out" 2>&1 || ok "the driving script" false
is "$(grep -v '^ok \|^1\.\.' "$tmp/hostile.out")" "" "processes that share a limit"
ok "all of them" test "$(grep -c '^ok' "$tmp/hostile.out")" -ge 70
done_testing
