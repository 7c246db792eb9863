# SPDX-License-Identifier: Apache-2.0
# The fault hook: which calls its rules choose, what becomes of them, and what is told.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helpers fault/calls fault/libasker.so

# calls RULES ARGUMENT...: under CUAUDIT_HOOKS=fault(RULES); $tmp/out, $tmp/err
calls() {
	calls_rules=$1
	shift
	$run_env LD_AUDIT="$LIBCUAUDIT" LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="fault($calls_rules)" \
		"$tmp/calls" "$@" >"$tmp/out" 2>"$tmp/err" || echo "status $?" >>"$tmp/out"
}

# gives RULES PROGRAM-ARGUMENTS OUTPUT
gives() {
	calls "$1" $2
	is "$(cat "$tmp/out")" "$3" "$1"
}

# told REGEX: a line of the log
told() {
	like "$(cat "$tmp/err")" "$1" "  is told: $1"
}

seven="alloc 1 2 3 4 5 6 7"
a=inject=cuMemAlloc_v2:error=2

# Numbers of calls.
gives "$a" "$seven" "2 2 2 2 2 2 2 ; 0 reached"
gives "$a:when=3" "$seven" "0 0 2 0 0 0 0 ; 6 reached"
gives "$a:when=5+" "$seven" "0 0 0 0 2 2 2 ; 4 reached"
gives "$a:when=2+3" "$seven" "0 2 0 0 2 0 0 ; 5 reached"
gives "$a:when=2..4" "$seven" "0 2 2 2 0 0 0 ; 4 reached"
gives "$a:when=2..4+" "$seven" "0 2 2 2 0 0 0 ; 4 reached"
gives "$a:when=2..6+2" "$seven" "0 2 0 2 0 2 0 ; 4 reached"
gives "$a:when=2..5+2" "$seven" "0 2 0 2 0 0 0 ; 5 reached"
gives "$a:when=7..18446744073709551615" "$seven" "0 0 0 0 0 0 2 ; 6 reached"
gives "$a:when=8" "$seven" "0 0 0 0 0 0 0 ; 7 reached"
told '^cuaudit: fault: rule 1: of 7 calls 0 injected, cuMemAlloc_v2:error=2:when=8$'

# The functions are any selector.
gives "inject=%memory,!cuMemFree*:error=2:when=3" "$seven" "0 0 2 0 0 0 0 ; 6 reached"
gives "inject==cuMemAlloc_v2:error=2:when=3" "$seven" "0 0 2 0 0 0 0 ; 6 reached"
gives "inject==cuMemAlloc:error=2:when=3" "$seven" "0 0 0 0 0 0 0 ; 7 reached"
gives "inject=/^cu[[:alpha:]]+Alloc_/:error=2:when=3" "$seven" "0 0 2 0 0 0 0 ; 6 reached"

# What happens to them.
gives "inject=cuMemAlloc_v2:error=CUDA_ERROR_OUT_OF_MEMORY:when=2" "alloc 1 2 3" "0 2 0 ; 2 reached"
told '^cuaudit: fault: rule 1, call 2, thread [0-9]+, calls\+0x[0-9a-f]+: cuMemAlloc_v2\(dptr = 0x[0-9a-f]+, bytesize = 2\) is not called but returns CUDA_ERROR_OUT_OF_MEMORY$'
gives "inject=cuMemAlloc*:error=1234567" "alloc 1" "1234567 ; 0 reached"
gives "inject=cuMemAlloc_v2:result=CUDA_ERROR_LAUNCH_FAILED:when=2" "alloc 1 2" "0 719 ; 2 reached"
told 'call 2, .*\(dptr = .*0x2.*, bytesize = 2\) = CUDA_SUCCESS is made CUDA_ERROR_LAUNCH_FAILED$'
gives "inject=cuMemAlloc_v2:error=CUDA_SUCCESS" "alloc 1" "0 ; 0 reached"
told 'is not called but returns CUDA_SUCCESS$'

# Several rules: each counts what it takes; the first that answers does.
gives "$a:when=3;inject=%memory:error=1:when=5;inject=cuMem*:result=700:when=6+" "$seven" \
	"0 0 2 0 1 700 700 ; 5 reached"
