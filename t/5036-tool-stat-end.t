# SPDX-License-Identifier: Apache-2.0
# cuaudit stat between the program's end and its own: signals, and a reader that went away;
# so for doctor.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helper stat/workers
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"

# The tool stands still until the program has ended and both signals wait: it sees SIGHUP,
# then the end, then SIGTERM.
cat >"$tmp/late" <<'END'
# PROGRAM TOOL
timeout 300 sh -c 'until grep -q "^State:.*Z" /proc/$1/status; do :; done' sh "$1"
kill -HUP "$2"
kill -TERM "$2"
kill -CONT "$2"
END
# shellcheck disable=SC2016
tool stat -d sim -- sh -c '"$0" _exit=2; kill -STOP $PPID
	env -i PATH="$PATH" sh "$1" $$ $PPID & exit 3' "$tmp/workers" "$tmp/late"
is "$status $(grep -c '^cuaudit: sh: 1 process, 2 calls' "$tmp/err")" "3 1" \
	"signals for a program that has ended: its status, and the report"
is "$(ls "$TMPDIR")" "" "nothing is left"

# unread ARGUMENT...: the tool's status where nobody reads its standard error.
unread() {
	unread_from stderr "$@"
}

# unread_from STREAM ARGUMENT...
unread_from() {
	unread_stream=$1
	shift
	"$PYTHON3" -c 'import os, signal, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
print(subprocess.call(sys.argv[2:], **{sys.argv[1]: writer},
                      preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)))' \
		"$unread_stream" "$cuaudit" "$@"
}
is "$(unread stat -- sh -c 'exit 5')" 5 "nobody reads: a program without calls"
is "$(unread stat -d sim -- sh -c '"$0" exit=2 >/dev/null; exit 5' \
	"$tmp/workers")" 5 "... with calls"
is "$(unread stat -- sh -c 'kill -PIPE $$')" -13 "... one that ends by SIGPIPE"
is "$(CUAUDIT_HOOKS='limit(device0=1G)' unread stat -- sh -c 'exit 5')" 5 \
	"... with a message before it starts"
is "$(unread_from stdout doctor) $(ls "$TMPDIR")" "-13 " "nothing is left, of doctor neither"
done_testing
