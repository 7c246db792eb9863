# SPDX-License-Identifier: Apache-2.0
# cuaudit stat whose reports nobody reads: the program's signals still reach it.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helper stat/workers
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"
mkfifo "$tmp/fifo"

# The program waits for SIGTERM, which the tool gets once a report could not be written.
for format in text prometheus; do
	status=0
	: >"$tmp/err"
	# shellcheck disable=SC2016
	timeout -s KILL 100 "$cuaudit" stat -d sim -i 0.01 -m $format -o "$tmp/fifo" -- sh -c '
		trap "exit 7" TERM
		"$0" _exit=2
		(until test -s "$1"; do sleep 0.01; done; kill -TERM $PPID) &
		while :; do sleep 0.1; done' "$tmp/workers" "$tmp/err" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status" 7 "$format: a FIFO without a reader, and a signal"
	like "$(cat "$tmp/err")" '^cuaudit: cannot write the report to .*fifo: nobody reads from it' \
		"... which is reported"
done
like "$(cat "$tmp/err")" 'cuaudit_calls_total' "... the last report is not lost"
done_testing
