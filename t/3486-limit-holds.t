# SPDX-License-Identifier: Apache-2.0
# limit(share=): what a process does to its contexts, threads and children while it has the device and work on its way.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/share

# one NUMBER ACTION: one of two processes of the same weight, in the background
one() {
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_CLOCK="$tmp/clock" CUAUDIT_SIM_LAUNCH_TIME=500 \
		CUAUDIT_OUTPUT="$tmp/report.$1" CUAUDIT_HOOKS="limit(share=50;share-dir=$tmp)" \
		timeout 300 "$tmp/share" "$tmp/all" "$1" 2 2000 4 $2 >"$tmp/out.$1" 2>"$tmp/err.$1" &
}

# The one that does so goes on by its share, and so does the other: neither has to wait, nor gets out of it.
for action in destroy reset release thread forks spawns jumps clock; do
	rm -f "$tmp/all" "$tmp/clock" "$tmp"/cuaudit-share-*
	one 0 ''
	other=$!
	one 1 "$action"
	status=0
	wait "$!" || status=$?
	wait "$other" || status=$?
	is "$status $(cat "$tmp/err.0" "$tmp/err.1")" "0 " "$action: both processes end well"
	first=$(cat "$tmp/out.0")
	second=$(cat "$tmp/out.1")
	ok "... and have $first and $second of 2000 launches" test "${first:-0}" -ge 500 -a "${second:-0}" -ge 500
done
done_testing