told '^cuaudit: fault: rule 2: of 7 calls 1 injected, %memory:error=1:when=5$'
told '^cuaudit: fault: rule 3: of 7 calls 2 injected, '
gives "$a:when=2..3;inject=cuMemAlloc*:error=1:when=3..4" "alloc 1 2 3 4 5" "0 2 2 1 0 ; 2 reached"
told '^cuaudit: fault: rule 2: of 5 calls 1 injected, '
gives "inject=cuMemAlloc*:result=5;$a:when=2" "alloc 1 2" "5 2 ; 1 reached"
told '^cuaudit: fault: rule 1: of 2 calls 1 injected, '
gives "inject=cuMemAlloc*:result=5;inject=cuMemAlloc*:result=6" "alloc 1" "5 ; 1 reached"
many=
for rule in 1 2 3 4 5 6 7 8 9 10 11 12; do
	many="$many;inject=cuMemAlloc_v2:error=$rule:when=$rule"
done
gives "${many#;}" "alloc 1 2 3 4 5 6 7 8 9 10 11 12 13" "1 2 3 4 5 6 7 8 9 10 11 12 0 ; 1 reached"
gives "inject=*,!cuInit:error=3:when=1;$a:when=2" "alloc 1 2 3" "3 2 0 ; 1 reached"
gives "$a:when=2;inject=%memory,!cuMemAlloc*:error=3" "alloc 1 2 3" "0 2 0 ; 2 reached"

# By the calling library.
gives "$a:lib=libask*" "alloc 1 2 lib 3 4" "0 0 2 2 ; 2 reached"
gives "$a:lib=(main)" "alloc 1 2 lib 3 4" "2 2 0 0 ; 2 reached"
gives "$a:lib=(main):libas*:when=2..3" "alloc 1 2 lib 3 4" "0 2 2 0 ; 2 reached"
gives "$a:lib=libnone*" "alloc 1 lib 2" "0 0 ; 2 reached"
told 'of 0 calls 0 injected'

# By arguments: of what width, sign and place they are.
condition() {
	gives "$a:if=bytesize$1" "alloc 1024 1025 2048 3072" "$2 ; $(echo "$2" | tr -d ' 2' | wc -m | {
		read -r n; echo $((n - 1)); }) reached"
}
condition ==1k "2 0 0 0"
condition !=1k "0 2 2 2"
condition "<2k" "2 2 0 0"
condition "<=2k" "2 2 2 0"
condition ">1025" "0 0 2 2"
condition ">=0x401" "0 2 2 2"
condition "&3" "0 2 0 0"
condition "<1M" "2 2 2 2"
condition ">5G" "0 0 0 0"
condition "==-1" "0 0 0 0"
gives "$a:if=bytesize>1k:if=bytesize<3k:when=2" "alloc 1024 1025 2048 3072" "0 0 2 0 ; 3 reached"
told 'of 2 calls 1 injected'
gives "inject=cuInit:error=11:if=Flags==0;inject=cuMemAlloc_v2:error=12:if=bytesize==6G;inject=cuStreamQuery:error=13:if=hStream<1;inject=cuGetProcAddress_v2:error=14:if=cudaVersion<-1;inject=cuLaunchKernel:error=15:if=hStream==9:if=sharedMemBytes&8;inject=cuIpcOpenMemHandle_v2:error=16:if=Flags==3;inject=cuNewS*:error=17" \
	each "11 12 13 14 15 16 17 1; 0 reached"
gives "inject=cuGetProcAddress_v2:error=14:if=cudaVersion>-2;inject=cuInit:error=11:if=Flags==1;inject=cuLaunchKernel:error=15:if=blockDimZ<7" \
	each "0 0 0 0 0 0 0 1; 1 reached"
gives "inject=cuGetProcAddress_v2:error=14:if=cudaVersion<0;inject=cuInit:error=11:if=Flags==-1;inject=cuMemAlloc_v2:error=2:if=bytesize<1" \
	each "0 0 0 14 0 0 0 11; 1 reached"
gives "inject=cuGetProcAddress_v2:error=14:if=cudaVersion==-2:if=cudaVersion<=-2:if=cudaVersion!=-1;inject=cuLaunchKernel:error=15:if=gridDimX==2:if=extra==11" \
	each "0 0 0 14 15 0 0 1; 1 reached"
