# SPDX-License-Identifier: Apache-2.0
# cuaudit stat between its caller and the program: signals, statuses, what is inherited, outputs.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helper stat/workers
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"
ulimit -c 0

# begun FILE: waits until there is a line in it.
begun() {
	timeout 300 sh -c 'until test -s "$1"; do sleep 0.01; done' sh "$1"
}

# how it ends
for how in 'exit 7:7' 'exit 2:2' 'kill -TERM $$:143' 'kill -KILL $$:137' 'kill -USR2 $$:140'; do
	tool stat sh -c "${how%:*}"
	# A shell may say there that it was ended.
	is "$status $(grep '^cuaudit: ' "$tmp/err" | grep -vc 'was counted in any')" "${how##*:} 0" \
		"sh -c '${how%:*}'"
done
status=$(sh -c 'trap "" CHLD; "$0" stat sh -c "exit 7" 2>"$1"; echo $?' "$cuaudit" "$tmp/err")
is "$status" 7 "where SIGCHLD is ignored"
refused 127 'nosuch: no such program; give its path' "no such program" stat nosuch
program broken
# e_machine: PowerPC
printf '\025\000' | dd of="$tmp/broken" bs=1 seek=18 conv=notrunc 2>"$tmp/none"
tool stat --force "$tmp/broken"
is "$status $(grep -c '^cuaudit: cannot run ' "$tmp/err") $(wc -l <"$tmp/err")" "126 1 1" \
	"one that the kernel refuses"
is "$(ls "$TMPDIR")" "" "nothing is left"

# An output of before is no report of a run without one.
for format in text json prometheus; do
	rm -f "$tmp/before"
	tool stat -d sim --format $format -o "$tmp/before" true
	ok "$format: no call, no file" test ! -e "$tmp/before"
	echo yesterday >"$tmp/before"
	ln -f "$tmp/before" "$tmp/link"
	tool stat -d sim --format $format -o "$tmp/before" true
	is "$status $(wc -c <"$tmp/before") $(grep -c "^cuaudit: there is no report of this run; $tmp/before is empty now\$" "$tmp/err")" \
		"0 0 1" "... a file of before is emptied, which is said"
	is "$(wc -c <"$tmp/link")" 0 "... as it is, by whatever name"
	tool stat -d sim --format $format -o "$tmp/before" true
	unlike "$(cat "$tmp/err")" "is empty now" "... once"
done
echo tomorrow >"$tmp/before"
touch -t 203001010000 "$tmp/before"
tool stat -d sim -o "$tmp/before" true
is "$status $(wc -c <"$tmp/before")" "0 0" "... though its time is still to come"
ln -s before "$tmp/symbolic"
tool stat -d sim -o "$tmp/symbolic" "$demo" dlopen
is "$status $(cat "$tmp/err") $(grep -c ' cuInit$' "$tmp/before")" "0  2" "a link to a file is followed"
tool stat -d sim -o "$tmp/symbolic" true
is "$status $(wc -c <"$tmp/before") $(readlink "$tmp/symbolic")" "0 0 before" "... where there is no report, too"
tool stat -d sim -o "$tmp/before" sh -c "echo own >$tmp/before"
is "$(cat "$tmp/before")" "own" "what the program wrote there stays"
echo yesterday >"$tmp/before"
tool stat -d sim -o "$tmp/before" sh -c 'kill -KILL $$'
is "$status $(cat "$tmp/before")" "137 " "... where the program is killed, too"
echo yesterday >"$tmp/before"
tool stat -d sim -o "$tmp/before" sh -c 'echo meanwhile >"$1"' sh "$tmp/before"
is "$(cat "$tmp/before")" meanwhile "... not what somebody else writes there meanwhile"
"$cuaudit" stat -d sim -o "$tmp/before" echo printed >"$tmp/before" 2>"$tmp/err"
is "$(cat "$tmp/before")" printed "... nor the output of the program"
echo yesterday >"$tmp/before"
tool stat -d sim -o "$tmp/before" "$tmp/workers" _exit=9
like "$(cat "$tmp/before")" "^cuaudit: workers: 1 process" "... a report takes its place"
refused 2 '.*' "... and a run that is not begun leaves it" stat -d nowhere -o "$tmp/before" true
like "$(cat "$tmp/before")" "^cuaudit: workers: 1 process" "... as it is"

# Runs that end at the same time, with one output: no report is in the middle of another.
for round in 1 2 3 4 5 6 7 8 9 10; do
	for name in a ab abc abcd abcde abcdef; do
		cp "$tmp/workers" "$tmp/$name"
		"$cuaudit" stat -d sim --json -o "$tmp/together" "$tmp/$name" exit=2 2>>"$tmp/none" &
	done
	wait
	"$PYTHON3" -c '
