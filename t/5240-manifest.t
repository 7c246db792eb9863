# SPDX-License-Identifier: Apache-2.0
# cuaudit manifest: what programs need of the driver, of runs and of traces.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"
helper tool/needs
helper routes/forks
helper fake/libcuda.so.1

# runs ARGUMENT...: the manifest of such a run, in $tmp/text and as JSON in $tmp/json.
runs() {
	"$cuaudit" trace -d sim --add -o "$tmp/traces" -- "$tmp/needs" "$@" >"$tmp/run.out" 2>&1
	tool manifest "$tmp/traces"
	cp "$tmp/out" "$tmp/text"
	tool manifest --json "$tmp/traces"
	cp "$tmp/out" "$tmp/json"
	rm -r "$tmp/traces"
}

# verdict QUESTION: the word of it.
verdict() {
	sed -n "s/^  $1 *\(yes\|no\|unknown\)  *.*/\1/p" "$tmp/text"
}

# has REGEX NAME
has() {
	like "$(cat "$tmp/text")" "$1" "$2"
}

# The functions that are called.
runs init count context
is "$status $(cat "$tmp/err")" "0 " "a manifest"
has '^  called, must have  *CUDA 3\.2 \(r346\): cuCtxCreate_v2 of needs$' "the newest function that is called"
has '^  asked for, never called  *nothing$' "nothing is asked for"
has '^ +1  3\.2    cuCtxCreate_v2 \(cuCtxCreate\)$' "a function, its version and name"
has '^  nothing in this run$' "nothing is missing"
is "$(verdict fork) $(verdict checkpoint) $(verdict MPS) $(verdict 'no device')" "unknown yes yes unknown" \
	"what can be known of such a run"
has "^      cuInit of needs, 1 call, first at needs\\+0x[0-9a-f]+: initialises the driver$" \
	"who initialised the driver"
like "$(cat "$tmp/json")" '"function":"cuCtxCreate_v2","base":"cuCtxCreate","cuda_version":3020,"calls":1' "JSON"

# The functions that are asked for.
runs init asks
is "$status" 0 "requests that fail are no failure of ours"
has '^  called, must have  *CUDA 12\.0 \(r525\): cuGetProcAddress_v2 of needs$' "what is called"
has '^  asked for, never called  *CUDA 12\.8 \(r570\): cuStreamGetDevice of needs$' "what is asked for"
has '^  highest version asked for  *CUDA 90\.0 \(newer than this cuaudit knows\): cuStreamGetDevice' \
	"the highest version"
has '^ +1  cuMemAlloc of 12000: found, cuMemAlloc_v2, never called$' "found and not called"
has '^ +1  cuCtxCreate of 11000: found, cuCtxCreate_v2, never called$' "the function of that version"
has '^ +1  cuInit of 12000: found, cuInit$' "found and called"
has '^ +1  cuLaunchKernel of 12000, flags 2: found, cuLaunchKernel_ptsz, never called$' "of a stream per thread"
has '^  cuNoSuchThing of 12000: not found, not known to this cuaudit, 2 calls, first at needs\+0x[0-9a-f]+; the program called' \
	"not found, by both versions of the look-up"
has '^  cuStreamGetId of 11000: version not sufficient, there from CUDA 12\.0, 1 call' "a version that is too low"
is "$(grep -c 'cuGetProcAddress.*CUDA_ERROR' "$tmp/text")" 0 "no request is there twice"
has '^  cuStreamGetDevice of 90000: refused, there from CUDA ' "a version that is too high"
like "$(cat "$tmp/json")" '"base":"cuMemAlloc","version":12000,"flags":0,"answer":"found","function":"cuMemAlloc_v2","cuda_version":3020,"requests":1,"calls":0' \
	"JSON: a request"
runs init silent
has '^  cuNoSuchThing of 12000: not found.*; the program did not call the driver after it$' \
	"a request without a status, the last call"

# What the driver does not support.
runs init context ipc count
has '^  cuIpcGetMemHandle: CUDA_ERROR_NOT_SUPPORTED, 1 call, first at needs\+0x[0-9a-f]+; the program called' \
	"an unsupported function"
is "$(verdict checkpoint)" yes "IPC that the driver refused is none"