gives "inject=*,!cuNew*:error=7:if=hStream==9" each "status 85"
like "$(cat "$tmp/err")" "has no parameter 'hStream'" "  not all of them have it"

# Many threads at once: each number is one call's.
gives "$a:when=100..100000+3;log=0" "many 16 100000" "33301; 1566699 reached"
told '^cuaudit: fault: rule 1: of 1600000 calls 33301 injected, '
is "$(wc -l <"$tmp/err")" 2 "  and with log=0 nothing else but that there is more"

# By chance: of the seed and the calls' numbers alone.
calls "$a:p=0.25:seed=7;log=0" many 1 2000
one=$(cat "$tmp/out")
like "$one" '^(4[3-9]|5[0-6])[0-9]; ' "p=0.25 of 2000 calls: about 500, $one"
gives "$a:p=0.25:seed=7;log=0" "many 16 125" "$one"
calls "$a:p=0.5:seed=1" alloc 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
one=$(cat "$tmp/out")
gives "$a:p=0.5:seed=1" "alloc 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20" "$one"
calls "$a:p=0.5:seed=2" alloc 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
ok "another seed, other calls" test "$(cat "$tmp/out")" != "$one"
gives "$a:p=1:when=2" "alloc 1 2 3" "0 2 0 ; 2 reached"
gives "$a:p=0.000001" "$seven" "0 0 0 0 0 0 0 ; 7 reached"

# Delays: whole ones whatever signals come, and errno is the program's.
for place in enter exit; do
	calls "inject=cuMemAlloc_v2:delay_$place=20ms" delay 3
	like "$(cat "$tmp/out")" '^errno 77 ticks 1 ms [0-9]+; 4 reached$' "delay_$place"
	ms=$(sed 's/.*ms //; s/;.*//' "$tmp/out")
	ok "delay_$place: 3 of 20 ms take $ms ms" test "$ms" -ge 60
	told 'call 4, thread [0-9]+, calls\+0x[0-9a-f]+: cuMemAlloc_v2\(.*\), waits .*: 20ms$'
done
calls "$a:delay_enter=30000:delay_exit=30000us" delay 1
ms=$(sed 's/.*ms //; s/;.*//' "$tmp/out")
ok "both, of a call that is not made: $ms ms" test "$ms" -ge 60
told 'returns CUDA_ERROR_OUT_OF_MEMORY, waits before: 30ms, waits after: 30ms$'
told 'of 2 calls 2 injected'

# Children begin anew, and those that call nothing say nothing.
gives "$a:when=2" fork "0 2 0 child 0 child 2 child 0 0; 3 reached"
is "$(grep -c 'rule 1: of [34] calls 1 injected' "$tmp/err")" 2 "  two that call"
unlike "$(cat "$tmp/err")" 'of 0 calls' "  and one that does not"

# What cuGetProcAddress is made to answer, the program gets; the next answer is routed.
gives "inject=cuGetProcAddress*:error=CUDA_ERROR_NOT_FOUND:when=1" lookup \
	"500 none 0 same; 0 reached"

# Names of results: all there are.
rules= number=0
names=$(sed -n 's/^ENUMERATOR(CUresult, \([A-Z_0-9]*\), .*/\1/p' \
	"$top_srcdir/include/cuaudit/driver_enums.def")
ok "there are names" test "$(echo "$names" | wc -l)" -gt 90
for name in $names; do
	rules="$rules;inject=cuInit:delay_enter=1:result=$name" number=$((number + 1))
	if test $((number % 8)) = 0; then
		calls "${rules#;}" alloc 1
		cat "$tmp/err" >>"$tmp/names"
		rules=
	fi
done
calls "${rules#;}" alloc 1
cat "$tmp/err" >>"$tmp/names"
is "$(grep -c 'of 0 calls 0 injected' "$tmp/names")" "$number" "each result is known by name"
is "$(grep -v 'of 0 calls 0 injected' "$tmp/names")" "" "and nothing else is said"

