# SPDX-License-Identifier: Apache-2.0
# Reports that nobody reads: the program's signals still reach it under cuaudit stat, and no output waits for ever.
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

# Others have no report but that: they wait for a reader, not for ever, all at once here.
"$cuaudit" trace -d sim -o "$tmp/traces" "$tmp/workers" _exit=2 >"$tmp/out" 2>"$tmp/err"
echo 'never cuProfilerStart' >"$tmp/rules"
unread() {
	unread_name=$1
	shift
	unread_status=0
	mkfifo "$tmp/fifo.$unread_name"
	timeout -s KILL 100 "$cuaudit" "$@" >"$tmp/out.$unread_name" 2>"$tmp/err.$unread_name" || unread_status=$?
	echo "$unread_status" >"$tmp/status.$unread_name"
}
unread check check -d sim --rules "$tmp/rules" --json "$tmp/fifo.check" -- "$tmp/workers" _exit=2 &
unread convert convert -t csv -o "$tmp/fifo.convert" "$tmp/traces" &
unread manifest manifest -o "$tmp/fifo.manifest" "$tmp/traces" &
unread page report --html "$tmp/fifo.page" "$tmp/traces" &
unread run manifest -d sim -o "$tmp/fifo.run" -- "$tmp/workers" _exit=2 &
wait
for name in check:89 convert:2 manifest:2 page:2 run:2; do
	is "$(cat "$tmp/status.${name%:*}") $(tail -n 1 "$tmp/err.${name%:*}")" \
		"${name#*:} cuaudit: $tmp/fifo.${name%:*}: nobody reads from it" "${name%:*}: a FIFO without a reader"
done
(sleep 1; cat "$tmp/fifo" >"$tmp/read") &
tool convert -t csv -o "$tmp/fifo" "$tmp/traces"
wait
is "$status $(grep -c cuDriverGetVersion "$tmp/read")" "0 2" "one whose reader comes later"

# A reader that takes nothing: a pipe's room is less than the manifest, and a signal ends the tool.
sleep 100 <>"$tmp/fifo" >/dev/null 2>&1 &
reader=$!
dd if=/dev/zero of="$tmp/fifo" bs=4096 count=16 2>"$tmp/none"
"$cuaudit" manifest -d sim -o "$tmp/fifo" -- "$tmp/workers" _exit=2 >"$tmp/out" 2>"$tmp/err" &
pid=$!
timeout 100 sh -c 'until ls -l "/proc/$1/fd" 2>/dev/null | grep -q "$2"; do sleep 0.05; done' sh "$pid" "$tmp/fifo"
kill -TERM "$pid"
# Silent: one that begins as it is killed may outlive that, and what it said then would be behind the test's status.
(sleep 100; kill -KILL "$pid" "$reader") >/dev/null 2>&1 &
watch=$!
status=0
wait "$pid" || status=$?
kill "$reader" "$watch"
is "$status $(ls "$TMPDIR")" "143 " "a manifest that nobody takes: SIGTERM ends the tool, and nothing is left"
done_testing
