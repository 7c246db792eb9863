# SPDX-License-Identifier: Apache-2.0
# cuaudit stat of a program of many processes: one report, with each of them, however they ended.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

command -v jq >/dev/null 2>&1 || skip_all "no jq"
helper stat/workers
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"
ulimit -c 0

# Old loaders do not report calls of _exit.
quit="_exit 0"
quit_text="_exit 0 $tmp/workers"
if test "$(loader_family)" = old; then
	quit="unknown -"
	quit_text="not by exit()"
fi

# stat ARGUMENT...: of cuaudit stat --json; the report is in $tmp/json, all else in $tmp/err
stat() {
	rm -f "$tmp/json"
	tool stat --json -d sim -o "$tmp/json" "$@"
}

# ends: the processes: calls, how they ended, their status; by calls
ends() {
	jq -r '.processes[] | [.calls, .ended, .status // "-"] | @tsv' "$tmp/json" | sort -n | tr '\t' ' '
}

# total: of the table, of the processes, of the libraries and of the threads, if they are equal
total() {
	jq -c '[[.functions[].calls], [.processes[].calls], [.libraries[].functions[].calls],
		[.threads[].calls]] | map(add) | unique' "$tmp/json"
}

stat "$tmp/workers" exit=1 _exit=10 quick=100 kill=1000 term=10000 silent=0 abort=3 here:_exit4=7
is "$status $(cat "$tmp/err")" "4 " "a program of eight processes: its status"
is "$(wc -l <"$tmp/json") $(total)" "1 [11121]" "... one report, with all of their calls"
is "$(ends)" "1 exit 0
3 unknown -
7 _exit 4
10 $quit
100 $quit
1000 unknown -
10000 unknown -" "... each with its own; that which did not call is not there"
is "$(jq -r '.processes | map(.pid) | unique | length' "$tmp/json")" 7 "... by pid"
is "$(jq -r '.processes[].command' "$tmp/json" | sort -u)" \
	"$tmp/workers exit=1 _exit=10 quick=100 kill=1000 term=10000 silent=0 abort=3 here:_exit4=7" \
	"... with its command"
is "$(ls "$TMPDIR")" "" "nothing is left"
stat "$tmp/workers" warm _exit=10 silent=0 kill=20 exit=0
is "$status $(ends | xargs)" "0 10 $quit 20 unknown -" \
	"a program that knows the driver before: children without calls are not there"

helper stat/signalled.so
LD_PRELOAD=$tmp/signalled.so tool stat -d sim "$tmp/workers" exit=0
is "$status $(ls "$TMPDIR")" "143 " "a signal at the beginning: nothing is left"

# The text.
tool stat -d sim "$tmp/workers" exit=1 _exit=10 kill=100
like "$(cat "$tmp/err")" '^cuaudit: workers: 3 processes, 111 calls of 1 driver function, ' "the title"
is "$(sed -n '/ Process$/,/^$/p' "$tmp/err" | awk 'NR > 1 && NF { print $3, $6, $7, $8 }' | sort -n)" \
	"1 exit 0 $tmp/workers
10 $quit_text
100 not by exit()" "the processes"
like "$(cat "$tmp/err")" '^  escapes       2 processes: not known, .*exit\(\)$' \
	"what is not known of those that did not end by exit"
is "$(awk 'length > 132' "$tmp/err" | grep -v "$tmp")" "" "no line is wider than 132 columns"

# A bare clone shares the file with its parent, without knowing what is in it.
stat "$tmp/workers" bare=3
is "$(jq -c '[(.functions | map({(.name): .calls}) | add), .lost_calls]' "$tmp/json")" \
	'[{"cuInit":7,"cuDriverGetVersion":3},5]' "a child by clone: its calls are lost, and counted"

# exec: the same process, two programs.
stat sh -c '"$1" _exit=5; exec "$1" here:exec=6' sh "$tmp/workers"
is "$status $(ends)" "0 3 exit 0
5 $quit
6 exec -" "sh -c 'exec'"
is "$(jq -r '.processes | map(.pid) | unique | length' "$tmp/json")" 2 "... is one process"
stat "$tmp/workers" here:exec=6
is "$status $(ends | xargs)" "0 3 exit 0 6 exec -" "a program that becomes another"
stat "$tmp/workers" here:exec-other=6
is "$status $(ends | xargs)" "0 6 _exit 0" "... that does not call"
tool stat -d sim -m prometheus -o "$tmp/prom" "$tmp/workers" _exit=4 here:exec=6
is "$(sed -n 's/^cuaudit_calls_total{.* //p' "$tmp/prom" | sort -n | xargs)" "4 9" \
	"metrics: a series for each process, with both of its programs"