import json, sys
[json.loads(line) for line in open(sys.argv[1])]' "$tmp/together" 2>>"$tmp/torn" || echo "round $round" >>"$tmp/torn"
done
is "$(cat "$tmp/torn" 2>"$tmp/none")" "" "six runs write to one output: each report there is whole"

# what it inherits
# Old libcs have handlers of their own for 32 and 33.
own=
test "$(loader_family)" = new || own='s/^\(SigI.*\)..\(.......\)$/\1\2/'
same() {
	sed -n "$own"'; s/^\(Sig[BIC]\|ShdPnd\|NoNewPrivs\)/\1/p' "$1" | grep -v '^SigQ'
}
for before in : 'trap "" CHLD INT USR1' 'trap "" HUP PIPE'; do
	sh -c "$before"'; exec cat /proc/self/status' >"$tmp/want"
	sh -c "$before"'; exec "$0" stat cat /proc/self/status' "$cuaudit" >"$tmp/got" 2>"$tmp/err"
	is "$(same "$tmp/got")" "$(same "$tmp/want")" "signals ignored and blocked: $before"
done
is "$(echo line | "$cuaudit" stat cat 2>"$tmp/err")" line "its input is ours"
is "$("$cuaudit" stat sh -c 'ls -l /proc/self/fd' 2>"$tmp/err" | grep -c 'fd/[3-9] \| [3-9] -> ')" \
	"$(sh -c 'ls -l /proc/self/fd' | grep -c 'fd/[3-9] \| [3-9] -> ')" "no descriptor more"

# signals to the tool alone
for signal in TERM:143 HUP:129 INT:130 USR1:138 ALRM:142 IO:157; do
	: >"$tmp/out"
	# In the background the shell would ignore SIGINT, and nohup(1) SIGHUP.
	"$PYTHON3" -c 'import os, signal, sys