# How many are told, and where.
gives "$a;log=2" "alloc 1 2 3 4" "2 2 2 2 ; 0 reached"
is "$(sed 's/, thread.*//' "$tmp/err")" "cuaudit: fault: rule 1, call 1
cuaudit: fault: rule 1, call 2
cuaudit: fault: rule 1: what comes further is only counted
cuaudit: fault: rule 1: of 4 calls 4 injected, cuMemAlloc_v2:error=2" "log=2"
echo old >"$tmp/report.fault"
ok "with CUAUDIT_OUTPUT" audited LD_LIBRARY_PATH="$tmp" CUAUDIT_OUTPUT="$tmp/report" \
	CUAUDIT_HOOKS="fault($a:when=2)" "$tmp/calls" many 16 100
is "$(sed 's/, thread.*//' "$tmp/report.fault")" "fault: rule 1, call 2
fault: rule 1: of 1600 calls 1 injected, cuMemAlloc_v2:error=2:when=2" "  to a file of its own"
unlike "$(cat "$tmp/tap.out")" fault "  and nowhere else"

# Beside the other modules: those that count the driver's calls count these.
ok "with stat" audited LD_LIBRARY_PATH="$tmp" CUAUDIT_OUTPUT="$tmp/report" \
	CUAUDIT_HOOKS="stat(format=json),fault($a:when=2..3)" "$tmp/calls" alloc 1 2 3 4 5
is "$("$PYTHON3" -c '
import json, sys
for f in json.load(open(sys.argv[1]))["functions"]:
    if f["name"].startswith("cuMem"):
        print(f["name"], f["calls"], f["errors"])' "$tmp/report")" "cuMemAlloc_v2 3 0" \
	"  those that were made"

# The simulated driver, found by dlopen.
helper gpu/allocs
ok "on the simulated driver" audited CUAUDIT_DRIVER=sim "$tmp/allocs"
like "$(cat "$tmp/tap.out")" '^0 0 0 0 0 synchronized 0 ' "  all is well"
ok "with rules" audited CUAUDIT_DRIVER=sim \
	CUAUDIT_HOOKS="fault(inject=cuMemAlloc:error=2:if=bytesize==1M:when=3;inject=%sync:result=719:when=2)" \
	"$tmp/allocs"
like "$(cat "$tmp/tap.out")" '^0 0 2 0 0 synchronized 719 ' "  or not"

# Rules that are none: one line each, and the program as it is without us.
wrong() {
	calls "$1" alloc 1
	is "$(cat "$tmp/out")" "status 85" "wrong: $1"
	like "$(cat "$tmp/err")" "^cuaudit: fault: .*$2" "  $2"
	is "$(wc -l <"$tmp/err")" 1 "  in one line"
}
wrong "" "there is no inject=RULE"
wrong "log=x;$a" "log takes a number, not 'x'"
wrong "inject=" "takes SELECTOR:KEY=VALUE"
wrong "inject=error=2" "takes SELECTOR:KEY=VALUE.*not 'error=2'"
wrong "inject=cuMemAlloc_v2" "injects nothing"
wrong "inject=cuMemAlloc_v2:when=2" "injects nothing"
wrong "inject=cuMemAlloc_v2:error=0:result=2" "one of error and result"
wrong "inject=cuMemAlloc_v2:error=1:error=2" "has one error"
wrong "inject=cuMemAlloc_v2:error=CUDA_ERROR_OUT_OF_MEMRY" "did you mean CUDA_ERROR_OUT_OF_MEMORY\?"
wrong "inject=cuMemAlloc_v2:error=-1" "not '-1'"
wrong "inject=cuMemAlloc_v2:error=2147483648" "not '2147483648'"
wrong "inject=cuMemAlloc_v2:eror=2" "has no 'eror'; did you mean error\?"
wrong "inject=cuMemAlloc_v2:error=2:lib=cudemo:When=2" "has no 'When'; did you mean when\?"
wrong "inject=cuMemAlloc_v2:range=x:Error=2:error=2" "has no 'Error'; did you mean error\?"
wrong "inject=cuMemAlloc_v2:lib=x:delay-exit=2:error=2" "has no 'delay-exit'; did you mean delay_exit\?"
wrong "inject=cuMemAloc_v2:error=2" "names no function; did you mean cuMemAlloc"
wrong "inject=cuMem[:error=2" "'cuMem\[' is no selector"
wrong "inject=cuMem[:error=2:if=bytesize>1" "'cuMem\[' is no selector"
for when in 0 x +2 2.. 3..2 2+0 2+x 2..+ 2..3++ 2+3+4 18446744073709551616 "2 " ""; do
	wrong "$a:when=$when" "when takes FIRST\[..LAST\]\[\+\[STEP\]\].*not '"
