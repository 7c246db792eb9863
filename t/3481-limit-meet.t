# SPDX-License-Identifier: Apache-2.0
# limit(share=): a thread that never finishes what all wait for keeps nobody for ever; a share that cannot be held.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/meet
helper limit/share

# run OPTIONS PROGRAM ARGUMENTS...: its status, output and messages
run() {
	run_options=$1
	shift
	run_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="limit($run_options)" \
		timeout 300 "$@" >"$tmp/out" 2>"$tmp/err" || run_status=$?
	echo "$run_status $(cat "$tmp/out" "$tmp/err")"
}

lost='limit: the share of the device'\''s time was not held:'
is "$(run "share=1;share-dir=$tmp" "$tmp/meet")" "85 cuaudit: $lost the device: a thread began to ask for it and did not go on; the\
 process ends, on-error=run would let it go on" "a thread that stays where it makes the device known"
is "$(run "share=1;on-error=run;share-dir=$tmp" "$tmp/meet")" "0 0
cuaudit: $lost the device: a thread began to ask for it and did not go on" "and with on-error=run"
is "$(run 'share=1;on-error=run;share-dir=/none' "$tmp/share" "$tmp/all" 0 1 4 1)" "0 4
cuaudit: limit: cannot share /none/cuaudit-share-$(id -u): its directory does not exist; the share of the device's\
 time is not held" "no file, and on-error=run"
like "$(cat "$tmp/report.limit")" "^ +1  times the share of the device's time was not held\$" "which the report has"
done_testing
