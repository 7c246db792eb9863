# SPDX-License-Identifier: Apache-2.0
# However a program ends under the trace, its threads at work, it ends as without it.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helper trace/ends

# ends NAME OPTIONS HOW THREADS CALLS...: one run for each; what is left has to be readable
ends() {
	ends_name=$1 ends_options=$2 ends_how=$3 ends_threads=$4
	shift 4
	for ends_calls; do
		traced "$ends_options" timeout 300 "$tmp/ends" "$ends_how" "$ends_threads" "$ends_calls"
		test "$status $(cat "$tmp/err")" = "0 " ||
			echo "$ends_calls calls: status $status: $(cat "$tmp/err")"
		checked "$tmp"/traces/*.cutrace | grep -E '^(bad|check failed)'
	done >"$tmp/wrong"
	is "$(cat "$tmp/wrong")" "" "$ends_name"
}

ends "main returns while a thread calls from new call sites" "" return 1 \
	0 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597 2584 4181 6765 10946 17711
ends "three threads" "" return 3 0 10 100 1000 10000 20000
ends "without arguments" "args=no" return 1 0 100 1000 10000
ends "into a ring" "when-full=ring;size=8M" return 2 0 100 1000 9000 17000
ends "with backtraces" "backtrace=cuDriverGetVersion" return 1 0 10 100 1000
ends "exit" "" exit 1 0 100 1000 10000
ends "exit within a driver call" "" callback 1 0 100 1000 10000
ends "quick_exit" "" quick_exit 1 0 1000 10000
ends "_exit" "" _exit 1 0 1000 10000
ends "a child of fork" "" child 1 0 100 1000 10000

# A thread of the hook's own keeps no process alive.
ends "pthread_exit" "" thread 2 0 100 1000 10000
like "$(checked "$tmp"/traces/*.cutrace)" '^process .* finished' "and the file is ended"
ends "pthread_exit of a main thread that never called" "" idle 0 0
like "$(checked "$tmp"/traces/*.cutrace)" '^total 3 ' "and all calls are there"
for how in "thread 2 100" "idle"; do
	status=0
	# shellcheck disable=SC2086 # several arguments
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(interval=100)" timeout 300 "$tmp/ends" $how \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status" 0 "$how: statistics at an interval do not, either"
	like "$(cat "$tmp/err")" ' cuDriverGetVersion' "$how: and are printed at the end"
done

# What of its end is in the file: 1, exit() or return from main; 2, _exit; and the status.
helper trace/quit-lazy lazy
helper trace/quit-now now
family=$(loader_family)

# told FILE...: its end
told() {
	told_file=$(checked "$@" | sed -n 's/^ending \([0-9]*\) status \([0-9]*\)$/\1 \2/p')
	echo "${told_file:-0 0}"
}

# quits STATUS WANT HOW NUMBER [CHILD]: run, and what is told of the end
quits() {
	quits_status=$1 quits_want=$2
	shift 2
	test "$family" = new || quits_want=$(echo "$quits_want" | sed 's/^2 .*/0 0/')
	for quits_binding in lazy now; do
		traced "" timeout 300 "$tmp/$quits_binding" "$@" 2>/dev/null
		is "$status $(told "$tmp"/traces/*)" "$quits_status $quits_want" "$*, bound ${quits_binding}"
	done
}

# A library's call of the same function, bound before or after the program's, is its own.
helper trace/quits.so
for binding in lazy now; do
	for caller in program library; do
		test $caller = library && end="return 3" want="11 2 11" || end="_exit 3" want="3 2 3"
		# Old loaders have nobody told of _exit: the library's comes after exit has told another.
		test "$family" = new || want="${want%% *} $(test $caller = library && echo "1 3" || echo "0 0")"
		# shellcheck disable=SC2086 # two arguments
		traced "" timeout 300 env LD_PRELOAD="$tmp/quits.so" QUITS=$caller \
			"$tmp/$binding" $end 2>/dev/null
		is "$status $(told "$tmp"/traces/*)" "$want" "of two that may, the $caller, bound $binding"
	done
