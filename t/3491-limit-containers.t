# SPDX-License-Identifier: Apache-2.0
# limit(share=): processes of several PID namespaces share a device, and one that is gone is not taken for who has its PID.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/share

# apart COMMAND...: in a PID namespace of its own
apart() {
	timeout 300 unshare -Upf --kill-child --map-current-user "$@"
}

# one NUMBER PROCESSES TOTAL OPTIONS [ACTION]: executes one of several processes
cat >"$tmp/one" <<END
#!/bin/sh
number=\$1 of=\$2 total=\$3 options=\$4
shift 4
exec $run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_CLOCK="$tmp/clock" CUAUDIT_SIM_LAUNCH_TIME=500 \\
	CUAUDIT_OUTPUT="$tmp/report.\$number" CUAUDIT_HOOKS="limit(\$options;share-dir=$tmp;format=json)" \\
	"$tmp/share" "$tmp/all" "\$number" "\$of" "\$total" 4 "\$@" >"$tmp/out.\$number" 2>"$tmp/err.\$number"
END
chmod 755 "$tmp/one"

if ! apart true 2>"$tmp/none"; then
	skip 1 "no PID namespace here"
	done_testing
fi

timeout 300 "$tmp/one" 0 2 3000 share=90 &
apart "$tmp/one" 1 2 3000 share=10 &
wait
first=$(cat "$tmp/out.0")
second=$(cat "$tmp/out.1")
is "$(cat "$tmp/err.0" "$tmp/err.1")" "" "a process here, and one in another PID namespace"
ok "share by weight: $first of 3000, $second" test "$first" -ge "$((3 * second))" -a "$second" -ge 100

# In that of a shell the holder is killed with work on its way, and what lives on has its PID.
cat >"$tmp/reuse" <<END
"$tmp/one" 0 2 3000 share=10 &
survivor=\$!
"$tmp/one" 1 2 3000 share=90 kill &
holder=\$!
wait "\$holder"
echo "\$((holder - 1))" >/proc/sys/kernel/ns_last_pid || exit
tail -f /dev/null &
echo "\$((\$! - holder))" >"$tmp/apart"
wait "\$survivor"
kill "\$!"
END
rm -f "$tmp/all" "$tmp/clock" "$tmp"/cuaudit-share-*
apart sh "$tmp/reuse" >"$tmp/out" 2>"$tmp/err"
if test ! -f "$tmp/apart"; then
	skip 1 "no choice of a PID here"
	done_testing
fi
is "$(cat "$tmp/apart")" 0 "a process has the PID of the holder that was killed"
ok "who waited goes on: $(cat "$tmp/out.0") of 3000" test "$(cat "$tmp/out.0")" -ge 2000
done_testing