# Verdicts.
runs init context managed
is "$(verdict checkpoint) $(verdict MPS)" "no yes" "managed memory"
has '^      cuMemAllocManaged of needs, 1 call, first at needs\+0x[0-9a-f]+: managed memory \(UVM\)$' "... which call"
runs init context callback
is "$(verdict checkpoint) $(verdict MPS)" "yes unknown" "callbacks"
has ': stream callbacks, refused before Volta$' "... which"
runs init old
is "$(verdict MPS)" no "a context of before CUDA 4.0"
cp "$tmp/needs" "$tmp/libnccl.so.2"
"$cuaudit" trace -d sim -o "$tmp/traces" -- "$tmp/libnccl.so.2" init >"$tmp/run.out" 2>&1
tool manifest "$tmp/traces"
rm -r "$tmp/traces"
cp "$tmp/out" "$tmp/text"
is "$(verdict checkpoint)" no "NCCL, by the name of the library"
runs init fork
is "$(verdict fork)" no "a forked child that is refused"
has '^      cuDeviceGetCount of needs, 1 call, first at .*: refused in a forked process' "... which call"
runs init looks
is "$(verdict fork)" unknown "a forked child that calls what works without"
has 'called nothing that wants it so$' "... which says so"
runs count fork
is "$(verdict fork)" unknown "a child that was forked before the driver was initialised"
runs init exec
is "$(verdict fork)" unknown "a child that is a program of its own"
LD_LIBRARY_PATH=$tmp "$cuaudit" trace -o "$tmp/traces" -- "$tmp/forks" >"$tmp/run.out" 2>&1
tool manifest "$tmp/traces"
rm -r "$tmp/traces"
cp "$tmp/out" "$tmp/text"
is "$(verdict fork)" yes "a forked child whose calls succeed"

# IPC memory that the driver opens: the handle that t/fake knows, and another one.
cat >"$tmp/opens.c" <<'END'
#include "sim/api.h"

int main(int argc, char **argv)
{
	CUipcMemHandle handle;
	CUdeviceptr memory;
	CUresult result = cuInit(0);

	(void)argv;
	for (int i = 0; i < 64; i++)
		handle.reserved[i] = (char)(i + argc);
	return (int)(result | cuIpcOpenMemHandle_v2(&memory, handle, 1));
}
END
compile -o "$tmp/opens" "$tmp/opens.c" "$tmp/libcuda.so.1" -Wl,-rpath,"$tmp" >"$tmp/build.out" 2>&1 ||
	bail_out "cannot build: $(cat "$tmp/build.out")"
while IFS='|' read -r result words verdicts; do
	status=0
	"$cuaudit" trace -o "$tmp/traces" -- "$tmp/opens" $words >"$tmp/run.out" 2>&1 || status=$?
	is "$status" "$result" "a handle of IPC memory: status $result"
	tool manifest "$tmp/traces"
	rm -r "$tmp/traces"
	cp "$tmp/out" "$tmp/text"
	is "$(verdict checkpoint) $(verdict MPS)" "$verdicts" "... checkpoint and MPS: $verdicts"
	is "$(grep -c '^      cuIpcOpenMemHandle_v2 of opens, 1 call, first at opens+0x[0-9a-f]*: IPC' "$tmp/text")" \
		"$((result ? 0 : 2))" "... and which call"
	is "$(grep -c ': IPC memory, refused before r610$' "$tmp/text")" "$((!result))" "... by what"
done <<'END'
0||no unknown
1|wrong|yes yes
END

# Two libraries of a program: a section each, with what it calls and asks for, and no more.
cat >"$tmp/part.c" <<'END'
#include "sim/api.h"

CUresult PART(void);

CUresult PART(void)
{
	CUcontext context;
	void *found;
	int number;

	(void)context, (void)found;
	return cuDriverGetVersion(&number) | CALL;
}
END
cat >"$tmp/parts.c" <<'END'
#include "sim/api.h"

CUresult first(void), second(void);