is "$(sed 's/ [^ ]*$//' "$tmp/prom" | grep -v '^#' | sort | uniq -d)" "" "... once"

# A crowd: by _exit, in a hundred processes at a time.
stat sh -c 'for i in 1 2 3 4 5; do
	i=0; while test $i -lt 20; do "$1" _exit=$i kill=1 & i=$((i + 1)); done; wait; done' sh "$tmp/workers"
is "$status $(jq '.processes | length' "$tmp/json") $(total)" "0 195 [1050]" \
	"200 processes by _exit and SIGKILL: all but the 5 without a call"
is "$(ls "$TMPDIR")" "" "nothing is left"

# Those that outlive it.
tool stat -d sim -o "$tmp/text" "$tmp/workers" sleep=8 _exit=3
pid=$(cat "$tmp/out")
like "$(cat "$tmp/err")" "^cuaudit: 1 process of workers still runs; later calls are not in this report; for these: cuaudit report $TMPDIR/cuaudit-stat-" \
	"a process that goes on: it is reported"
kept=$(sed 's/.*cuaudit report //' "$tmp/err")
like "$(cat "$tmp/text")" "^.* 8 +0 +$pid  still running +" "... in the report"
like "$("$cuaudit" report "$kept")" "^.* 8 +0 +$pid  still running +" "... its statistics are kept"
kill "$pid"
timeout 300 sh -c 'while kill -0 "$1" 2>"$2"; do sleep 0.01; done' sh "$pid" "$tmp/none"
like "$("$cuaudit" report "$kept")" "^.* 8 +0 +$pid  not by exit\(\) +" "... and later it is not"
rm -r "$kept"

