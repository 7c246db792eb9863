# SPDX-License-Identifier: Apache-2.0
# Rules that once held or were taken where they did not mean anything, and what a hostile program does to them.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helpers rules/mended
cd "$tmp" || exit 99
mended=$tmp/mended
loose='at-most 99999999 cuD*Get*'
long=$(printf '%0600d' 0)

# gives STATUS RULES NAME WORD...: what becomes of t/rules/mended.c with these words.
gives() {
	gives_status=$1
	printf '%b\n' "$2" >rules
	gives_name=$3
	shift 3
	status=0
	timeout 300 "$cuaudit" check -d sim --rules rules -- "$mended" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status" "$gives_status" "$gives_name" || diag "$(head -n 8 "$tmp/err")"
}

# says REGEX NAME: a line of what was said last.
says() {
	like "$(cat "$tmp/err")" "$1" "$2"
}

# refuses COLUMN RULES REGEX: they are not understood, for that reason.
refuses() {
	refuses_line=$(printf '%b\n' "$2" | wc -l)
	gives 2 "$2" "refused: $(printf '%b' "$2" | tail -n 1 | cut -c 1-60)"
	says "rules:$refuses_line:$1: .*$3" "... where, and why"
}

# What can never be is no rule.
refuses 19 'never cuInit from train.py' 'a frame is FILE:FUNCTION'
for compiled in app.c:step src/app.cu:24 '*.hpp:*' app.cc:; do
	refuses 19 "never cuInit from $compiled" 'a compiled function is LIBRARY:FUNCTION, if it is exported'
done
refuses 7 'allow app.c:step # why' 'a compiled function is LIBRARY:FUNCTION'
refuses 19 'never cuInit from "tr[ain:x"' 'its \[ has no \]'
refuses 17 'never cuInit in lib[a' 'its \[ has no \]'
refuses 7 'allow li[b:x # why' 'its \[ has no \]'
refuses 18 'at-most 1 cuInit from a:b' "a bound counts calls of all call stacks: it takes no 'from'"
refuses 18 'at-most 1 memory from a:b' "takes no 'from'"
refuses 21 'mark m = 1st cuInit from a:b' "a mark is reached by calls of all call stacks: it takes no 'from'"
refuses 21 'mark m = 1st cuInit per range x' "'in range GLOB'"
refuses 14 'never cuInit per range x' "'in range GLOB'"
refuses 11 'no-errors per range x' "'in range GLOB'"
refuses 20 'same-thread cuInit per range x' "'in range GLOB'"
for condition in 'in libx' 'in range y' 'by k' 'on device 0' 'before main' 'from a:b'; do
	refuses 30 "at-most 0 growth per range x $condition" "growth takes no condition but 'per range GLOB'"
done
refuses 10 'optional mark m = 1st cuInit' "put 'optional' before the rules"
refuses 6 "mark $long = 1st cuInit" 'the name of a mark has at most 55 bytes, this one 600'
refuses 609 "never in$long" 'a rule has at most 447 bytes, this one 608'
refuses 11 "allow a:b # $long" 'a line of allow has at most 239 bytes, this one 612'
gives 0 "mark $(printf '%055d' 0) = 1st cuInit\nnever cuInit after $(printf '%055d' 0)" "the longest name" count

# A process that calls the driver, if nothing that a rule names.
gives 0 'never cuCtxDestroy' "a rule of functions that are not called" calls 1
gives 88 'at-least 1 cuCtxDestroy' "... and one that wants them" calls 1

# Several rules of unchecked errors.
gives 88 'no-unchecked-error except cuMemFree:*\nno-unchecked-error' "unchecked errors: the second rule" free
says '^rules:2: ' "... which"
gives 88 'no-unchecked-error\nno-unchecked-error except cuMemFree:*' "... the first" free
says '^rules:1: ' "... which"
gives 0 'no-unchecked-error except cuMemFree:1\nno-unchecked-error except cuMemFree:*' "... none" free
says 'all 2 rules hold' "... of both"