done
# The auditor named twice is no other auditor, beside which calls of _exit are not told.
traced "" timeout 300 env LD_AUDIT="$LIBCUAUDIT:$LIBCUAUDIT" "$tmp/now" _exit 3 2>/dev/null
is "$status $(told "$tmp"/traces/*)" "$(test "$family" = new && echo 3 2 3 || echo 3 0 0)" "twice"
quits 0 "2 0" _exit 0
quits 3 "2 3" _exit 259
quits 4 "2 4" _Exit 4
quits 5 "2 5" quick_exit 5
quits 10 "2 10" handler 0
quits 7 "2 7" thread 7
quits 0 "1 0" exit 0
quits 6 "1 6" exit 262
quits 8 "1 8" return 8
quits 9 "2 9" quits-at-exit 4
quits 137 "0 0" killed-at-exit 4
quits 137 "0 0" kill 0
quits 4 "0 0" system-call 4
# Beside the hook's own thread, which is then the process's last.
quits 4 "0 0" only-thread 4
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(interval=100)" timeout 300 "$tmp/now" only-thread 259 2>"$tmp/err" ||
	status=$?
is "$status" 3 "only-thread, statistics at an interval"
# The hook's own thread ends, however fast chunks become full.
traced "args=no" timeout 300 "$tmp/now" crowd 4
calls=$(checked "$tmp"/traces/* | sed -n 's/^total \([0-9]*\) .*/\1/p')
ok "exit while eight threads call: $calls calls, $(cat "$tmp/out") before" test "$calls" -lt $((8 * $(cat "$tmp/out")))
for child in vfork clone fork; do
	quits 137 "0 0" kill 0 $child
	quits 6 "1 6" exit 6 $child
done
traced "" "$tmp/now" exit 2 worker
test "$family" = new && want="1 2,2 9," || want="0 0,1 2,"
is "$(for file in "$tmp"/traces/*; do told "$file"; done | sort | tr '\n' ',')" "$want" \
	"a child that calls, and its parent"
audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/traces/second-%p" CUAUDIT_HOOKS=trace \
	"$tmp/now" killed-at-exit 4 2>/dev/null
"$top_builddir/bin/cuaudit" report "$tmp"/traces/* >"$tmp/text" 2>"$tmp/err"
if test "$family" = new; then
	is "$(for file in "$tmp"/traces/*; do
		"$top_builddir/bin/cuaudit" convert --to jsonl -o - "$file" 2>"$tmp/err" |
			sed -n 's/.*"type":"process".*"finished":\([a-z]*\),\(.*\),"file".*/\1 \2/p'
	done | sort | tr '\n' ';')" \
		'false "ending":"_exit","status":9;true "ending":"exit","status":2;' "convert tells two"
	is "$(grep -E '^  (ended|not fin)' "$tmp/text")" "  ended by      exit, status 2 (1 process)
  ended by      _exit, status 9 (1 process)
  not finished  ended by _exit, exec or a signal (1 process)" "report tells all three"
	is "$("$top_builddir/bin/cuaudit" report --format json "$tmp"/traces/* 2>"$tmp/err" |
		grep -o '"ending":"[^"]*","status":[0-9a-z]*' | sort)" '"ending":"_exit","status":9