done
for p in 0 1.1 0.1.1 . -1 1e-3 x 0,5 "" 0.0000000000000000001; do
	wrong "$a:p=$p" "p takes a number above 0 and up to 1, not '"
done
for delay in 0 5m ms 5.5ms -5 99999999s 99999999999999999999 0x10ms ""; do
	wrong "inject=cuStreamQuery:delay_enter=$delay" "delay_enter takes a number"
done
for seed in x -1 "" 0x; do
	wrong "$a:p=0.5:seed=$seed" "seed takes a number, not '$seed'"
done
wrong "$a:seed=7" "'cuMemAlloc_v2:error=2:seed=7' has a seed and no p, so that nothing is drawn"
wrong "$a:seed=7:when=2" "has a seed and no p"
wrong "$a:lib=" "lib takes GLOB"
for condition in bytesize "bytesize>" "bytesize>x" "bytesize=5" ">5" "bytesize>5Y" "bytesize>5kk" \
	"bytesize>17179869184G" "bytesize>--1" "bytesize>-9223372036854775809" "bytesize> 5" ""; do
	wrong "$a:if=$condition" "if takes PARAMETER, one of == != < <= > >= & and a number"
done
wrong "$a:if=bytesize&0" "if=bytesize&0 never holds"
for condition in "bytesize<0" "bytesize>18446744073709551615"; do
	wrong "$a:if=$condition" "if=$condition never holds: no value of its type is so"
done
for condition in "Flags==4294967296" "Flags>0xffffffff" "Flags>=4G" "Flags&4G" "Flags<0"; do
	wrong "inject=cuStreamCreate:error=2:if=$condition" "if=$condition never holds"
done
for condition in "dev&0" "dev==0xffffffff" "dev<-2147483648" "dev>2147483647"; do
	wrong "inject=cuDevicePrimaryCtxRetain:error=2:if=$condition" "if=$condition never holds"
done
for relation in "<" "<=" ">" ">="; do
	wrong "$a:if=bytesize$relation-1" \
		"bytesize of cuMemAlloc_v2 is size_t, which has no sign: < <= > >= take no number below 0"
done
wrong "inject=cuStreamQuery:error=2:if=hStream>-1" "hStream of cuStreamQuery is CUstream, which has no sign"
wrong "$a:if=bytesiz>5" "cuMemAlloc_v2 has no parameter 'bytesiz'; did you mean bytesize\?"
wrong "inject=cuMemAlloc*:error=2:if=bytesize>5" "cuMemAllocPitch has no parameter 'bytesize'"
wrong "inject=cuTexRefSetMipmapLevelClamp:error=2:if=minMipmapLevelClamp>1" "no integer but float"
wrong "inject=cuIpcOpenMemHandle_v2:error=2:if=handle==1" "no integer but CUipcMemHandle"
wrong "inject=cuNewIntegers:error=2:if=a==1" "names no function of the table"
wrong "$a:if=bytesize>1:if=bytesize>2:if=bytesize>3:if=bytesize>4:if=bytesize>5" "at most 4 times if"
wrong "${many#;};$a" "at most 12 times inject"

# What succeeds in place of a success is a success to other hooks.
cat >"$tmp/left.py" <<'END'
import ctypes, os
driver, free, total = ctypes.CDLL("libcuda.so.1"), ctypes.c_size_t(), ctypes.c_size_t()
context, address = ctypes.c_void_p(), ctypes.c_uint64()
driver.cuInit(0)
driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
print(driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(4 << 20)), end=" ")
driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
print(free.value >> 20)
for process in range(2):
    driver.cuCtxGetCurrent(ctypes.byref(context))
    driver.cuCtxGetCurrent(ctypes.byref(context))
    if process or os.fork():
        break
if process:
    os._exit(0)