# A child without a file.
gives 89 "$loose" "a child that can keep no file" child poor calls 3
says 'a child of fork\(\) could not keep a file' "... is said"
gives 89 "$loose" "... nobody waits for it" orphan poor calls 3
gives 89 "$loose" "... a child of a child that called nothing" child child poor calls 3
gives 89 "$loose" "... its own child" child poor calls 1 child calls 3
gives 0 "$loose" "... one that calls nothing" child poor end 0

# A child begins anew, whatever comes first.
# Texts of more than 943 bytes are cut: what their rest might decide is lost.
long=$(printf 'q%.0s' $(seq 943))
for glob in '*z' 'q*z' '*qz' 'q?*' '[q*]*z'; do
	case $glob in q\?\*) means=88 ;; *) means=89 ;; esac
	gives "$means" "optional never cuDriverGetVersion in range $glob" "a text that is cut: $glob" push - "${long}z" calls 1 pop -
done
says '^check: .*NVTX ranges were lost, .* more than 943 bytes' "... what was lost"
gives 89 'optional never cuDriverGetVersion in range *z' "a registered text that is cut" push = "${long}z" calls 1 pop =
gives 88 'never cuDriverGetVersion in range *q' "... and one that is not" push = "$long" calls 1 pop =
says '^  broken once$' "... whose end is there"
for glob in 'step*' 'step' 'q' '?z*'; do
	gives 0 "optional never cuDriverGetVersion in range $glob" "... whatever its rest: $glob" push - "${long}z" calls 1 pop -
done
gives 88 'never cuDriverGetVersion in range *q' "one that is not" push - "$long" calls 1 pop -

gives 88 'at-most 2 cuDriverGetVersion per range step' "a child's first range" child push - step calls 3 pop -
gives 0 'mark m = range step\nnever cuDriverGetVersion before m' "... and mark" child point step calls 3
gives 0 'at-most 2 cuDriverGetVersion per range step' "a range of the parent, counted anew" \
	push - step calls 2 child calls 2 pop -
gives 88 'at-most 2 cuDriverGetVersion per range step' "... too much of the child" \
	push - step calls 2 child calls 3 pop -
gives 0 'at-least 2 cuDriverGetVersion per range step' "... has no too little" \
	push - step calls 2 child pop -
gives 88 'at-most 0 distinct-kernels in range step' "a kernel that the parent launched too" \
	push - step launch a pop - child push - step launch a
# Before glibc 2.35 the child's stack ends at the caller, and so is another one.
folded='2 times'
test "$(loader_family)" = new || folded=once
says "^  $folded: cuLaunchKernel" "... is found"
says '^  broken 2 times' "... in both"

# Frames of rules that once had none.
gives 0 'min-driver 3.0 from nowhere:*' "min-driver: from" copies
gives 88 'min-driver 3.0 from */mended:*' "... which is there" copies
gives 88 'at-most 2 cuDriverGetVersion\nallow mended:* # all' "no allow line is asked about a sum" calls 3
says 'warning: in no call stack' "... and none was used"
says '^  broken once: 3 calls, at most 2 allowed$' "... how often"
gives 0 'at-most 2 cuDriverGetVersion per range s\nallow mended:* # all' "... but about a range" push - s calls 3 pop -
gives 0 'never cuDriverGetVersion from nowhere:*' "many calls whose stacks are looked at" calls 200002
gives 0 'never cuDriverGetVersion\nallow mended:* # all' "... which are allowed" calls 200002
gives 88 'never cuDriverGetVersion' "... which break a rule" calls 200002
says '^  200002 times: cuDriverGetVersion' "... all of them by one stack"
gives 0 'no-errors\noptional allow libnothing*:* # a reason' "a reason" count
gives 88 'no-errors\nallow libnothing*:* # a reason' "..." free
says '^rules:2: allow libnothing\*:\* # a reason$' "... is whole"

# The call that reaches a mark is before it, for marks too.
chain='mark a = 2nd cuDriverGetVersion\nmark b = 1st cuDriverGetVersion after a\nnever cuDriverGetVersion after b'
gives 0 "$chain" "a mark after a mark: a later call" calls 3
gives 88 "$chain" "... and the next one is after both" calls 4
says '^  broken once$' "... alone"

