# SPDX-License-Identifier: Apache-2.0
# Settings are judged whatever the tool inherits: ignored signals, closed descriptors.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

program plain

# ignoring COMMAND...: with SIGCHLD and SIGALRM ignored; not every shell can.
ignoring() {
	"$PYTHON3" -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGALRM, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}

# judged NAME PREFIX...: the program is not started, and the message is the auditor's.
judged() {
	judged_name=$1
	shift
	status=0
	"$@" "$cuaudit" run --hooks 'nosuch' -- "$tmp/plain" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(wc -c <"$tmp/out")" "2 0" "$judged_name: the program is not started"
}

judged "plainly" env
judged "SIGCHLD ignored" ignoring
like "$(cat "$tmp/err")" "^cuaudit: there is no hook module 'nosuch'" "... and why"
is "$(ignoring "$cuaudit" run --hooks stat -- cat /proc/self/status | grep SigIgn)" \
	"$(ignoring cat /proc/self/status | grep SigIgn)" "... the program ignores it, too"

for closed in '<&-' '>&-' '<&- >&-' '2>&-'; do
	status=0
	eval '"$cuaudit" run --hooks nosuch -- "$tmp/plain" 2>"$tmp/err" '"$closed" || status=$?
	is "$status" 2 "$closed: the program is not started"
	test "$closed" = '2>&-' ||
		like "$(cat "$tmp/err")" "^cuaudit: there is no hook module 'nosuch'" "... and why"
done
ok "all closed, and settings that are understood" sh -c \
	'"$0" run -d sim --hooks stat -- sh -c "exit 0" <&- >&- 2>&-' "$cuaudit"

# A plug-in that takes for ever is ended, whatever its caller does with SIGALRM.
helper tool/hang.so
status=0
ignoring timeout -s KILL 120 "$cuaudit" run --hooks "$tmp/hang.so" -- "$tmp/plain" \
	>"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(wc -c <"$tmp/out")" "2 0" "SIGALRM ignored: a plug-in that hangs ends the trial"
like "$(cat "$tmp/err")" 'took more than 10 seconds; look at .*plug-ins$' "... and why"
done_testing