tool stat -d sim sh -c 'sleep 100 >/dev/null 2>&1 & echo $!; "$1" _exit=3' sh "$tmp/workers"
like "$(tail -n 1 "$tmp/err")" "^cuaudit: 1 process of sh still runs; " "one that has not called yet"
kill "$(cat "$tmp/out")"
rm -r "$TMPDIR"/*

# In a PID namespace below, where it has another number, which may be another process's here.
# within WORD: it runs until something is written to $tmp/go; the number that it has there is in $tmp/inner
# shellcheck disable=SC2016
within() {
	tool stat -d sim -o "$tmp/text" sh -c 'cd "$2" && ulimit -f "$4" && unshare -pf sh -c '\''
		"$1" sleep=8 "$3" >"$2/inner"; echo >called; read -r line <go'\'' sh "$@" >/dev/null 2>&1 &
		read -r line <"$2/called"' sh "$tmp/workers" "$tmp" _exit=3 "$1"
}
if test "$(id -u)" = 0 && unshare -pf true 2>"$tmp/none"; then
	mkfifo "$tmp/called" "$tmp/go"
	within unlimited
	like "$(cat "$tmp/text")" "^.* 8 +0 +$(cat "$tmp/inner")  still running +" "in a PID namespace: it is still running"
	like "$(cat "$tmp/text")" "^.* 3 +0 +[0-9]+  (_exit 0|not by exit)" "... and one that ended there is not"
	like "$(tail -n 1 "$tmp/err")" '^cuaudit: [0-9] processes of sh still run; ' "... as is reported"
	kept=$(sed 's/.*cuaudit report //' "$tmp/err")
	like "$("$cuaudit" report "$kept")" "^.* 8 +0 +[0-9]+  still running +" "... its statistics are kept"
	echo >"$tmp/go"
	timeout 300 sh -c 'while "$1" report "$2" | grep -q "still running"; do sleep 0.01; done' sh "$cuaudit" "$kept"
	like "$("$cuaudit" report "$kept")" "^.* 8 +0 +[0-9]+  not by exit\(\) +" "... and later it is not"
	rm -r "$kept"
	within 100
	is "$(grep -c ' left no statistics: ' "$tmp/err") $(grep -c ' processes of sh still run; ' "$tmp/err")" "1 1" \
		"... one without room for its statistics"
	like "$(cat "$tmp/err")" '^cuaudit: 1 process of sh left no statistics' "... is not said to have ended"
	echo >"$tmp/go"
	rm -r "$TMPDIR"/*
else
	skip 7 "no PID namespace here"
fi

# Without /proc nobody knows.
if test "$(id -u)" = 0 && unshare -m sh -c 'umount -l /proc' 2>"$tmp/none"; then
	unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$cuaudit" stat -d sim -o "$tmp/text" "$tmp/workers" \
		sleep=8 _exit=3 >"$tmp/out" 2>"$tmp/err"
	like "$(cat "$tmp/err")" "^cuaudit: whether processes of workers still run is not known: /proc is not there; for calls of these: cuaudit report $TMPDIR/cuaudit-stat-" \
		"without /proc: that is said"
	like "$("$cuaudit" report "$(sed 's/.*cuaudit report //' "$tmp/err")")" " 8 +0 +$(cat "$tmp/out")  " \
		"... the statistics are kept"
	kill "$(cat "$tmp/out")"
	rm -r "$TMPDIR"/*
else
	skip 2 "no mounting here"
fi

# One that ends when what there is has just been read.
helper stat/behind.so
mkfifo "$tmp/behind"
# shellcheck disable=SC2016
BEHIND=$tmp/behind LD_PRELOAD=$tmp/behind.so stat sh -c '
	{ "$1" _exit=20 silent=0; } 9>"$0" & exec "$1" exit=1' "$tmp/behind" "$tmp/workers"
is "$status $(total) $(ls "$TMPDIR") $(cat "$tmp/err")" "0 [21]  " \
	"a process that ends after the statistics were read is in the report"

# Names.
odd=$(printf 'o d\nd;)%%p')
mkdir "$tmp/$odd" && cp "$tmp/workers" "$tmp/$odd/$odd"
TMPDIR=$tmp/$odd stat "$tmp/$odd/$odd" _exit=3 exit=2
is "$status $(total) $(cat "$tmp/err")" "0 [5] " "directories and programs with any name"
is "$(ls "$tmp/$odd")" "$odd" "... nothing is left"
is "$(cd "$tmp/$odd" && TMPDIR=. && export TMPDIR && stat -K 'a b' "./$odd" _exit=3 &&
	total && ls 'a b' | sed 's/.*-[0-9]*\.part$/ok/')" "[3]
ok" "... relative ones"

# No program that calls.
tool stat -d sim true
is "$status $(cat "$tmp/err")" \
	"0 cuaudit: no call of the CUDA driver was counted in any process of true; see cuaudit doctor" \
	"a program without driver calls"
# watched TEXT VARIABLE=VALUE...: what is said of a program that calls none of it
watched() {
	watched_text=$1
	shift
	status=0
	$run_env "$@" "$cuaudit" stat -d sim true >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(sed 1q "$tmp/err")" "0 cuaudit: no call of $watched_text; see cuaudit doctor" "what was watched: $*"
}
watched "what is watched was counted in any process of true, with CUAUDIT_DOMAINS=runtime" CUAUDIT_DOMAINS=runtime
if test "$(loader_family)" = new; then
	watched "what is watched was counted in any process of true, with CUAUDIT_PROVIDERS=libz.so.1" CUAUDIT_PROVIDERS=libz.so.1
fi
watched "the CUDA driver was counted in any process of true, with CUAUDIT_DOMAINS=driver CUAUDIT_EXCLUDE=libx.so\
 CUAUDIT_FUNCTIONS=cuInit CUAUDIT_INCLUDE=(main)" CUAUDIT_FUNCTIONS=cuInit CUAUDIT_INCLUDE='(main)' \
	CUAUDIT_EXCLUDE=libx.so CUAUDIT_DOMAINS=driver
watched "the CUDA driver was counted in any process of true" CUAUDIT_FUNCTIONS= CUAUDIT_LOG=warn

# Directories that cannot be.
TMPDIR=$tmp/missing refused 2 "cannot create a directory for statistics in $tmp/missing: .*; set TMPDIR " \
	"no directory" stat true
refused 2 "$tmp/workers: Not a directory" "a file to keep them in" stat -K "$tmp/workers" true
refused 2 "--keep takes PATH, not ''" "no name for it" stat -K '' true

# Files that cannot grow, or cannot be.
status=0
(
	ulimit -f 100
	exec "$cuaudit" stat -d sim "$tmp/workers" _exit=3 exit=2
) >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(grep -c 'cannot save statistics of process [0-9]*: the limit on the size of files is too low; raise it with ulimit -f: ' "$tmp/err")" \
	"0 2" "no room for a file: each process says so"
like "$(cat "$tmp/err")" '^cuaudit: 2 processes of workers left no statistics: ' "... as does the tool"
like "$(cat "$tmp/err")" '^cuaudit: stat: the statistics of process [0-9]*, 2 calls, are not all in the report' \
	"... and one that ends by exit, how many calls are missing"
# In a namespace where it has the number of a process that is another one here.
if test "$(id -u)" = 0 && unshare -pf true 2>"$tmp/none"; then
	(
		ulimit -f 100
		exec "$cuaudit" stat -d sim -- unshare -pf sh -c '"$1" exit=2; exit 0' sh "$tmp/workers"
	) >"$tmp/out" 2>"$tmp/err"
	like "$(cat "$tmp/err")" '^cuaudit: 1 process of unshare left no statistics: ' "in a PID namespace, too"
	is "$(grep -c 'still run' "$tmp/err") $(ls "$TMPDIR")" "0 " "... where it does not run any more"
else
	skip 2 "no PID namespace here"
fi

# Kept, and of two runs.
tool stat -d sim -K "$tmp/kept" "$tmp/workers" _exit=3 exit=2
is "$status $(find "$tmp/kept" -name '*.part*' | wc -l)" "0 2" "--keep"
like "$(cat "$tmp/err")" '^cuaudit: workers: 2 processes, 5 calls' "... prints it, too"
tool report "$tmp/kept"
is "$status $(cat "$tmp/err")" "0 " "cuaudit report of the directory"
like "$(cat "$tmp/out")" '^cuaudit: kept: 2 processes, 5 calls' "... is one report"
tool stat -d sim -K "$tmp/kept" "$tmp/workers" _exit=4
like "$(cat "$tmp/err")" '^cuaudit: workers: 1 process, 4 calls' "a second run is none of the first"
tool report "$tmp/kept"
like "$status $(cat "$tmp/err")" "^0 cuaudit: $tmp/kept: files of 2 runs of cuaudit stat are added up; " \
	"... and report says that they are added up"
like "$(cat "$tmp/out")" '^cuaudit: kept: 2 runs, 3 processes, 9 calls' "... in the report, too"
is "$("$cuaudit" report -m json "$tmp/kept" | jq -c '[.runs, (.processes | map(.run) | unique | length)]')" \
	"[2,2]" "... as JSON"
file=$(find "$tmp/kept" -name '*.part' | head -n 1)
head -c 5000 "$file" >"$tmp/cut" && cp "$tmp/cut" "$file"
tool report "$tmp/kept"
is "$status $(head -n 1 "$tmp/err")" "2 cuaudit: $file: cut short: what is missing is in no figure" \
	"one of them is cut short"

# Without the tool: the same directory of files.
for print in yes no; do
	mkdir "$tmp/plain-$print"
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(print=$print)" \
		CUAUDIT_OUTPUT="$tmp/plain-$print/%h-%p" "$tmp/workers" _exit=3 exit=2 kill=4 here:exit=1 \
		>"$tmp/out" 2>"$tmp/err"
	like "$("$cuaudit" report "$tmp/plain-$print")" \
		"^cuaudit: plain-$print: $(test $print = yes && echo "2 processes, 7" || echo "4 processes, 10") calls" \
		"print=$print, by LD_AUDIT alone: what is there is one report"
done
is "$(wc -c <"$tmp/err")" 0 "print=no: and nothing is printed"
is "$(cat "$tmp"/plain-yes/* | grep -c '^cuaudit: workers (pid ')" 2 "print=yes: the others printed their own"
: >"$tmp/plain-no/foreign.part" && echo hello >"$tmp/plain-no/text.part"
tool report "$tmp/plain-no"
is "$status $(wc -l <"$tmp/err") $(grep -c '^cuaudit: plain-no: 4 processes' "$tmp/out")" "2 2 1" \
	"files that are none: a line each"
tool stat -d sim -K "$tmp/plain-no" "$tmp/workers" _exit=4
is "$(grep -c '^cuaudit: workers: 1 process, 4 calls' "$tmp/err") $(grep -c '\.part' "$tmp/err")" "1 0" \
	"... are nothing to another run there"
rm "$tmp"/plain-no/text.part "$tmp"/plain-no/foreign.part
like "$("$cuaudit" report --diff "$tmp/plain-yes" "$tmp/plain-no" 2>"$tmp/none")" \
	'^ *B: 5 processes, 14 calls' "--diff of directories"

# A report every so often, of all of them.
: >"$tmp/often"
tool stat -J -i 0.05 -d sim -o "$tmp/often" sh -c '"$1" _exit=3; n=0
	while test "$(wc -l <"$2")" -lt 2 && test $n -lt 500; do n=$((n + 1)); sleep 0.02; done
	exec "$1" here:_exit4=5' sh "$tmp/workers" "$tmp/often"
is "$status $(jq -c '[.functions[].calls] | add' "$tmp/often" | sort -nu | xargs)" "4 3 8" "--interval"

# A file of an earlier run, of which nothing was ever written, in a directory that is kept.
mkdir "$tmp/emptied"
: >"$tmp/emptied/host-99999999.part"
touch -d 2020-01-01 "$tmp/emptied/host-99999999.part"
stat --keep "$tmp/emptied" "$tmp/workers" exit=3
is "$status $(cat "$tmp/err") $(total)" "0  [3]" "an empty file of before is no process of this run"
done_testing