"ending":"exit","status":2
"ending":"unknown","status":null' "its JSON, too"
	"$top_builddir/bin/cuaudit" convert --to otlp -o - "$tmp"/traces/* 2>"$tmp/err" >"$tmp/out"
	is "$(grep -o '"process.exit.code","value":{"intValue":"[0-9]*"' "$tmp/out" | grep -o '[0-9]*"$' |
		sort | tr -d '\n')" '2"9"' "and otlp"
else
	skip 4 "old loaders do not report calls of _exit"
fi
helper trace/own_exit.so plugin.so
for how in "exit 262:6 1;" "_exit 3:3 0;" "quits-at-exit 4:9 0;" "kill 0:"; do
	want=${how#*:}
	test "$family" = new || want=$(echo "$want" | sed 's/.* 0;//')
	# shellcheck disable=SC2086 # two arguments
	is "$(audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$tmp/plugin.so" "$tmp/now" ${how%%:*} 2>"$tmp/err")" \
		"$want" "a plug-in's: ${how%%:*}"
done
if "$PYTHON3" -c 'import ctypes, os' 2>/dev/null; then
	traced "" "$PYTHON3" -c 'import ctypes, multiprocessing, os, sys
cuda = ctypes.CDLL("libcuda.so.1")
def work(status):
    cuda.cuInit(0)
    sys.exit(status)
fork = multiprocessing.get_context("fork")
workers = [fork.Process(target=work, args=(status,)) for status in (0, 5)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()'
	test "$family" = new && want="2 0,2 5," || want="0 0,0 0,"
	is "$(for file in "$tmp"/traces/*; do told "$file"; done | sort | tr '\n' ',')" "$want" \
		"workers of Python's multiprocessing"
else
	skip 1 "no python3 with ctypes"
fi

# The program's own last thread ends the process, as without us.
helper trace/last
# last HOOKS [ARGUMENT]
last() {
	LD_LIBRARY_PATH=$simdir "$tmp/last" $2 >"$tmp/native"
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$1" CUAUDIT_OUTPUT="$tmp/report" timeout 300 \
		"$tmp/last" $2 >"$tmp/audited"
	is "$? $(cat "$tmp/audited")" "0 $(cat "$tmp/native")" \
		"$1: the last thread ends the process${2:+, $2}"
}
# glibc tells how many threads it counts from 2.34 on.
if test "$family" = new; then
	for how in "" fork other; do
		last "trace(file=$tmp/last.cutrace)" $how
		last "stat(interval=100)" $how
		last "stat(interval=100),trace(file=$tmp/last.cutrace)" $how
	done
	like "$(cat "$tmp/native")" 'on the main thread 0, its own data 3, the driver answers 0' \
		"which is another one"
fi

# One of a PID namespace below, where it has another number, runs on.
helper trace/waits
mkfifo "$tmp/hold"
if test "$(id -u)" = 0 && unshare -pf true 2>"$tmp/none"; then
	CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/within.cutrace)" unshare -pf \
		sh -c 'LD_AUDIT=$1 "$2" <"$3" >"$4"; exit 0' sh "$LIBCUAUDIT" "$tmp/waits" "$tmp/hold" "$tmp/called" 2>"$tmp/err" &
	waits=$!
	exec 9>"$tmp/hold"
	timeout 300 sh -c 'until test -s "$1"; do sleep 0.05; done' sh "$tmp/called"
	like "$("$top_builddir/bin/cuaudit" report "$tmp/within.cutrace" 2>&1)" 'not finished  *still running' \
		"a process of a PID namespace is still running"
	exec 9>&-
	ok "... until it ends" wait "$waits"
	unlike "$("$top_builddir/bin/cuaudit" report "$tmp/within.cutrace" 2>&1)" 'still running' "... and later not"
	rm "$tmp/called"
else
	skip 3 "no PID namespace here"
fi

# A process whose program was removed runs on.
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/waits.cutrace)" "$tmp/waits" <"$tmp/hold" >"$tmp/called" 2>"$tmp/err" &
waits=$!
exec 9>"$tmp/hold"
timeout 300 sh -c 'until test -s "$1"; do sleep 0.05; done' sh "$tmp/called"
rm "$tmp/waits"
like "$("$top_builddir/bin/cuaudit" report "$tmp/waits.cutrace" 2>&1)" 'not finished  *still running' \
	"a program that was removed meanwhile is still running"
helper trace/patch
cp "$tmp/waits.cutrace" "$tmp/step.cutrace"
ok "the clock is set forward" "$tmp/patch" "$tmp/step.cutrace" step 3600
like "$("$top_builddir/bin/cuaudit" report "$tmp/step.cutrace" 2>&1)" 'not finished  *still running' "... while it runs"
if test "$(id -u)" = 0 && unshare -m sh -c 'umount -l /proc' 2>"$tmp/none"; then
	like "$(unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$top_builddir/bin/cuaudit" report "$tmp/waits.cutrace" 2>&1)" \
		'not finished  *ended by _exit, exec or a signal, or still running' "... which nobody knows without /proc"
else
	skip 1 "no mounting here"
fi
exec 9>&-
ok "... until it ends" wait "$waits"
# Nobody's list of exit handlers is touched but for a module that is told of exits.
helper hostile/exits.so
for hooks in "" coverage leak "limit(deny=cuMemAlloc)" "coverage,leak" stat "coverage,stat" "trace(file=$tmp/%p.cutrace)"; do
	printed=$(audited LD_PRELOAD="$tmp/exits.so" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$hooks" CUAUDIT_OUTPUT="$tmp/report" \
		"$top_builddir/demo/cudemo" dlopen 2>&1 | grep -c '^on_exit$')
	case $hooks in
	*stat | trace*) is "$printed" 1 "${hooks%%(*} is told of exits" ;;
	*) is "$printed" 0 "'$hooks' asks for nothing at exit" ;;
	esac
done
done_testing
