#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls of the runtime, as it reports them to tools: by libcudart.so and by a runtime in a library.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helpers fake/libcuda.so.1 runtime/calls runtime/hostile runtime/libcudart.so.13 runtime/liblinked.so runtime/sees.so

# The runtime's table alone is looked at here, t/3760 has bindings: those of a library of another SONAME.
sed 's/libcudart\.so\.13/libcudart-so.13/' "$tmp/libcudart.so.13" >"$tmp/renamed"
mv "$tmp/renamed" "$tmp/libcudart.so.13"

# run [VARIABLE=VALUE...] COMMAND...: what it prints, in $tmp/out; messages, in $tmp/err
run() {
	status=0
	audited LD_LIBRARY_PATH="$tmp" FAKE_TOOLS="${tools-whole}" CLOSED="$tmp/closed.so" \
		CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS="$tmp/sees.so" \
		timeout 300 env "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

# hostile MODE [VARIABLE=VALUE...]
hostile() {
	mode=$1
	shift
	run "$@" "$tmp/hostile" "$mode"
	is "$status" 0 "$mode: the program is well"
}
# seen: how many calls of the runtime were
seen() {
	grep -c '^ *cuda' "$tmp/out"
}
calls() {
	sed 's/^ *//; s/ .*//' "$tmp/out" | sort | uniq -c | sed 's/^ *//'
}

run "$tmp/calls"
is "$status" 0 "the program is well"
is "$(cat "$tmp/out" "$tmp/err")" "cuInit libcudart.so.13 = 0
cuGetExportTable libcudart.so.13 = 0
cudaMalloc calls pointer 0x1000 = 0
 cuMemAlloc_v2 libcudart.so.13 = 0
cudaFree calls 0x1234 = 0
cudaGetDevice calls pointer = 0
cudaGetErrorString calls 0x2 = 0
cudaLaunchKernel calls 0x100 0x200000001 0x3 0x500000004 0x6 0x200 0x7 0x300 = 0
 cuStreamQuery libcudart.so.13 = 600
cuInit liblinked.so = 0
cuGetExportTable liblinked.so = 0
cudaMalloc liblinked.so pointer 0 = 2
cudaMalloc liblinked.so pointer 0x2000 = 0
 cuMemAlloc_v2 liblinked.so = 0" "names, libraries, parameters, results and what is inside"

sed 's/ = .*//' "$tmp/out" >"$tmp/entered"
run CUAUDIT_HOOKS="$tmp/sees.so(exits=no)" "$tmp/calls"
is "$(sed 's/ = .*//' "$tmp/out")" "$(cat "$tmp/entered")" "the same where no hook sees their ends"
is "$(grep -c '^ *cuda.* = 0 unended$' "$tmp/out")" 7 "... which none does"

run CUAUDIT_DOMAINS=driver "$tmp/calls"
is "$(seen)" 0 "driver: none of the runtime's"
is "$(grep -c . "$tmp/out")" 7 "driver: all of the driver's"
run CUAUDIT_DOMAINS=runtime "$tmp/calls"
is "$(sed 's/ .*//' "$tmp/out" | tr '\n' ' ')" \
	"cudaMalloc cudaFree cudaGetDevice cudaGetErrorString cudaLaunchKernel cudaMalloc cudaMalloc " \
	"runtime: its own alone"
run CUAUDIT_FUNCTIONS=cudaMalloc "$tmp/calls"
is "$(calls)" "3 cudaMalloc" "CUAUDIT_FUNCTIONS"
run CUAUDIT_FUNCTIONS=%runtime "$tmp/calls"
is "$(seen) $(grep -c . "$tmp/out")" "7 7" "%runtime"
run CUAUDIT_FUNCTIONS=%driver "$tmp/calls"
is "$(seen) $(grep -c . "$tmp/out")" "0 7" "%driver"
run CUAUDIT_DOMAINS=driver CUAUDIT_FUNCTIONS=%runtime "$tmp/calls"
like "$(cat "$tmp/err")" "'%runtime' names no function; CUAUDIT_DOMAINS=driver,runtime has" \
	"%runtime, where the domain is off"
run CUAUDIT_EXCLUDE=liblinked.so "$tmp/calls"
is "$(grep -c liblinked "$tmp/out")" 0 "CUAUDIT_EXCLUDE"
run CUAUDIT_INCLUDE='(main)' "$tmp/calls"
is "$(grep -c . "$tmp/out")" 0 "CUAUDIT_INCLUDE: the runtime does not come by the table"
run CUAUDIT_INCLUDE=liblinked.so "$tmp/calls"
is "$(grep -o '^cuda[^ ]* [^ ]*' "$tmp/out" | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 2 cudaMalloc liblinked.so;" \
	"CUAUDIT_INCLUDE: a library that has a runtime of its own"
for wrong in cudaMaloc cudaMalloc; do
	run CUAUDIT_DOMAINS=driver CUAUDIT_FUNCTIONS=$wrong "$tmp/calls"
	like "$(cat "$tmp/err")" "'$wrong' names no function; CUAUDIT_DOMAINS=driver,runtime has" "driver: $wrong"
done
run CUAUDIT_FUNCTIONS=cudaMaloc "$tmp/calls"
like "$(cat "$tmp/err")" "'cudaMaloc' names no function; did you mean .*cudaMalloc" "a near name"

# what can only be observed
run CUAUDIT_HOOKS="$tmp/sees.so(edits=yes)" "$tmp/calls"
is "$(seen)" 0 "a hook for all that may edit has none of the runtime's"
is "$(cat "$tmp/err")" "" "and nothing is said"
run CUAUDIT_HOOKS="$tmp/sees.so(edits=yes;functions=cu*)" "$tmp/calls"
like "$(cat "$tmp/err")" 'sees: calls of cuda[A-Za-z]* can only be observed.*!%runtime' "one that names them is refused"
run CUAUDIT_HOOKS="$tmp/sees.so(edits=yes;functions=cu*,!%runtime)" "$tmp/calls"
is "$(grep -c . "$tmp/out") $(cat "$tmp/err")" "7 " "one that leaves them out is not"
run CUAUDIT_HOOKS="$tmp/sees.so(edits=yes;functions=!%procaddr)" "$tmp/calls"
is "$(seen) $(cat "$tmp/err")" "0 " "one for all but some has none"
for hook in leak stat trace coverage 'trace(open=cuda*;start=cudaMalloc)' 'stat(clock=no)'; do
	run CUAUDIT_HOOKS="$hook" CUAUDIT_OUTPUT="$tmp/output-$hook" CUAUDIT_STRICT=1 "$tmp/calls"
	is "$status $(cat "$tmp/err")" "0 " "$hook starts"
done
run CUAUDIT_HOOKS='fault(inject=cudaMalloc:error=2)' "$tmp/calls"
is "$status" 85 "fault: ends the process"
like "$(cat "$tmp/err")" 'fault.*: calls of cudaMalloc can only be observed' "fault: and says why"
unlike "$(cat "$tmp/err")" 'error 95' "... and not by a number"
# started HOOK PROGRAM...: by the command, which asks before it starts it
started() {
	status=0
	CUAUDIT_DOMAINS=driver,runtime "$top_builddir/bin/cuaudit" run -d sim -k "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}
for hook in 'fault(inject=%runtime:error=2)' 'fault(inject=cuInit:error=2;inject=cudaMalloc:result=2)' \
	'limit(deny=*)' 'limit(deny=cuInit,cudaMalloc)' "$tmp/sees.so(checks=yes;edits=yes;functions=cu*)"; do
	started "$hook" touch "$tmp/started"
	is "$status $(test -e "$tmp/started" && echo started)" "2 " "$hook: the program is not started"
	like "$(cat "$tmp/err")" 'calls of cuda[A-Za-z]* can only be observed' "... and the message says why"
done
for hook in 'fault(inject=%runtime,!%runtime,cuInit:error=2)' 'limit(deny=cu*,!%runtime)'; do
	started "$hook" true
	is "$status $(cat "$tmp/err")" "0 " "$hook: one without them is"
done
# advises HOOK ADVICE: it names only what is taken in place of the hook's functions.
advises() {
	started "$1" touch "$tmp/started"
	like "$(cat "$tmp/err")" "neither answered nor changed; $2\$" "$1: what is taken"
}
advises 'limit(deny=cuInit,cudaMalloc)' 'add !%runtime to its functions'
advises 'fault(inject=cuInit,cudaMalloc:error=2)' \
	'add !%runtime to its functions, or name those of shared runtimes alone, libcudart.so.\*:cudaMalloc'
advises 'fault(inject=cudaMalloc:error=2)' 'name those of shared runtimes alone, libcudart.so.\*:cudaMalloc'

# another tool has what it had
for mode in tool late-tool; do
	$run_env LD_LIBRARY_PATH="$tmp" FAKE_TOOLS=whole "$tmp/hostile" "$mode" >"$tmp/alone"
	hostile "$mode"
	is "$(head -n "$(grep -c . "$tmp/alone")" "$tmp/out")" "$(cat "$tmp/alone")" "$mode: reports to another tool"
	hostile "$mode" CUAUDIT_FUNCTIONS=cudaMalloc
	is "$(head -n "$(grep -c . "$tmp/alone")" "$tmp/out")" "$(cat "$tmp/alone")" "$mode: with one function hooked"
	for tools in whole size flags; do
		hostile "$mode" CUAUDIT_HOOKS=coverage CUAUDIT_OUTPUT="$tmp/coverage" FAKE_TOOLS=$tools
		is "$(cat "$tmp/out")" "$(cat "$tmp/alone")" "$mode: $tools"
	done
	tools=whole
done

# sizes that differ, and a table that is another's
for tools in size flags taken; do
	run "$tmp/calls"
	is "$(seen)" 0 "$tools: no call of the runtime is seen"
	is "$(grep -c 'calls of the runtime are not seen' "$tmp/err")" 1 "$tools: and one line says so"
done
tools=writable
run "$tmp/calls"
is "$(seen)" 7 "a table that can be written to"
tools=
run "$tmp/calls"
is "$(seen)" 0 "no table"
is "$(cat "$tmp/err")" "cuaudit: calls of the runtime are not seen: the driver has no table for tools, by which static runtimes report them" \
	"... which is said once"
run CUAUDIT_DOMAINS=driver "$tmp/calls"
is "$(cat "$tmp/err")" "" "... where anybody wants to know"
# A rule of what nobody sees holds for ever.
echo 'never cudaMalloc' >"$tmp/rules"
run CUAUDIT_HOOKS="rules(file=$tmp/rules)" "$tmp/calls"
is "$status" 89 "... and rules are not judged"
like "$(cat "$tmp/err")" 'rules: calls of the CUDA runtime were not seen' "... which is said as well"
tools=whole
run CUAUDIT_HOOKS="rules(file=$tmp/rules)" "$tmp/calls"
is "$status" 88 "with a table they are"
run RUNTIME_FAILS=1 "$tmp/calls"
is "$(seen)" 0 "a runtime that does not get ready"
is "$(cat "$tmp/err")" "cuaudit: calls of the runtime are not seen: it did not get ready, as this driver has not all that it asks for" \
	"... which is said"
run RUNTIME_FAILS=1 CUAUDIT_HOOKS="rules(file=$tmp/rules)" "$tmp/calls"
is "$status" 89 "... and rules are not judged"
printf 'int linked_malloc(void **, unsigned long);\nint main(void) { void *got; return linked_malloc(&got, 1) > 1000; }\n' \
	>"$tmp/only.c"
compile -o "$tmp/only" "$tmp/only.c" -L"$tmp" -l:liblinked.so -Wl,-rpath,"$tmp" || bail_out "cannot link with liblinked.so"
run RUNTIME_FAILS=1 CUAUDIT_PROVIDERS=liblinked.so CUAUDIT_HOOKS="rules(file=$tmp/rules)" "$tmp/only"
is "$status" 89 "... nor where it is in a library that is hooked for its own functions"
run RUNTIME_FAILS=1 CUAUDIT_DOMAINS=driver "$tmp/calls"
is "$(cat "$tmp/err")" "" "... where the domain is on"
tools=whole
for mode in larger renumbered; do
	hostile $mode
	is "$(calls | grep cuda)" "1 cudaGetDevice" "$mode: nothing is seen from then on"
	is "$(grep -c 'calls of the runtime are not seen' "$tmp/err")" 1 "$mode: and one line says so"
done
hostile newer
is "$(calls | grep cuda)" "1 cudaGetDevice" "newer: others are seen"
is "$(grep -c 'cudaNewerThanAll is newer' "$tmp/err")" 1 "newer: one line says so"
hostile mixed
is "$(grep '^cuda' "$tmp/out" | sed 's/ .* = / = /')" "cudaGetDevice = 0
cudaMalloc = 0" "mixed: the end of another function ends no call"
for providers in none liblinked.so; do
	hostile by-jump CUAUDIT_PROVIDERS=$providers CUAUDIT_HOOKS="$tmp/sees.so,stat" CUAUDIT_OUTPUT="$tmp/counts"
	is "$(grep cudaMalloc "$tmp/out" | sed 's/^ *//; s/ [0p].*//' | uniq -c | sed 's/^ *//')" "1 cudaMalloc liblinked.so
3 cudaMalloc hostile" "by-jump, providers $providers: who calls"
done
hostile restored
is "$(head -n 2 "$tmp/out")" "size 38, others as they were
r--p" "the table: protected as it was"
run "$tmp/hostile" refused
if test "$status" -eq 77; then
	skip 2 "no seccomp(2)"
else
	is "$(seen)" 0 "a page that stays protected: nothing is seen"
	like "$(cat "$tmp/err")" 'not seen: .* cannot be written to' "and one line says so"
fi

# threads, forks, signals, jumps, ends
hostile threads
is "$(calls | grep '[0-9] cuda')" "1 cudaFree
1601 cudaGetDevice
3201 cudaMalloc" "threads: all calls"
is "$(grep -c 'odd\|flags\|unended' "$tmp/out")" 0 "threads: each ends as it began"
hostile forks
# Before glibc 2.35 no stack of a child is looked at, and the caller is not found.
caller=hostile
test "$(loader_family)" = new || caller=libcudart.so.13
is "$(grep -c "^ cudaMalloc $caller pointer 0x5 = 0" "$tmp/out")" 1 "forks: the child of a fork in a call"
is "$(tail -n 4 "$tmp/out")" "cudaStreamAddCallback hostile 0 pointer 0 0x1 = 0
cudaMalloc hostile pointer 0x6 = 0
 cuMemAlloc_v2 libcudart.so.13 = 0
cudaFree hostile 0x6 = 0" "forks: the parent"
hostile signals
is "$(sed -n '3,$p' "$tmp/out")" "cudaStreamAddCallback hostile 0 pointer 0 0x1 = 0
 cudaMalloc hostile pointer 0x3 = 0
  cuMemAlloc_v2 libcudart.so.13 = 0
 cuInit hostile = 0
cudaStreamAddCallback hostile 0 pointer 0 0 = 0
 cuLaunchHostFunc libcudart.so.13 = 0
  cudaMalloc hostile pointer 0x3 = 0
   cuMemAlloc_v2 libcudart.so.13 = 0
  cuInit hostile = 0
cudaGetDevice hostile pointer = 0
cudaFree hostile 0x3 = 0" "signals: a handler's calls are inside"
hostile jumps
is "$(grep -c '^cudaStreamAddCallback .*unended' "$tmp/out") $(tail -n 5 "$tmp/out")" "100 cuInit hostile = 0
cudaGetDevice hostile pointer = 0
cudaMalloc hostile pointer 0x4 = 0
 cuMemAlloc_v2 libcudart.so.13 = 0
cudaFree hostile 0x4 = 0" "jumps: what was left is not around what comes"
sed 's/ = .*//' "$tmp/out" >"$tmp/entered"
hostile jumps CUAUDIT_HOOKS="$tmp/sees.so(exits=no)"
is "$(sed 's/ = .*//' "$tmp/out")" "$(cat "$tmp/entered")" "jumps: nor where no hook sees ends"
hostile deep
is "$(calls | grep cuda) $(grep -c 'odd\|flags\|unended' "$tmp/out")" "1 cudaGetDevice
16 cudaStreamAddCallback 0" "deep: of calls in calls 16 are seen, and what comes behind"
cp "$tmp/liblinked.so" "$tmp/closed.so"
hostile closes
is "$(grep -c '^cudaMalloc closed.so pointer 0x9 = 0$' "$tmp/out") $(tail -n 1 "$tmp/out")" \
	"20 cudaFree hostile 0x9 = 0" "closes: a runtime that is unloaded"
hostile ends
is "$(calls | grep cuda)" "1 cudaFree
1 cudaGetDevice
1 cudaMalloc" "ends: calls of atexit handlers and destructors"

# the simulated driver has the table where it is asked for
run CUAUDIT_DRIVER=sim "$tmp/calls"
is "$status $(seen) $(grep -c 'are not seen: the driver has no table' "$tmp/err")" "0 0 1" "sim: no table"
run CUAUDIT_DRIVER=sim CUAUDIT_SIM_TOOLS=1 "$tmp/calls"
is "$status $(seen)$(cat "$tmp/err")" "0 7" "sim: with the table"
status=0
$run_env LD_LIBRARY_PATH="$simdir:$tmp" CUAUDIT_SIM_TOOLS=1 "$tmp/calls" >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/err")" "0 " "sim: not audited"

# the hooks in the box
run CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/stat" "$tmp/calls"
is "$($PYTHON3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["functions"]:
    if row["name"].startswith("cuda"):
        print(row["name"], row["calls"], row["errors"])' "$tmp"/stat* | sort)" "cudaFree 1 0
cudaGetDevice 1 0
cudaGetErrorString 1 0
cudaLaunchKernel 1 0
cudaMalloc 3 1" "stat"

run CUAUDIT_HOOKS='coverage(format=json)' CUAUDIT_OUTPUT="$tmp/covered" "$tmp/calls"
is "$($PYTHON3 -c '
import json, sys
print(" ".join(row["name"] for driver in json.load(open(sys.argv[1]))["drivers"] for row in driver["functions"]
    if row["called"] and row["name"].startswith("cuda")))' "$tmp"/covered*)" \
	"cudaGetErrorString cudaGetDevice cudaMalloc cudaFree cudaLaunchKernel" "coverage"

# Rules judge them as calls of the driver.
printf 'at-most 2 cudaMalloc\nnever cudaGetDevice\nat-most 2 cuMemAlloc*\n' >"$tmp/some.rules"
status=0
env LD_LIBRARY_PATH="$tmp" FAKE_TOOLS=whole CUAUDIT_DOMAINS=driver,runtime "$top_builddir/bin/cuaudit" check \
	--rules "$tmp/some.rules" "$tmp/calls" >"$tmp/out" 2>&1 || status=$?
is "$status" 88 "rules: broken ones"
is "$(grep -c 'broken' "$tmp/out") $(grep -A 1 '^[^ ]*rules:' "$tmp/out" | grep broken | tr '\n' ';')" \
	"3   broken once: 3 calls, at most 2 allowed;  broken once;" "two of them"
like "$(cat "$tmp/out")" 'cudaMalloc\(devPtr = 0x[0-9a-f]*, size = 8192\) = cudaSuccess' "the call"
like "$(cat "$tmp/out")" '^ *linked_malloc .*liblinked.so' "and its stack"

# a trace: driver calls are inside
tool() {
	"$top_builddir/bin/cuaudit" "$@" >"$tmp/out" 2>"$tmp/err"
}
run CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/counts" "$tmp/calls"
is "$($PYTHON3 -c '
import json, sys
print(*(row["name"] + " " + row["result"] for row in json.load(open(sys.argv[1]))["results"] if "cuda" in row["name"]))' \
	"$tmp/counts")" "cudaMalloc cudaErrorMemoryAllocation" "stat: an error of the runtime by its own name"
run CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/calls-" "$tmp/calls"
ok "the tree" tool report --by tree "$tmp/calls-.cutrace"
# Two columns for each level; rows of equal rank are in the order of their times.
is "$(awk 'NR > 3 && match($0, /[0-9]  +[^ ]+$/) {
	level = RLENGTH - length($NF) - 1
	name[level] = $NF
	sub(/.*\//, "", name[level])
	print name[2] (level > 2 ? " > " name[4] : "") (level > 4 ? " > " name[6] : ""), $3
}' "$tmp/out" | sort)" "calls 5
calls > cudaFree 1
calls > cudaGetDevice 1
calls > cudaGetErrorString 1
calls > cudaLaunchKernel 1
calls > cudaLaunchKernel > cuStreamQuery 1
calls > cudaMalloc 1
calls > cudaMalloc > cuMemAlloc_v2 1
liblinked.so 2
liblinked.so > cudaMalloc 2
liblinked.so > cudaMalloc > cuMemAlloc_v2 1" "libraries, their calls of the runtime, driver calls inside"
ok "the tree is there unasked" tool report "$tmp/calls-.cutrace"
like "$(cat "$tmp/out")" 'Library, its calls of the runtime, driver calls inside' "it is"
ok "JSON" tool report --format json --by tree "$tmp/calls-.cutrace"
is "$($PYTHON3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["tree"]:
    print(row["name"], row["library"].split("/")[-1], row["calls"], row["errors"],
          *["%s %d" % (inner["name"], inner["calls"]) for inner in row["inside"]])' "$tmp/out" | sort)" \
"cudaFree calls 1 0
cudaGetDevice calls 1 0
cudaGetErrorString calls 1 0
cudaLaunchKernel calls 1 0 cuStreamQuery 1
cudaMalloc calls 1 0 cuMemAlloc_v2 1
cudaMalloc liblinked.so 2 1 cuMemAlloc_v2 1" "the same in JSON"
# chosen SELECTOR: how many calls of which functions are converted
chosen() {
	tool convert --to jsonl --symbols no --functions "$1" "$tmp/calls-.cutrace"
	sed -n 's/.*"function":"\([^"]*\)".*/\1/p' "$tmp/out" | sort | uniq -c | awk '{ printf "%s%s %s", sep, $2, $1; sep = ", " }'
}
is "$(chosen %runtime)" \
	"cudaFree 1, cudaGetDevice 1, cudaGetErrorString 1, cudaLaunchKernel 1, cudaMalloc 3" "convert: %runtime"
is "$(chosen %driver | tr , '\n' | grep -c cuda) $(chosen 'cuMem*,%runtime')" \
	"0 cuMemAlloc_v2 2, cudaFree 1, cudaGetDevice 1, cudaGetErrorString 1, cudaLaunchKernel 1, cudaMalloc 3" \
	"convert: %driver, and %runtime with others"
printed() {
	tool convert --to "$1" --symbols no --functions cudaMalloc,cuMemAlloc_v2 "$tmp/calls-.cutrace"
	grep -o 'CUDA_[A-Z_]*\|cuda[ES][A-Za-z]*' "$tmp/out" | sort | uniq -c | awk '{ printf "%s%s %s", sep, $2, $1; sep = ", " }'
}
for format in text csv jsonl chrome; do
	is "$(printed $format)" "CUDA_SUCCESS 2, cudaErrorMemoryAllocation 1, cudaSuccess 2" "$format: results by their names"
done
# queried SQL: of the database, a line a row
queried() {
	"$PYTHON3" -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
	print(*row)' "$tmp/db" "$1"
}
if tool convert --to sqlite --symbols no -o "$tmp/db" "$tmp/calls-.cutrace" && "$PYTHON3" -c 'import sqlite3' 2>"$tmp/none"; then
	is "$(queried "SELECT function, result, count(*) FROM calls WHERE function IN ('cudaMalloc', 'cuMemAlloc_v2')
		GROUP BY 1, 2 ORDER BY 1, 2")" "cuMemAlloc_v2 CUDA_SUCCESS 2
cudaMalloc cudaErrorMemoryAllocation 1
cudaMalloc cudaSuccess 2" "sqlite: results by their names"
	is "$(queried "SELECT eventClass, count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId
		WHERE value IN ('cudaMalloc', 'cuMemAlloc_v2') GROUP BY 1")" "0 3
1 2" "... of the runtime and of the driver, as nsys has them"
	is "$(queried 'PRAGMA foreign_key_check')" "" "... all references lead somewhere"
else
	skip 3 "no sqlite3"
fi
ok "ctf" tool convert --to ctf --symbols no -o "$tmp/ctf" "$tmp/calls-.cutrace"
if command -v babeltrace2 >"$tmp/none"; then
	is "$(babeltrace2 "$tmp/ctf" | grep 'cuda:\(cudaMalloc\|cuMemAlloc_v2\)_exit' | grep -o 'CUDA_[A-Z_]*\|cuda[ES][A-Za-z]*' |
		sort | uniq -c | awk '{ print $2, $1 }')" "CUDA_SUCCESS 2
cudaErrorMemoryAllocation 1
cudaSuccess 2" "ctf: results by their names"
else
	skip 1 "no babeltrace2"
fi
ok "page" tool report --html "$tmp/page.html" --symbols no "$tmp/calls-.cutrace"
for chromium in chromium chromium-browser google-chrome none; do
	command -v "$chromium" >"$tmp/none" 2>&1 && break
done
if test "$chromium" != none; then
	"$PYTHON3" "$top_srcdir/t/html/browser.py" "$chromium" "$tmp/page.html" >"$tmp/out" 2>"$tmp/err" <<'END'
eval window.texts = (row) => row.cells[0].textContent + " " + row.cells[3].textContent; 0
eval [...document.querySelectorAll("#table-longest tbody tr")].map(texts).filter((text) => /alloc/i.test(text)).sort().join()
END
	is "$(tail -n 1 "$tmp/out")" '"cuMemAlloc_v2 CUDA_SUCCESS,cuMemAlloc_v2 CUDA_SUCCESS,cudaMalloc cudaErrorMemoryAllocation,'\
'cudaMalloc cudaSuccess,cudaMalloc cudaSuccess"' "page: results by their names"
else
	skip 1 "no Chromium"
fi
ok "folded" tool convert --to folded --weight calls --symbols no "$tmp/calls-.cutrace"
is "$(sed -n 's/^.*;\([a-z.]*;cudaMalloc;.*\)/\1/p' "$tmp/out")" "calls;cudaMalloc;libcudart.so.13;cuMemAlloc_v2 1
liblinked.so;cudaMalloc;liblinked.so;cuMemAlloc_v2 1" "stacks"
ok "chrome" tool convert --to chrome --symbols no "$tmp/calls-.cutrace"
is "$($PYTHON3 -c '
import json, sys
calls = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X" and "result" in e["args"]]
for outer in calls:
    for inner in calls:
        if inner is not outer and outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]:
            print(outer["name"], inner["name"])' "$tmp/out")" "cudaMalloc cuMemAlloc_v2
