# SPDX-License-Identifier: Apache-2.0
# Every call is in the trace, whatever way the process ends.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helper stat/ends
family=$(loader_family)

# is_ends FILE CALLS NAME: of t/stat/ends.c
is_ends() {
	checked "$1" >"$tmp/text"
	is "$(awk '$1 == "call" { n[$4 " " $6]++ } END { for (i in n) print i, n[i] }' "$tmp/text" |
		sort)" "cuDeviceGetCount 1 $2
cuDriverGetVersion 0 $2
cuInit 0 1" "$3: each call with its result"
}

for how in return:0 exit:0 _exit:0 abort:134 fault:139 kill:137; do
	expected=${how#*:}
	how=${how%:*}
	traced "" "$tmp/ends" 1000 "$how" 2>/dev/null
	is "$status" "$expected" "$how: the program's own status"
	is_ends "$tmp"/traces/*.cutrace 1000 "$how"
	is "$(grep cuaudit: "$tmp/err")" "" "$how: nothing is said"
	case $expected in
	0) test "$how" = _exit ||
		like "$(cat "$tmp/text")" '^process .* finished ' "$how: finished" ;;
	*) unlike "$(cat "$tmp/text")" '^process .* finished ' "$how: not finished" ;;
	esac
	case $how in
	return | exit) expected= ;;
	*) expected='ended by _exit, exec or a signal' ;;
	esac
	test "$how $family" != "_exit new" || expected='_exit, status 0'
	is "$("$top_builddir/bin/cuaudit" report "$tmp"/traces/*.cutrace 2>&1 |
		sed -n 's/^  not finished  //p; s/^  ended by      //p')" \
		"$expected" "$how: report says how it ended, as far as it is known"
done

traced "" "$tmp/ends" 10 main-first
is "$(checked "$tmp"/traces/* | number '^call ')" 23 "main ends first, another thread exits"
traced "" "$tmp/ends" 20 fork
for file in "$tmp"/traces/*; do
	checked "$file" | number '^call .* cuDriverGetVersion'
done | sort -n >"$tmp/counts"
is "$(cat "$tmp/counts")" "3
20" "fork: each process has a file with its own calls"
like "$(checked "$tmp"/traces/* | grep '^thread' | sort -u)" '^thread 1 ' "fork: threads are numbered anew"
traced "" "$tmp/ends" 20 fork-silent
set -- "$tmp"/traces/*
is $# 1 "fork: a child that does not call has none"
traced "" "$tmp/ends" 100 exec
set -- "$tmp"/traces/*
is "$#: $1" "2: ${2%.cutrace}.1.cutrace" "exec: two files of one process, *.cutrace both"
is_ends "$2" 100 "exec: the first program"
is_ends "$1" 5 "exec: the second"
is "$("$top_builddir/bin/cuaudit" report "$tmp/traces" --format json |
	grep -o '"path":"[^"]*\.cutrace"' | cut -d '"' -f 4 | head -n 2)" \
	"$2
$1" "exec: a directory is read in that order"
traced "" "$tmp/ends" 0 uncalled
is "$(ls "$tmp/traces"; cat "$tmp/err")" "" "a program that does not call: no file and no word"

# Where the file is.
mkdir "$tmp/here"
(cd "$tmp/here" && audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=trace "$tmp/app" call 3)
like "$(ls "$tmp/here")" '^app-[0-9]+\.cutrace$' "without CUAUDIT_OUTPUT: in the current directory"
traced "file=$tmp/here/%e.trace" "$tmp/app" call 4
is "$(checked "$tmp/here/app.trace" | number '^call ')" 5 "file="
cp "$tmp/here/app.trace" "$tmp/here/copy"
traced "file=$tmp/here/%e.trace" "$tmp/app" call 6
ok "a file that is there is not written over" cmp "$tmp/here/app.trace" "$tmp/here/copy"
is "$(checked "$tmp/here/app.trace.1" | number '^call ')" 7 "but one beside it"
traced "file=$tmp/here/%z" "$tmp/app" call 1
like "$(cat "$tmp/err")" "file takes a path .* not '$tmp/here/%z'" "a field that is none"
traced "file=$tmp/nowhere/x" "$tmp/app" call 4
is "$status" 0 "a directory that is not there: the program runs"
like "$(cat "$tmp/err")" "trace: $tmp/nowhere/x cannot be written: the directory does not exist; create it; .*
.*trace: 5 calls are not in any file" "and it is reported, with what is lost"

# What is in it.
traced "" "$tmp/app" call 3
checked "$tmp"/traces/* >"$tmp/text"
like "$(cat "$tmp/text")" '^driver 0 version [0-9]+ .*/libcuda\.so\.1$' "the driver"
like "$(cat "$tmp/text")" "^library 1 $tmp/app base [0-9a-f]+ id [0-9]+\$" "the library"
like "$(cat "$tmp/text")" "^process [0-9]+ of [0-9]+ rank -1 $tmp/app $tmp/app finished error 0" "the process"
like "$(cat "$tmp/text")" '^thread 1 tid [0-9]+ (app|qemu-.*)$' "the thread"
SLURM_PROCID=17
export SLURM_PROCID
traced "" "$tmp/app" call 1
unset SLURM_PROCID
like "$(checked "$tmp"/traces/*)" '^process .* rank 17 ' "the rank"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/traces/launcher.cutrace)" "$tmp/app" call 1
like "$("$top_builddir/bin/cuaudit" report "$tmp"/traces/*.cutrace)" '^cuaudit: 2 processes of 1 rank: ' \
	"a process that has none is no other rank"