# Ranges are popped by their domain.
per='at-most 2 cuDriverGetVersion per range step*'
gives 0 "$per" "a range of another domain below: the other goes on" \
	push a step1 calls 2 push b step2 calls 1 pop a calls 1 pop b
gives 88 "$per" "... and counts" push a step1 push b step2 calls 2 pop a calls 1 pop b
gives 88 "$per" "... as does the one below" push a step1 calls 2 push b step2 pop b calls 1 pop a
gives 88 'at-least 1 cuDriverGetVersion per range step*' "too little, in the one below" \
	push a step1 push b step2 calls 1 pop a pop b
says 'in this range it was 0' "..."
says '^  broken once: at least 1 allowed$' "... and not how much it was in another"
gives 88 'at-least 18446744073709551615 cuDriverGetVersion' "the most that there can be" calls 3
says 'at least 18446744073709551615 ' "... is a least one"

# What is judged at the pop was not judged where there is none.
least='at-least 2 cuDriverGetVersion per range step'
for rule in "$least" 'exactly 1 cuDriverGetVersion per range step' 'at-most 9999 growth per range step'; do
	gives 88 "$rule" "of no range that is popped: ${rule%% per*}" push - step grows calls 1
	says '^  never reached: the end of its range, of which none of that name was popped$' "... why"
	gives 88 "$rule" "... nor pushed" calls 1
	says '^  never reached: its range, of which none of that name was opened$' "... why"
	gives 0 "optional $rule" "... and optional" push - step grows calls 1
done
gives 0 "$least" "of one that is, and another that is not" push - step calls 2 pop - push - step calls 1
gives 0 "$per" "too much is judged at the call" push - step calls 2

# A process that is killed has said by then what it did not see.
deep=$(for i in $(seq 128); do printf 'push - x '; done)
for killed in killed 'end 0'; do
	gives 89 'never cuDriverGetVersion in range step' "a range too deep to be seen: ${killed% *}" \
		push - step pop - calls 1 child $deep push - step calls 1 $killed
	says 'NVTX ranges were lost' "... is said"
done

# A selector of several parts.
gives 88 'never cuLaunchKernel,%blocking,!%module,!%context' "a function beside %blocking" launch a
gives 88 'never %blocking,cuLaunchKernel,!%module,!%context' "... behind it" launch a
gives 0 'never %blocking,!%module,!%context' "... nothing beside it" launch a
gives 0 'never %blocking,!cuMemAlloc,!cuMemcpyHtoD,!%context' "... nor if others are taken away" copies
gives 88 'never cuDeviceGetCount,%blocking,!%context' "one of no class" count
gives 0 'never cuDeviceGetCount,%blocking on legacy stream' "... is in no stream" count
gives 88 'never cuDeviceGetCount,%blocking on legacy stream' "... as a launch is" launch a

# Calls that wait by their arguments, in rules of each form; what loads and creates is no matter here.
waits='%blocking,!%module,!%context'
gives 88 "at-most 0 $waits" "a bound of calls that wait" copies launch a
says '^  broken 2 times: 2 calls, at most 0 allowed$' "... how many"
gives 0 "exactly 2 $waits" "... which is kept" copies launch a
gives 0 "at-most 0 $waits" "... and where none waits" launch a calls 1
gives 88 "same-thread $waits" "calls that wait on two threads" copies thread copies
says '^  once: cuMemcpyHtoD_v2\(.*; the first such call was on another thread$' "... why"
gives 0 "same-thread $waits" "... on one" copies thread launch a calls 1
gives 0 "same-thread $waits" "... another one" launch a thread copies
gives 88 "mark a = 1st $waits\nnever cuDriverGetVersion after a" "a call after one that waits" launch a copies calls 1
gives 0 "mark a = 1st $waits\nnever cuDriverGetVersion after a" "... before it" launch a calls 1 copies
gives 88 "mark a = 1st $waits\nnever cuDriverGetVersion after a" "... and where none waits" launch a calls 1
says '^  never reached: mark a$' "... the mark is never reached"
gives 88 "mark a = 3rd $waits\nnever cuDriverGetVersion after a" "a mark by one more than there are" copies launch a calls 1
says '^  never reached: mark a$' "... is never reached"

