# SPDX-License-Identifier: Apache-2.0
# limit(share=): the thread that looks after a device, where threads are hard to come by when it is used
# for the first time.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/late
helper limit/liblate.so
chmod 755 "$tmp"

# late MODE [OPTION...]: what is printed, in $tmp/out and $tmp/err
late() {
	late_mode=$1
	shift
	status=0
	mkdir -p -m 777 "$tmp/share"
	rm -f "$tmp"/share/*
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="limit(share=10;share-dir=$tmp/share$*)" \
		timeout 300 "$tmp/late" "$late_mode" >"$tmp/out" 2>"$tmp/err" || status=$?
}

for mode in plain constructor small forks child handler; do
	late "$mode"
	is "$status $(cat "$tmp/out")" "0 launched" "$mode: the program is well" || diag "$(cat "$tmp/err")"
	unlike "$(cat "$tmp/err")" 'to look after the device' "... and its device is looked after"
done
# A child that ends takes nothing of its parent's along.
LATE_AFTER="'$top_builddir/bin/cuaudit' limit status '$tmp/share/cuaudit-share-$(id -u)' >'$tmp/status'"
export LATE_AFTER
late child
is "$status $(sed -n 's/^ *[0-9]* *\(10\) .*/\1/p' "$tmp/status")" "0 10" "child: the parent has its row still"
unset LATE_AFTER
for mode in limited refused killed; do
	late "$mode" ';on-error=run'
	if test "$status" = 77; then
		skip 4 "no filters, or no limits, here"
		continue
	fi
	is "$status $(cat "$tmp/out")" "0 launched" "$mode: the program is well" || diag "$(cat "$tmp/err")"
	like "$(cat "$tmp/err")" 'limit: .*a thread to look after the device.*a sandbox, or a limit of threads, allows none' \
		"... and it is said that the share does not hold"
	late "$mode"
	is "$status $(cat "$tmp/out")" "85 " "$mode: the process ends, if it is not to run without the share"
	like "$(cat "$tmp/err")" 'a thread to look after the device' "... with the reason"
done
done_testing