os.wait()
END
if command -v "$PYTHON3" >"$tmp/which"; then
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/left" \
		CUAUDIT_HOOKS="limit(device0=16M),fault(inject=cuMemAlloc_v2:result=0)" \
		"$PYTHON3" "$tmp/left.py" >"$tmp/out" 2>"$tmp/err"
	is "$(cat "$tmp/out")" "0 12" "a success made a success is counted by limit"
	# Each process tells so many.
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim \
		CUAUDIT_HOOKS="fault(inject=cuCtxGetCurrent:error=201;log=1)" \
		"$PYTHON3" "$tmp/left.py" >"$tmp/out" 2>"$tmp/err"
	is "$(grep -c ', call [0-9]*, thread ' "$tmp/err") $(grep -c 'what comes further' "$tmp/err")" "2 2" \
		"log=1: one of each process"
else
	skip 2 "no python3"
fi

# Objects, a line each: of injections as many as log= has, then of each rule.
calls "$a;format=json" alloc 1
like "$(cat "$tmp/out") $(cat "$tmp/err")" '^status 85 .*format=json is for a file of its own; set CUAUDIT_OUTPUT' \
	"format=json without a file is refused"
calls "$a;format=jsn" alloc 1
like "$(cat "$tmp/out")" '^status 85' "format=jsn is refused"
if command -v "$PYTHON3" >"$tmp/which"; then
	rm -f "$tmp"/object*
	ok "format=json" audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/object" CUAUDIT_HOOKS="fault(format=json;log=2;\
inject=cuMemAlloc:error=2:when=2+;inject=%sync:result=719:delay_exit=2us)" "$tmp/allocs"
	is "$("$PYTHON3" -c '
import json, sys
for line in open(sys.argv[1]):
    one = json.loads(line)
    assert one["version"] == 1 and one["pid"]
    if "inject" in one:
        print("rule", one["fault_rule"], one["inject"], one["injected"] <= one["matched"], one["injected"] > 0)
    else:
        print(one["fault_rule"], one["call"], one["function"], one["called"], one.get("result"), one.get("driver_result"),
              one["delay_enter"], one["delay_exit"], one["library"].split("/")[-1], int(one["offset"], 16) > 0,
              len(one["build_id"]) > 8, one["thread"] == one["pid"])' "$tmp/object.fault" 2>&1)" \
		"1 2 cuMemAlloc_v2 False 2 None 0 0 allocs True True True
1 3 cuMemAlloc_v2 False 2 None 0 0 allocs True True True
rule 1 cuMemAlloc:error=2:when=2+ True True
rule 2 %sync:result=719:delay_exit=2us True True" "... what is in it"
	# A library's path that does not fit: said, and no half of an object.
	deep=$tmp/$(printf '%0200d/' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
	mkdir -p "$deep"
	cp "$tmp/allocs" "$deep/allocs"
	ok "a program of a long path" audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/long" \
		CUAUDIT_HOOKS="fault(format=json;inject=cuMemAlloc:error=2)" "$deep/allocs"
	like "$(cat "$tmp/tap.out")" 'fault: [0-9]+ lines could not be written' "... whose lines do not fit: it is said"
	is "$(grep -c . "$tmp/long.fault") $(grep -c '"inject"' "$tmp/long.fault")" "1 1" "... and none is cut"
else
	skip 6 "no python3"
fi

# Options of modules: several only where several are meant.
calls "$a;log=1;log=5" alloc 1 2 3
like "$(cat "$tmp/err")" "^cuaudit: fault: log is given once, not also as '5'$" "log twice"
is "$(cat "$tmp/out")" "status 85" "  is refused"
# The line that sums up comes last, with nothing behind it that would tell of its loss.
helper trace/removes
for format in text json; do
	mkdir "$tmp/gone"
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="fault(inject=cuInit:error=CUDA_ERROR_UNKNOWN:when=1;format=$format)" \
		CUAUDIT_OUTPUT="$tmp/gone/x" "$tmp/removes" "$tmp/gone/x.fault" "$tmp/gone" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/err")" "0 cuaudit: fault: 1 line could not be written: $tmp/gone/x.fault" \
		"$format: a sum that cannot be written is reported"
done
done_testing