# fails STATUS RULES NAME WORD...: the same where the count of devices cannot be had.
fails() {
	fails_status=$1
	printf '%b\n' "$2" >rules
	fails_name=$3
	shift 3
	tool check -d sim -k "fault(inject=$fault)" --rules rules -- "$mended" "$@"
	is "$status" "$fails_status" "$fails_name" || diag "$(head -n 8 err)"
}
fault=cuDeviceGetCount:error=1
gives 0 'no-errors except %blocking:INVALID_VALUE' "an exception of a class" free
gives 88 'no-errors except %blocking:OUT_OF_MEMORY' "... of a result" free
fails 88 'no-errors except %blocking:INVALID_VALUE' "a function that is not of the class" free
says '^  broken once$' "... alone"
says '^  once: cuDeviceGetCount\(' "... which"

# What breaks a capture, on which thread.
fault=cuDriverGetVersion:error=900
for on in 'first mended' 'other beside'; do
	fails 88 no-capture-breaker "a call that a capture refuses: $on" $(test "$on" = 'first mended' || echo thread) calls 1
	says '^  once: cuDriverGetVersion\(.*\) = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED$' "... which"
	is "$(sed -n 's/^    process \([0-9]*\), thread \([0-9]*\) \([a-z]*\),.*/\1 \2 \3/p' err |
		while read -r process number name; do
			test "$process" = "$number" && echo "first $name" || echo "other $name"
		done)" "$on" "... on which thread"
done

# Frames and kernels that are none of the program's: misspelt, perhaps, or what the rule is for.
no_frame='^  warning: its frame, of which none of that name was in a call stack'
no_kernel='^  warning: its kernel, of which none of that name was launched: see whether it is spelt right'
gives 0 'never cuDriverGetVersion from mendde:*' "a frame that is in no stack" calls 3
says '^rules:1: never cuDriverGetVersion from mendde:\*$' "... which rule"
says "$no_frame.*name the library alone, LIBRARY:\*, of a function that it does not export" "... is said"
gives 0 'never cuDeviceGetCount from mendde:*\nat-most 9 cuDriverGetVersion' "... of a call that another rule looks at" \
	calls 3
says '^rules:1: never cuDeviceGetCount' "... is said"
gives 0 'never cuDeviceGetCount from mended:*\nat-most 9 cuDriverGetVersion' "one that is in a stack of such a call" \
	calls 3
is "$(wc -l <"$tmp/err")" 1 "... is not"
gives 0 'never cuDeviceGetCount from mendde:*' "no stack was looked at" calls 3
is "$(wc -l <"$tmp/err")" 1 "... nothing is known"
gives 0 'optional never cuDriverGetVersion from mendde:*' "an optional rule" calls 3
is "$(wc -l <"$tmp/err")" 1 "... is taken as it is"
gives 0 'never cuDriverGetVersion from libc.so.6:nothing' "a library that has no such function" calls 3
says "$no_frame" "... is said"
gives 0 'never cuDeviceGetCount from mendde:*\nat-most 9 cuDriverGetVersion' "no stack is read on a small one" calls 1 small
gives 88 'never cuDriverGetVersion from mended:*\nallow mendde:* # why\nnever cuDeviceGetCount from mendde:*' \
	"a rule that is broken" calls 1 count
is "$(grep -c warning: "$tmp/err")" 2 "... beside it"
gives 0 'never cuLaunchKernel by *debgu*' "a kernel that is not launched" launch debug
says "$no_kernel" "... is said"
gives 0 'never cuLaunchKernel by *debgu*' "... where none is" calls 1
is "$(wc -l <"$tmp/err")" 1 "... is not"
gives 0 'never cuLaunchKernel by *bug* before main' "one that is" launch debug
is "$(wc -l <"$tmp/err")" 1 "... is not, whatever else does not hold"
gives 88 'at-most 3 kernels by *debgu*' "a bound of a kernel that is not launched" launch debug
says '^  never reached: its kernel, of which none of that name was launched$' "... is never reached"
gives 0 'at-most 3 kernels by *debug*' "... and of one that is" launch debug launch other
gives 0 'at-most 3 kernels by *debgu*' "... where none is" calls 1
gives 0 'optional at-most 3 kernels by *debgu*' "... an optional one" launch debug
gives 0 'exactly 0 kernels by *debgu*' "... and what is not to be" launch debug
says "$no_kernel" "... is said"
cat >step.py <<'END'
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