# What becomes of the file while the process runs.
helper trace/removes
mkdir "$tmp/gone"
traced "file=$tmp/gone/x" "$tmp/removes" "$tmp/gone/x" "$tmp/gone"
is "$status" 0 "a directory that is removed: the program runs"
like "$(cat "$tmp/err")" "trace: $tmp/gone/x was removed or replaced while the process ran, with 100001 calls; " \
	"and it is reported"
mkdir "$tmp/gone"
status=0
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(text)" CUAUDIT_OUTPUT="$tmp/gone/x" "$tmp/removes" \
	"$tmp/gone/x.trace" "$tmp/gone" 2>"$tmp/err" || status=$?
like "$status $(cat "$tmp/err")" "^0 cuaudit: trace: $tmp/gone/x.trace was removed or replaced while the process ran; " \
	"text: it is reported, too"
ln -s /dev/null "$tmp/here/x.trace"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(text)" CUAUDIT_OUTPUT="$tmp/here/x" "$tmp/app" call 3 \
	2>"$tmp/err"
is "$? $(cat "$tmp/err")" "0 " "... and of a link to a device no word"

# closes DESCRIPTORS HOW LINES REGEX WHAT: the lines in the file of a program that closes descriptors, and what is said.
helper trace/closes
closes() {
	rm -f "$tmp"/here/x.trace*
	status=0
	(ulimit -n "$1" && cd "$tmp/here" && audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(text)" \
		CUAUDIT_OUTPUT="$tmp/here/x" "$tmp/closes" "$2" "$tmp/here/x.trace") 2>"$tmp/err" || status=$?
	is "$status $(number cuInit <"$tmp/here/x.trace")" "0 $3" "text, a program that $5: its lines"
	like "$(cat "$tmp/err")" "$4" "... what is said, and what the program put there is as it was"
}
lost="^cuaudit: trace: 100 lines could not be written to $tmp/here/x\\.trace:"
closes 1024 closes 101 '^$' "closes its descriptor"
closes 1024 takes 101 '^$' "has files of its own by the numbers"
closes 64 takes 1 "$lost too many files are open; raise the limit with ulimit -n\$" "has no descriptor left"
closes 1024 replaces 0 "$lost the file was removed or replaced; leave it while the process runs\$" "replaces the file"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(text)" "$tmp/closes" closes "$tmp/none" 2>"$tmp/err"
is "$? $(number cuInit <"$tmp/err") $(number cuaudit <"$tmp/err")" "0 101 0" "text, the same on standard error"
helper trace/opens
(ulimit -n 64 && traced "print" "$tmp/opens")
like "$(cat "$tmp/err")" "^cuaudit: trace: 1 call in $tmp/traces/" \
	"a program without a descriptor left: its trace is not reported to be gone"
for blocks in 100 700; do
	(ulimit -f $blocks && traced "" "$tmp/removes"; echo "$status" >"$tmp/status")
	is "$(cat "$tmp/status" 2>/dev/null || echo 0)" 0 "a limit of $blocks blocks: the program runs"
	like "$(cat "$tmp/err")" 'the limit on the size of files is too low; raise it with ulimit -f; further' \
		"$blocks blocks: and it is reported"
	is "$(sed -n 's/.*trace: \([0-9]*\) calls are not in .*: [ti][a-z ]*/\1/p' "$tmp/err")" \
		$((100001 - $(checked "$tmp"/traces/* 2>/dev/null | number '^call '))) "$blocks blocks: what is missing"
done
traced "" "$tmp/app" call 100
is "$(checked "$tmp"/traces/* | awk '$1 == "call" && $14 > last { n++; last = $14 } END { print n }')" \
	101 "times go on"

# Threads.
threads=100
test -z "${LONG_TESTS-}" || threads=1000
traced "" "$tmp/app" threads $threads 500
checked "$tmp"/traces/* >"$tmp/text"
is "$(awk '/^calls of/ { n[$5]++ } END { print n[1], n[500] }' "$tmp/text")" "1 $threads" \
	"$threads threads at once: each call of each"
is "$(number '^thread .* ended' <"$tmp/text")" $threads "and their ends"
short=20000
test -z "${LONG_TESTS-}" || short=100000
traced "" "$tmp/app" short $short 3
checked "$tmp"/traces/* >"$tmp/text"
is "$(awk '/^calls of/ { n[$5]++ } END { print n[3] }' "$tmp/text")" $short \
	"$short threads of three calls"
ok "and a small file" test "$(wc -c <"$(echo "$tmp"/traces/*)")" -lt $((short * 300))

# Handlers that call at any moment.
traced "" "$tmp/app" storm 300000
checked "$tmp"/traces/* >"$tmp/text" 2>&1
is "$(awk '/^lost/ { lost = $5 } /^total/ { print $2 + lost - 1 }' "$tmp/text")" "$(cat "$tmp/out")" \
	"a handler that calls at any moment: all are written or counted"
test "$status" = 0 && ! grep -q '^check failed' "$tmp/text" ||
	diag "ended with $status: $(cat "$tmp/err"); the reader: $(tail -n 3 "$tmp/text"); $(df -k "$tmp" | tail -n 1)"
like "$(grep '^call .* depth 1 ' "$tmp/text" | head -n 1)" . "some of them inside of others"
is "$(number '^check failed' <"$tmp/text")" 0 "nothing in it is wrong"

# A record holds 16 bits of what calls are told apart by.
helper trace/far
rm -rf "$tmp/traces"
audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/traces.%p" CUAUDIT_FUNCTIONS= \
	CUAUDIT_HOOKS="trace(functions=cuDriverGetVersion;file=$tmp/far.cutrace),limit(memory=1G)" "$tmp/far" \
	>"$tmp/out" 2>&1
is "$? $(checked "$tmp/far.cutrace" | awk '/^call / {
	for (i = 1; i < NF; i++) if ($i == "id") id = $(i + 1)
	if (before) print id - before; before = id }' | tr '\n' ' ')" "0 70001 70001 " \
	"calls with 70,000 of other hooks between them"

# A file ends behind its last record, in whatever chunk that is: none is left that was made ready.
traced "" "$tmp/ends" 10 threads
size=$(wc -c <"$(ls "$tmp"/traces/*.cutrace)")
ok "a file ends with what a thread left ($size bytes)" test $((size % 262144)) -ne 0 -a "$size" -lt 786432
helper trace/app
traced "" "$tmp/app" mixed 60000
size=$(wc -c <"$(ls "$tmp"/traces/*.cutrace)")
ok "... not with chunks that were made ready ($size bytes)" test $((size % 262144)) -ne 0 -a "$size" -gt 786432
done_testing