for number in signal.SIGINT, signal.SIGHUP:
    signal.signal(number, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$cuaudit" stat -d sim sh -c '"$0" _exit=9; echo begun; exec sleep 100' \
		"$tmp/workers" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	begun "$tmp/out"
	kill "-${signal%:*}" $pid
	status=0
	wait $pid || status=$?
	is "$status $(grep -c '^cuaudit: sh: 1 process, 9 calls ' "$tmp/err")" "${signal#*:} 1" \
		"SIG${signal%:*} ends the program, then there is the report"
done
# A timer that was set before it is the program's, as without it; more time where starting takes long.
for seconds in 1 5 20; do
	status=0
	"$PYTHON3" -c 'import os, signal, sys
signal.alarm(int(sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])' $seconds "$cuaudit" stat -d sim sh -c '"$0" _exit=9; exec sleep 100' \
		"$tmp/workers" >"$tmp/out" 2>"$tmp/err" || status=$?
	! grep -q '^cuaudit: sh: 1 process, 9 calls ' "$tmp/err" || break
done
is "$status $(grep -c '^cuaudit: sh: 1 process, 9 calls ' "$tmp/err")" "142 1" \
	"alarm(2) before it ends the program, then there is the report"
: >"$tmp/out"
"$cuaudit" stat sh -c 'trap "echo got; exit 5" TERM; echo begun; while :; do sleep 0.01; done' \
	>"$tmp/out" 2>"$tmp/err" &
pid=$!
begun "$tmp/out"
kill -TERM $pid
status=0
wait $pid || status=$?
is "$status $(xargs <"$tmp/out")" "5 begun got" "a program that handles it"
: >"$tmp/out"
"$cuaudit" stat sh -c 'echo $$; exec sleep 100' >"$tmp/out" 2>"$tmp/err" &
pid=$!
begun "$tmp/out"
kill -STOP "$(cat "$tmp/out")"
kill -CONT "$(cat "$tmp/out")"
kill "$(cat "$tmp/out")"
status=0
wait $pid || status=$?
is "$status" 143 "a program that is stopped and continued"
: >"$tmp/out"
"$cuaudit" stat sh -c 'echo $$; exec sleep 100' >"$tmp/out" 2>"$tmp/err" &
pid=$!
begun "$tmp/out"
kill -KILL $pid
wait $pid 2>"$tmp/none"
ok "SIGKILL of the tool ends the program, too" timeout 300 sh -c \
	'while kill -0 "$1" 2>"$2"; do sleep 0.01; done' sh "$(cat "$tmp/out")" "$tmp/none"
rm -rf "$TMPDIR"/*

# signals of a terminal: the program has them once
cat >"$tmp/terminal.py" <<'END'
import os, pty, signal, sys, time
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], "stat", sys.executable, "-c", '''
import signal, sys, time
got = []
ended = []
signal.signal(signal.SIGINT, lambda *_: got.append(1))
signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
print("begun", flush=True)
while not ended:    # a handler must not print: it may have come in the middle of that
    time.sleep(0.01)
    if got and got[-1]:
        got.append(0)
        print("caught", flush=True)
print("INT", len(got), flush=True)
sys.exit(6)
'''])
def until(text, seen=b""):
    while text not in seen:
        seen += os.read(fd, 1000)
    return seen
until(b"begun")
os.write(fd, b"\x03")
until(b"caught")
os.kill(pid, signal.SIGTERM)
seen = until(b"INT ")
try:
    while True:
        seen += os.read(fd, 1000)
except OSError:
    pass
status = os.waitpid(pid, 0)[1]
print(seen.decode().split("INT ")[1].split()[0], os.WEXITSTATUS(status))
END
is "$(timeout 300 "$PYTHON3" "$tmp/terminal.py" "$cuaudit")" "2 6" "SIGINT of a terminal: once"

# outputs
cd "$tmp" || exit 99
RANK=3 tool stat -d sim -o 'of-%e-%r-%h-%%-%p' "$tmp/workers" _exit=1 here:exit=2
is "$(ls of-*)" "of-workers-3-$(uname -n)-%-$(sed -n 's/^.* 2  *0  *\([0-9][0-9]*\)  exit 0 .*/\1/p' of-*)" \
	"--output with all fields"
is "$(wc -c <err)" 0 "... and nothing else"
echo old >text && tool stat -d sim -o text "$tmp/workers" _exit=1
is "$(grep -c old text) $(grep -c '^cuaudit: workers: 1 process, 1 call ' text)" "0 1" \
	"what is there is written over"
echo old >text && tool stat -d sim -o text true
is "$(cat text)" "" "... and by a program without calls emptied"
rm -f of-*
CUAUDIT_OUTPUT=$tmp/of-%e tool stat -d sim "$tmp/workers" _exit=1
is "$(wc -c <err) $(grep -c '^cuaudit: workers: 1 process, 1 call ' of-workers)" "0 1" "CUAUDIT_OUTPUT"
CUAUDIT_OUTPUT=x%z refused 2 "CUAUDIT_OUTPUT: '%z' is none of " "... that is none" stat true
refused 2 "--interval takes seconds, 10 or 0\\.5, not '1e-9'" "an interval too short" stat -i 1e-9 true
(ulimit -s 64 && exec "$cuaudit" stat -d sim -o of-small "$demo" dlopen) >out 2>err
is "$? $(cat err)" "0 " "a stack of 64 KiB is enough"
mkdir there
refused 2 "cannot write a report to $tmp/there: it names a directory; choose the path of a file" "an output that cannot be" \
	stat -o there echo ran
for output in newdir/ there/ . .. there/.; do
	refused 2 "--output takes the path of a file, and '$output' names a directory" "stat: -o $output" \
		stat -o "$output" echo ran
	refused 2 "--output takes the path of a file, and '$output' names a directory" "run: -o $output" \
		run -o "$output" echo ran
	CUAUDIT_OUTPUT=$output refused 2 "CUAUDIT_OUTPUT takes PATH with .* not '.*$output'" "CUAUDIT_OUTPUT=$output" run echo ran
done
is "$(ls -A . | grep 'part$')" "" "... nothing is written"
for format in text json prometheus openmetrics; do
	refused 2 "cannot write a report to $tmp/missing/x: No such file" "$format, no directory for it" \
		stat -m $format -o "$tmp/missing/x" echo ran
	mkdir gone
	tool stat -d sim -m $format -o gone/x sh -c '"$1" _exit=1; rmdir gone; exit 3' sh "$tmp/workers"
	is "$status $(grep -c "^cuaudit: .*gone/x: No such file" err) $(grep -c 'cuDriverGetVersion' err)" \
		"3 1 $("$cuaudit" stat -d sim -m $format "$tmp/workers" _exit=1 2>&1 |
			grep -c cuDriverGetVersion)" "$format, which goes: a line, then the report"
done
for format in text prometheus; do
	"$cuaudit" stat -m $format -d sim -o /dev/stdout sh -c 'echo hello; exec "$1" _exit=1' sh "$tmp/workers" \
		>"$tmp/both" 2>"$tmp/err"
	is "$(head -n 1 "$tmp/both") $(test "$(grep -c cuDriverGetVersion "$tmp/both")" -gt 0 && echo yes)" \
		"hello yes" "$format, the program's output: behind it"
done
if test -c /dev/full; then
	tool stat -d sim -o /dev/full "$tmp/workers" _exit=1
	is "$status $(head -n 1 err)" \
		"0 cuaudit: cannot write the report to /dev/full: No space left on device" "a full disk"
else
	skip 1 "no full disk"
fi
"$cuaudit" stat -d sim "$tmp/workers" _exit=1 2>&1 >"$tmp/out" | head -c 1 >"$tmp/none"
ok "a closed stderr" "$cuaudit" stat -d sim "$tmp/workers" _exit=1 2>&-
is "$(ls "$TMPDIR")" "" "nothing is left"
done_testing