def late():
    cuda.cuDriverGetVersion(ctypes.byref(ctypes.c_int()))


def step():
    cuda.cuDriverGetVersion(ctypes.byref(ctypes.c_int()))


cuda.cuInit(0)
for i in range(5000):
    step()
for i in range(5000):
    late()
END
"$PYTHON3" -c 'import ctypes' 2>none.err || skip 4 "no python3"
for function in $("$PYTHON3" -c 'import ctypes; print("step late")' 2>none.err); do
	printf 'no-errors\nnever cuInit from step.py:%s\n' $function >rules
	tool check -d sim --rules rules -- "$PYTHON3" step.py
	is "$status $(wc -l <err)" "0 1" "Python: $function is a frame of other calls"
	printf 'no-errors\nnever cuInit from stpe.py:%s\n' $function >rules
	tool check -d sim --rules rules -- "$PYTHON3" step.py
	is "$status $(grep -c "$no_frame" err)" "0 1" "... and misspelt it is of none"
done

# Allow lines that name functions of Python; the file is one of a package.
mkdir -p vllm/v1
cat >vllm/v1/worker.py <<'END'
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


def run():
    for i in range(3):
        cuda.cuCtxSynchronize()
END
cat >main.py <<'END'
from vllm.v1 import worker

worker.cuda.cuInit(0)
worker.run()
END

# worker STATUS ALLOW NAME: what becomes of it with that allow line.
worker() {
	printf '%s\n' 'never cuCtxSynchronize' "$2" >rules
	tool check -d sim --rules rules -- "$PYTHON3" "$tmp/main.py"
	is "$status" "$1" "Python: $3" || diag "$(head -n 8 "$tmp/err")"
}
if "$PYTHON3" -c 'import ctypes' 2>none.err; then
	worker 88 '# none' "a call that is not to be"
	says "^    at .*/vllm/v1/worker\.py:$(grep -n cuCtxSynchronize vllm/v1/worker.py | cut -d: -f1) in run\$" \
		"... in which line of which function"
	says '^  broken 3 times' "... how often"
	for allowed in 'vllm/v1/worker.py:*' 'worker.py:run' '*/v1/worker.py:r?n' "main.py:<module>"; do
		worker 0 "allow $allowed # known" "... is allowed by $allowed"
		is "$(wc -l <err)" 1 "... and the line was used"
	done
	for other in v1/worker.py:other orker.py:run vllm/worker.py:run worker.py:ru; do
		worker 88 "allow $other # x" "... and not by $other"
		says '^  warning: in no call stack' "... which is told"
	done
else
	skip 19 "no python3"
fi

# A signal to cuaudit check, its parent: the mark is reached when the process's file is another one.
cat >ready.py <<'END'
import ctypes
import os
import signal
import sys
import time

cuda = ctypes.CDLL("libcuda.so.1")


def version():
    cuda.cuDriverGetVersion(ctypes.byref(ctypes.c_int()))


def findings():
    for line in open("/proc/self/maps"):
        path = line.split(None, 5)[-1].strip()
        if path.startswith(os.environ["FINDINGS"] + "/"):
            return open(path, "rb").read()
    sys.exit("no file of findings")


def send(name):
    before = findings()
    os.kill(os.getppid(), getattr(signal, "SIG" + name))
    for i in range(2000):
        if findings() != before:
            return
        time.sleep(0.01)
    sys.exit("the mark was not reached")


version()
for name in sys.argv[1:]:
    send(name)
version()
END

