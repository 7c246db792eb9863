# SPDX-License-Identifier: Apache-2.0
# cuaudit limit status: without a file, those of the user in /dev/shm, and of no other user.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/share
tool=$top_builddir/bin/cuaudit
user=$(id -u)
group=t$$
file=/dev/shm/cuaudit-share-$user-$group
# As that of a user whose number begins as this one's does.
other=/dev/shm/cuaudit-share-$user$$
trap 'rm -rf "$tmp" "$file" "$other"' EXIT

if ! echo none of ours >"$other" 2>"$tmp/none"; then
	skip 1 "/dev/shm takes no files"
	done_testing
fi
$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_CLOCK="$tmp/clock" CUAUDIT_SIM_LAUNCH_TIME=100 \
	CUAUDIT_HOOKS="limit(share=77;group=$group)" "$tmp/share" "$tmp/all" 0 1 200000 4 >"$tmp/out" 2>"$tmp/err" &
process=$!
until "$tool" limit status "$file" 2>"$tmp/none" | grep -q ' 77 ' || ! kill -0 "$process" 2>"$tmp/none"; do
	:
done

"$tool" limit status >"$tmp/text" 2>"$tmp/messages"
is "$(sed -n "\\,^$file\$,,\\,^/,s/^ *\\($process\\) *\\(77\\) .*/\\1 \\2/p" "$tmp/text")" "$process 77" \
	"a process of a group, by the user's file of that group"
unlike "$(cat "$tmp/text" "$tmp/messages")" "$other" "a file of another user, whose number begins like this one's"
"$tool" limit status --format json >"$tmp/json" 2>"$tmp/messages"
is "$("$PYTHON3" -c 'import json, sys
for line in open(sys.argv[1]):
	r = json.loads(line)
	if r["file"] == sys.argv[2]:
		print([p["pid"] for d in r["devices"] for p in d["processes"]])' "$tmp/json" "$file")" "[$process]" "as JSON"
"$tool" limit status --format prometheus >"$tmp/metrics" 2>"$tmp/messages"
is "$(grep -c "^cuaudit_share_weight{.*group=\"$file\".*,pid=\"$process\",.*} 77\$" "$tmp/metrics")" 1 "as metrics"

# What it has is told while it has it: another process comes, and each reading has more.
worked() {
	"$tool" limit status --format prometheus |
		sed -n "s/^cuaudit_share_worked_seconds_total{.*pid=\"$process\",.*} //p"
}
$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_CLOCK="$tmp/clock" CUAUDIT_SIM_LAUNCH_TIME=100 \
	CUAUDIT_HOOKS="limit(share=77;group=$group)" "$tmp/share" "$tmp/all" 1 1 200000 4 >"$tmp/out" 2>>"$tmp/err" &
second=$!
before=$(worked)
for reading in 1 2 3; do
	now=$before
	while test "$now" = "$before" && kill -0 "$process" 2>"$tmp/none"; do
		now=$(worked)
	done
	ok "reading $reading: $now seconds, after $before" \
		awk -v now="$now" -v before="$before" 'BEGIN { exit !(now > before) }'
	before=$now
done
kill "$process" "$second"
wait
is "$(cat "$tmp/err")" "" "and says nothing"
if command -v setsid >"$tmp/none"; then
	setsid -w "$tool" limit status /dev/tty >"$tmp/out" 2>"$tmp/err"
	is "$? $(sed 's/; give .*//' "$tmp/err")" \
		"2 cuaudit: /dev/tty: it is a socket, or a device that is not there" "a terminal that is not there"
else
	skip 1 "no setsid"
fi
done_testing