cudaLaunchKernel cuStreamQuery
cudaMalloc cuMemAlloc_v2" "slices are in slices"
if tool convert --to perfetto --symbols no -o "$tmp/pftrace" "$tmp/calls-.cutrace"; then
	is "$($PERL "$top_srcdir/t/convert/perfetto.pl" "$tmp/pftrace" | grep '^begins\|^ends\|^unfinished\|^slice cuda\|^result ' | sort)" \
"begins 14
ends 14
result CUDA_ERROR_NOT_READY 1
result CUDA_SUCCESS 6
result cudaErrorMemoryAllocation 1
result cudaSuccess 6
slice cudaFree 1
slice cudaGetDevice 1
slice cudaGetErrorString 1
slice cudaLaunchKernel 1
slice cudaMalloc 3
unfinished 0" "perfetto: a slice each, with an end and a result"
else
	skip 1 "no protobuf-c"
fi
run CUAUDIT_HOOKS='trace(text=yes)' CUAUDIT_OUTPUT="$tmp/text-" "$tmp/calls"
like "$(cat "$tmp"/text-*)" 'cudaMalloc\(devPtr = 0x[0-9a-f]*, size = 4096\) = cudaSuccess' "text: parameters by name"
like "$(cat "$tmp"/text-*)" 'cudaLaunchKernel\(func = 0x100, gridDim = 0x200000001:0x3, .*sharedMem = 7, stream = 0x300\)' \
	"text: structures"
run CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/threads-" "$tmp/hostile" threads
for jobs in 1 4; do
	tool report --format json --by tree --jobs $jobs "$tmp/threads-.cutrace"
	cp "$tmp/out" "$tmp/threads.$jobs"
done
ok "the same by any number of jobs" cmp "$tmp/threads.1" "$tmp/threads.4"
is "$($PYTHON3 -c '
import json, sys
print(sorted((row["calls"], [inner["calls"] for inner in row["inside"]])
    for row in json.load(open(sys.argv[1]))["tree"] if row["name"] == "cudaMalloc"))' "$tmp/threads.1")" \
	"[(1600, [1600]), (1601, [1601])]" "threads: each has its driver call inside"
done_testing