# ready STATUS MARKS RULE NAME SIGNAL...
ready() {
	ready_status=$1
	printf '%b\n' "$2" "$3" >rules
	ready_name=$4
	shift 4
	mkdir findings
	FINDINGS=$tmp/findings TMPDIR=$tmp/findings tool check -d sim --rules rules -- "$PYTHON3" ready.py "$@"
	is "$status $(ls findings)" "$ready_status " "$ready_name" || diag "$(head -n 8 err)"
	rmdir findings
}
one='mark w = signal USR1'
two="$one\nmark x = signal SIGUSR2"
if "$PYTHON3" -c 'import ctypes' 2>none.err; then
	ready 88 "$one" 'never cuDriverGetVersion after w' "a call after a signal" USR1
	says '^  broken once$' "... and not the one before it"
	says "^    at .*ready\.py:$(grep -n 'cuda\.cuDriver' ready.py | cut -d: -f1) in version\$" "... where"
	ready 88 "$one" 'never cuDriverGetVersion before w' "a call before a signal" USR1
	says '^  broken once$' "... and not the one after it"
	ready 0 "$one" 'never cuInit after w' "one that is not made" USR1
	ready 88 "$one" 'never cuInit after w' "no signal"
	says '^  never reached: mark w$' "... its mark is never reached"
	ready 88 "$two" 'never cuDriverGetVersion between w x' "the first of two signals" USR1
	says '^  broken once; never reached: mark x$' "... of two"
	ready 0 "$two" 'never cuDriverGetVersion between w x' "both" USR1 USR2
	ready 88 "$two" 'never cuDriverGetVersion after x' "another signal" USR1
	says '^  never reached: mark x$' "... is not that of the mark"
else
	skip 13 "no python3"
fi

# Where the library of a rule does not call, who does.
gives 88 'never cuDriverGetVersion in mendde' "a library that does not call" calls 1
says 'its library, of which none of that name called the driver: calls are of mended; did you mean mended\?$' "... and who does"
gives 88 'never cuDriverGetVersion in mendde' "... of a child, too" child calls 1
says ': calls are of mended; did' "..."
gives 0 'never cuDriverGetVersion in libc.so.6' "... one that is there, and does not" calls 1
gives 0 'optional never cuDriverGetVersion in mendde' "... and one that need not" calls 1
is "$(wc -l <"$tmp/err")" 1 "..."

# Words.
gives 88 'exactly 2 cuDriverGetVersion' "one call" calls 1
says '^  broken: 1 call, exactly 2 allowed$' "... and its bound"
gives 88 'at-most 0 copied any' "bytes" copies
says '64 bytes, at most 0 allowed' "..."
gives 88 no-leak "a leak" copies
says 'never freed, 4096 bytes' "..."

# Of what a range has left over, the call that did it.
grows='at-most 4095 growth per range s*'
gives 88 "$grows" "growth: of three allocations one is left" push - s1 grows pop - push - s2 grows pop -
says '^  2 times: cuMemAlloc_v2\(.*, bytesize = 4096\) = .*; in this range it was 4096$' "... which"
says '^    at .*/mended\.c:[0-9]+ in grows$' "... where, first of all"
gives 88 "$grows" "... in the outer range" push - s1 push - x grows pop - pop -
says 'bytesize = 4096' "... which"
gives 88 "$grows" "... by another thread" push - s1 beside pop -
says 'bytesize = 4096.*; in this range it was 4096$' "... which"
gives 0 "$grows" "... before the range" push - x grows push - s1 free pop - pop -
gives 0 "$grows" "... in another range" push - x grows pop - push - s1 pop -
gives 0 'at-most 4096 growth per range s*' "... not more than may be" push - s1 grows pop -

# Hostile.
gives 89 "$loose" "calls of a signal handler within the hook" alarms
says 'calls were lost, of signal handlers' "... are said"
gives 89 "$loose" "... of a process that ends by _exit" alarms end 0
gives 89 "$loose" "... of one that is killed" alarms killed
gives 88 'never cuDriverGetVersion' "threads that are cancelled where a rule is broken" cancelled
printf '%s\n' "$loose" >rules
status=0
timeout 300 "$cuaudit" check -d sim --rules rules -- "$mended" torn >"$tmp/out" 2>"$tmp/err" || status=$?
like "$status" '^(0|89)$' "a handler that leaves a child's first call: no thread waits for ever"

