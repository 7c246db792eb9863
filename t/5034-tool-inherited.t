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

# A limit on the size of files, of nothing: what needs no file works, and what is wrong is said.
{
	(ulimit -f 0 && exec "$cuaudit" run -d sim --hooks coverage -- "$top_builddir/demo/cudemo" dlopen)
	echo "status $?"
} 2>&1 | cat >"$tmp/err"
like "$(cat "$tmp/err")" '^cuaudit: coverage of pid ' "no room in files: a report on standard error"
is "$(tail -n 1 "$tmp/err")" "status 0" "... and the program's status"
{
	(ulimit -f 0 && exec "$cuaudit" run --hooks nosuch -- "$tmp/plain")
	echo "status $?"
} 2>&1 | cat >"$tmp/err"
like "$(cat "$tmp/err")" "^cuaudit: there is no hook module 'nosuch'" "... what is wrong with settings is found"
is "$(tail -n 1 "$tmp/err")" "status 2" "... and the program is not started"
{
	(ulimit -f 0 && exec "$cuaudit" stat -d sim -- "$top_builddir/demo/cudemo" dlopen)
	echo "status $?"
} 2>&1 | cat >"$tmp/err"
like "$(cat "$tmp/err")" 'cannot save statistics .*the limit on the size of files is too low; raise it with ulimit -f' \
	"... stat says what is in its way"

# A library that says more than a pipe holds, and leaves a process that has the pipe.
mkfifo "$tmp/fifo"
compile -shared -fPIC -DFIFO="\"$tmp/fifo\"" -o "$tmp/stays.so" -x c - <<'END'
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void __attribute__((constructor)) start(void)
{
	char line[1000];

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < 300; i++)
		if (write(2, line, sizeof(line)) < 0)
			_exit(1);
	if (!fork())
		_exit(open(FIFO, O_RDONLY) < 0);
}
END
status=0
LD_PRELOAD="$tmp/stays.so" timeout -k 10 300 "$cuaudit" run -d sim --hooks coverage -- "$tmp/plain" \
	>"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/out")" "0 ran" "a library that says much and leaves a process"
: >"$tmp/fifo"

# A plug-in that takes for ever is ended, whatever its caller does with SIGALRM.
helper tool/hang.so
status=0
ignoring timeout -s KILL 120 "$cuaudit" run --hooks "$tmp/hang.so" -- "$tmp/plain" \
	>"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(wc -c <"$tmp/out")" "2 0" "SIGALRM ignored: a plug-in that hangs ends the trial"
like "$(cat "$tmp/err")" 'took more than 10 seconds; look at .*plug-ins$' "... and why"
done_testing