int main(void)
{
	CUresult result = cuInit(0);

	return (int)(result | first() | second() | first());
}
END
compile -shared -fPIC -DPART=first -DCALL='cuDeviceGetCount(&number)' -o "$tmp/libfirst.so" "$tmp/part.c" \
	"$simdir/libcuda.so.1" >"$tmp/build.out" 2>&1 &&
	compile -shared -fPIC -DPART=second -o "$tmp/libsecond.so" "$tmp/part.c" \
		-DCALL='cuCtxCreate_v2(&context, 0, 0) | cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, NULL)' \
		"$simdir/libcuda.so.1" >"$tmp/build.out" 2>&1 &&
	compile -o "$tmp/parts" "$tmp/parts.c" "$tmp/libfirst.so" "$tmp/libsecond.so" "$simdir/libcuda.so.1" \
		-Wl,-rpath,"$simdir" >"$tmp/build.out" 2>&1 || bail_out "cannot build: $(cat "$tmp/build.out")"
"$cuaudit" trace -d sim -o "$tmp/traces" -- "$tmp/parts" >"$tmp/run.out" 2>&1
tool manifest "$tmp/traces"
cp "$tmp/out" "$tmp/text"

# section LIBRARY: how often which function is called, and what is asked for, in its section.
section() {
	awk -v path="$tmp/$1" '
	!NF || /^[A-Z]/ { inside = 0 }
	inside && /^ +[0-9]/ { printf "%s", $2 == "cuMemAlloc" ? "asks " $2 ";" : $1 " " $3 ";" }
	$0 == path { inside = 1 }' "$tmp/text"
}
is "$(section libfirst.so)" "2 cuDeviceGetCount;2 cuDriverGetVersion;" "the section of a library"
is "$(section libsecond.so | tr ';' '\n' | sort | tr '\n' ';')" \
	"1 cuCtxCreate_v2;1 cuDriverGetVersion;1 cuGetProcAddress_v2;asks cuMemAlloc;" "... of another one"
is "$(section parts)" "1 cuInit;" "... and of the program"
has '^  called, must have  *CUDA 12\.0 \(r525\): cuGetProcAddress_v2 of libsecond\.so$' "whose function is the newest"
tool manifest --json "$tmp/traces"
is "$("$PYTHON3" -c '
import json, os, sys
for library in json.load(open(sys.argv[1]))["libraries"]:
    print(os.path.basename(library["path"]), *sorted("%s=%d" % (call["function"], call["calls"]) for call in library["called"]),
        *("?" + asked["base"] for asked in library["asked_for"]), end="; ")' "$tmp/out")" \
	"libfirst.so cuDeviceGetCount=2 cuDriverGetVersion=2; libsecond.so cuCtxCreate_v2=1 cuDriverGetVersion=1\
 cuGetProcAddress_v2=1 ?cuMemAlloc; parts cuInit=1; " "JSON: the same"
rm -r "$tmp/traces"

# Without a device.
without() {
	CUAUDIT_HOOKS="fault(inject=cuInit:error=CUDA_ERROR_NO_DEVICE),trace" CUAUDIT_DRIVER=sim \
		CUAUDIT_OUTPUT="$tmp/none-%p" LD_AUDIT="$LIBCUAUDIT" "$tmp/needs" "$@" >"$tmp/run.out" 2>&1
	tool manifest "$tmp"/none-*.cutrace
	rm "$tmp"/none-*
	cp "$tmp/out" "$tmp/text"
}
without init
is "$(verdict 'no device')" yes "a program that goes on without a device"
has '^      cuInit of needs, 1 call, first at .*: there is no device$' "... which call told it"
without init fails
is "$(verdict 'no device')" no "one that fails without a device"
runs count init "it's"
has "without a device: cuaudit run -d sim -k 'fault\\(inject=cuInit:error=CUDA_ERROR_NO_DEVICE\\)' -- .*needs count init 'it'\\\\''s'" \
	"the command that tries it"
"$cuaudit" trace -d sim --args no -o "$tmp/traces" -- "$tmp/needs" init asks >"$tmp/run.out" 2>&1
tool manifest "$tmp/traces"
like "$(cat "$tmp/out")" "names of requests are missing" "a trace without arguments"
rm -r "$tmp/traces"
"$cuaudit" trace -d sim --stop cuInit -o "$tmp/traces" -- "$tmp/needs" init asks >"$tmp/run.out" 2>&1
tool manifest "$tmp/traces"
cp "$tmp/out" "$tmp/text"
is "$(verdict checkpoint) $(verdict MPS)" "unknown unknown" "a trace that was stopped: nothing is promised"
rm -r "$tmp/traces"
done_testing