# Without the command.
alone() {
	printf '%b\n' "$1" >rules
	shift
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="rules(file=rules)" "$mended" "$@" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
}
alone 'at-most 2 cuDriverGetVersion per range step' calls 3
is "$status" 88 "alone: a range that nobody hands on"
says 'NVTX range step: .*NVTX_INJECTION64_PATH is not libcuaudit-nvtx\.so' "... what to do"
ok "... in words of the rules" test "$(grep -c in-range "$tmp/err")" = 0
alone 'at-least 1 cuCtxDestroy' calls 3
is "$status" 88 "alone: none of the functions of a rule is called"
alone 'never cuDriverGetVersion' calls 3
is "$status $(grep -c 'broken: never' "$tmp/err")" "88 1" "alone: a call that is not to be"
alone 'never cuDriverGetVersion' calls 3 end 5
is "$status $(cat "$tmp/err")" "5 " "alone: ... of a process that ends by _exit is not judged"
alone "$loose" alarms
is "$status" 89 "alone: lost calls"
says 'rules: calls were lost, of signal handlers' "... in words"
# A long stack: what is looked at, what is beyond.
from='never cuDriverGetVersion from'
gives 88 "$from libc.so.6:*" "100 frames further out" deep 100
unlike "$(cat err)" ' _start' "... which is not reported"
gives 89 "$from libc.so.6:*" "200 frames further out" deep 200
says "^check: .*more than 128 frames: rules with 'from' did not see the outer ones" "... which is said"
gives 0 "$from libc.so.6:nothing" "a frame that is not in a stack of 100" deep 100
gives 88 "$from libx.so:*" "a frame of a library that is not loaded" deep 100
says 'never reached: the library of its frame, of which none of that name was loaded' "... which is told"
gives 0 "optional $from libx.so:*" "... and may be" deep 100
gives 0 "$from /*lib*/libc.so.6:nothing" "a library by its path" deep 100
gives 88 "$from mended:*" "a frame that is in one of 200" deep 200
gives 88 never\ cuDriverGetVersion "no frame asked for" deep 200
gives 0 "never cuDriverGetVersion\nallow libc.so.6:* # why" "an allow line, 100 frames further out" deep 100

# A frame may be one of those that could not be read, unless it is a library's.
helper python/newer.so
while IFS='|' read -r unread_status unread_frame; do
	echo "never cuInit from $unread_frame" >rules
	tool check -d sim --rules rules -- env LD_PRELOAD="$tmp/newer.so" "$demo" dlopen
	is "$status" "$unread_status" "Python that cannot be read, from $unread_frame"
	is "$(grep -c "^check: .*Python's frames could not be read" err)" "$((unread_status == 89))" \
		"... and what is said"
done <<'END'
89|train.py:step
89|*train*:*
89|/home/x.source/*.py:1
88|*:*
0|libc.so.6:nothing
88|libx.so.1*:step
88|libx.so*:*
END

# Where no stack can be read, what looks at stacks holds of nothing.
mkdir none
echo none >none/libgcc_s.so.1
while IFS='|' read -r none_status none_rule; do
	echo "$none_rule" >rules
	tool check -d sim --rules rules -- env LD_LIBRARY_PATH="$tmp/none" "$demo" dlopen
	is "$status" "$none_status" "no unwinder: $none_rule"
	is "$(grep -c '^cuaudit: rules: .*there is no unwinder' err)" "$((none_status == 89))" "... and what is said"
done <<'END'
89|never cuInit from libc.so.6:*
89|no-unchecked-error
0|no-errors
END

# Where nothing can be kept.
tool check -d sim --rules rules -- sh -c 'ulimit -f 1; exec "$0" dlopen' "$demo"
is "$status" 89 "a limit on the size of files"
says '^cuaudit: rules: what is found cannot be kept: the limit on the size of files' "... and what is said"
mkdir 'a;b'
cp rules 'a;b'
tool check -d sim --rules 'a;b/rules' -- "$demo" dlopen
is "$status" 2 "a path that no option can have"
says "^cuaudit: --rules: no ';' and no bracket .* '.*/a;b/rules'" "... and what is said"
TMPDIR='a;b' tool check -d sim --rules rules -- "$demo" dlopen
says "^cuaudit: TMPDIR: no ';' and no bracket" "... of a temporary directory"
done_testing
