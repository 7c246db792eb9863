#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls through the driver's export tables, whose slots are hooked in place.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helpers fake/libcuda.so.1 runtime/calls runtime/libcudart.so.13 runtime/liblinked.so runtime/sees.so
helpers tables/ends.so tables/slots
mkdir "$tmp/copy"
cp "$simdir/libcuda.so.1" "$tmp/copy"

# run [VARIABLE=VALUE...] COMMAND...: what it prints, in $tmp/out; messages, in $tmp/err
run() {
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_SIM_TOOLS=1 CUAUDIT_DOMAINS=driver,tables \
		CUAUDIT_HOOKS="$tmp/sees.so" DRIVER_COPY="$tmp/copy/libcuda.so.1" \
		timeout 300 env "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}
# slots MODE [VARIABLE=VALUE...]: the program is well, and prints what it does alone
slots() {
	mode=$1
	shift
	status=0
	$run_env LD_LIBRARY_PATH="$simdir" CUAUDIT_SIM_TOOLS=1 DRIVER_COPY="$tmp/copy/libcuda.so.1" \
		"$tmp/slots" "$mode" >"$tmp/alone" 2>&1 || status=$?
	is "$status" 0 "$mode: the program is well alone"
	run "$@" "$tmp/slots" "$mode"
	is "$status" 0 "$mode: the program is well"
	is "$(head -n "$(grep -c . "$tmp/alone")" "$tmp/out")" "$(cat "$tmp/alone")" "$mode: prints the same"
}
# calls: "COUNT NAME" of slots
calls() {
	sed -n 's/^ *\([^ ]*\(\[[0-9]*\]\|\.[a-z_]*\)\) slots.*/\1/p' "$tmp/out" | sort | uniq -c | sed 's/^ *//'
}
all="1 CONTEXT_LOCAL_STORAGE.delete
2 CONTEXT_LOCAL_STORAGE.get
1 CONTEXT_LOCAL_STORAGE.put
1 CUDART_INTERFACE.module_from_cubin
2 CUDART_INTERFACE.primary_ctx
1 cafe0001[1]
1 cafe0001[2]
1 cafe0001[3]
1 cafe0001[4]
1 cafe0001[7]"

slots calls
is "$(calls)" "$all" "each call of each slot, by name"
is "$(grep -c '^integrity 0' "$tmp/out")" 2 "the integrity check holds"
is "$(cat "$tmp/err")" "" "nothing is said"
is "$(grep -c 'odd\|unended\|flags' "$tmp/out")" 0 "each ends as it began"
is "$(grep '\.primary_ctx' "$tmp/out" | sort -u)" "CUDART_INTERFACE.primary_ctx slots = 0" \
	"what a slot returns is no status"

# off: nothing is written to, and no function is there
slots calls CUAUDIT_DOMAINS=driver
is "$(calls)" "" "driver: no call of a slot"
run CUAUDIT_DOMAINS=driver "$tmp/slots" words
is "$(grep '^[0-9a-f]* r' "$tmp/out")" "6bd5 r--p 0dd00dddddddd
c693 r--p ddd0
d408 r--p 0dd
cafe rw-p 0dddddddd
a094 r--p 0dddddd" "driver: tables as they are"
run CUAUDIT_DOMAINS=driver,runtime "$tmp/slots" words
is "$(sed -n 1,5p "$tmp/out")" "6bd5 r--p 0dd00dddddddd
c693 r--p ddd0
d408 r--p 0dd
cafe rw-p 0dddddddd
a094 r--p 0ssdddd" "runtime: two words of its table, and no other"
for wrong in '6bd5fb6c[2]' '%tables' CUDART_INTERFACE.primary_ctx; do
	run CUAUDIT_DOMAINS=driver CUAUDIT_FUNCTIONS="$wrong" "$tmp/slots"
	like "$(cat "$tmp/err")" 'names no function' "driver: $wrong"
done
run CUAUDIT_DOMAINS=driver CUAUDIT_HOOKS=coverage CUAUDIT_OUTPUT="$tmp/off" "$tmp/slots"
run CUAUDIT_HOOKS=coverage CUAUDIT_OUTPUT="$tmp/on" "$tmp/slots"
is "$(grep newer "$tmp"/on*)" "$(grep newer "$tmp"/off*)" "coverage: slots are not newer functions"
run CUAUDIT_HOOKS='coverage(format=json)' CUAUDIT_OUTPUT="$tmp/json" "$tmp/slots"
is "$($PYTHON3 -c '
import json, sys
print(" ".join(row["name"] for driver in json.load(open(sys.argv[1]))["drivers"] for row in driver["functions"]
    if row["called"] and not row["name"].startswith("cu")))' "$tmp"/json*)" \
	"CONTEXT_LOCAL_STORAGE.put CONTEXT_LOCAL_STORAGE.delete CONTEXT_LOCAL_STORAGE.get CUDART_INTERFACE.module_from_cubin CUDART_INTERFACE.primary_ctx cafe0001[1] cafe0001[2] cafe0001[3] cafe0001[4] cafe0001[7]" \
	"coverage"

run CUAUDIT_HOOKS='coverage(format=json)' CUAUDIT_OUTPUT="$tmp/later" "$tmp/slots" tiny
is "$(grep -c 'cafe0001\[6\]' "$tmp"/later*)" 1 "coverage: a slot of a table that came before another"

# in place, and undone
run CUAUDIT_HOOKS="$tmp/ends.so" "$tmp/slots" words
is "$(cat "$tmp/out")" "6bd5 r--p 0ss00ssssdsss
c693 r--p sss0
d408 r--p 0dd
cafe rw-p 0ssssssss
a094 r--p 0ssssss
6bd5 r--p 0dd00dddddddd
c693 r--p ddd0
d408 r--p 0dd
cafe rw-p 0dddddddd
a094 r--p 0dddddd" "functions alone are replaced, protected as before, and there again at the end"
slots compares
slots taken
is "$(calls)" "" "taken: another's function is not called through ours"

# selectors
run CUAUDIT_DOMAINS=tables "$tmp/slots"
is "$(calls) $(grep -c '^cu' "$tmp/out")" "$all 0" "tables alone"
run CUAUDIT_FUNCTIONS=%tables "$tmp/slots"
is "$(calls) $(grep -c '^cu' "$tmp/out")" "$all 0" "%tables"
run CUAUDIT_FUNCTIONS=%driver "$tmp/slots"
is "$(calls)" "" "%driver has none"
run CUAUDIT_FUNCTIONS='6bd5fb6c[2]' "$tmp/slots"
is "$(calls)" "2 CUDART_INTERFACE.primary_ctx" "by UUID and slot"
run CUAUDIT_FUNCTIONS=CUDART_INTERFACE.primary_ctx "$tmp/slots"
is "$(calls)" "2 CUDART_INTERFACE.primary_ctx" "by name"
run CUAUDIT_FUNCTIONS='CONTEXT_*,!*.put' "$tmp/slots"
is "$(calls)" "1 CONTEXT_LOCAL_STORAGE.delete
2 CONTEXT_LOCAL_STORAGE.get" "by glob"
run CUAUDIT_FUNCTIONS='c693336e*' "$tmp/slots"
is "$(calls | wc -l | tr -d ' ')" 3 "by a glob of UUIDs"
run CUAUDIT_FUNCTIONS='cafe0001[2]' "$tmp/slots"
is "$(calls) $(cat "$tmp/err")" "1 cafe0001[2] " "of a table that nobody has described"
run CUAUDIT_FUNCTIONS=CUDART_INTERFACE.primary_cxt "$tmp/slots"
like "$(cat "$tmp/err")" "names no function; did you mean .*CUDART_INTERFACE.primary_ctx" "a misspelt one"
for wrong in '6bd5fb6c[2' '6bd5fb6c[2000]' '6bd5fb6[2]' %table; do
	run CUAUDIT_FUNCTIONS="$wrong" "$tmp/slots"
	like "$(cat "$tmp/err")" "names no function|is no selector" "$wrong"
done
for wrong in 'd4082055[1]' 'cuInit,d4082055[2]' '!d4082055[1]'; do
	status=0
	env CUAUDIT_DRIVER=sim CUAUDIT_SIM_TOOLS=1 CUAUDIT_DOMAINS=driver,tables CUAUDIT_FUNCTIONS="$wrong" \
		"$top_builddir/bin/cuaudit" run "$tmp/slots" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/out")" "2 " "$wrong: the program is not started"
	like "$(cat "$tmp/err")" "'d4082055\[[12]\]' is of the table by which runtimes check the driver, which is never hooked" \
		"$wrong: and why"
done
run CUAUDIT_HOOKS='fault(inject=d4082055[1]:error=2)' "$tmp/slots"
like "$(cat "$tmp/err")" "'d4082055\[1\]' is of the table by which" "fault: the same"
for wrong in d4082055 'd4082055*'; do
	run CUAUDIT_FUNCTIONS="$wrong" "$tmp/slots"
	like "$(cat "$tmp/err")" "names no function" "$wrong"
done
run CUAUDIT_EXCLUDE='(main)' "$tmp/slots"
is "$(calls)" "" "CUAUDIT_EXCLUDE: who is excluded asks for tables of its own"

run "$tmp/slots"
whole=$(calls)
run CUAUDIT_INCLUDE='(main)' "$tmp/slots"
is "$(calls)" "$whole" "CUAUDIT_INCLUDE: it asks for them as before"
run CUAUDIT_INCLUDE='libother*' "$tmp/slots"
is "$(calls)" "" "CUAUDIT_INCLUDE: who is not included has its own"

# what cannot be watched is said
slots left
is "$(calls)" "" "left: no call"
is "$(grep -c 'cafe0002.* are not seen: it does not begin with its size' "$tmp/err") $(grep -c . "$tmp/err")" "1 2" \
	"left: an absurd size, once"
like "$(cat "$tmp/err")" 'cafe0003.* are not seen: it is in executable memory' "left: a page of code"
run "$tmp/slots" refused
if test "$status" -eq 77; then
	skip 6 "no seccomp(2)"
else
	is "$status $(grep -c '^integrity 0' "$tmp/out")" "0 2" "refused: the program goes on"
	is "$(calls)" "1 cafe0001[1]
1 cafe0001[2]
1 cafe0001[3]
1 cafe0001[4]
1 cafe0001[7]" "refused: what can be written to is hooked"
	is "$(grep -c 'mprotect(2) is refused' "$tmp/err")" 1 "refused: and one line says so"
	# A rule of what nobody sees holds for ever.
	echo 'never CUDART_INTERFACE.primary_ctx' >"$tmp/rules"
	run CUAUDIT_HOOKS="rules(file=$tmp/rules)" "$tmp/slots" refused
	is "$status" 89 "refused: rules are not judged"
	like "$(cat "$tmp/err")" 'rules: functions could not be hooked' "... which is said"
	run CUAUDIT_HOOKS="rules(file=$tmp/rules)" "$tmp/slots"
	is "$status" 88 "with a table that can be written to they are"
fi
run "$tmp/slots" mdwe
if test "$status" -eq 77; then
	skip 1 "no PR_SET_MDWE"
else
	is "$(calls)" "$all" "mdwe: memory that is not to become code can be written to"
fi

slots own
is "$(sed -n '/cafe/p' "$tmp/out")" "cafe0001[8] slots = 0" "own: calls of the driver itself are not hooked"

# threads, forks, signals, jumps, ends
slots threads
is "$(calls)" "1600 CUDART_INTERFACE.module_from_cubin
1600 cafe0001[2]
1600 cafe0001[6]" "threads: all calls"
is "$(grep -c 'odd\|unended\|flags' "$tmp/out")" 0 "threads: each ends as it began"
slots protect
is "$(calls)" "2000 CUDART_INTERFACE.module_from_cubin" "protect: all calls"
slots forks
slots signals
is "$(grep cafe "$tmp/out")" "cafe0001[5] slots = 0
 cafe0001[6] slots = 0
cafe0001[6] slots = 0" "signals: a handler's call is inside"
slots jumps
is "$(grep -c 'cafe0001\[5\] slots = 0 unended' "$tmp/out") $(tail -n 1 "$tmp/out")" "100 cafe0001[6] slots = 0" \
	"jumps: what was left is not around what comes"
slots tiny
is "$(calls)" "1 CUDART_INTERFACE.module_from_cubin
1 cafe0001[6]" "tiny: from the least stack"
slots closes
is "$(calls) $(cat "$tmp/err")" "200 cafe0001[1]
200 cafe0001[6] " "closes: a driver that comes and goes"
slots execs
is "$(grep ' slots ' "$tmp/out" | grep -c '\[\|\.')" 12 "execs: the next program's calls"

# beside the runtime's
for domains in driver,runtime driver,tables driver,runtime,tables runtime,tables; do
	run LD_LIBRARY_PATH="$tmp" CUAUDIT_DOMAINS=$domains "$tmp/calls"
	is "$status $(cat "$tmp/err")" "0 " "$domains: the program is well"
	grep '^ *cuda' "$tmp/out" >"$tmp/runtime-$domains" || :
	sed -n 's/^ *\(a094798c[^ ]*\).*/\1/p' "$tmp/out" | sort | uniq -c | sed 's/^ *//' >"$tmp/tables-$domains"
done
is "$(cat "$tmp/runtime-driver,tables")" "" "tables: none of the runtime's"
is "$(cat "$tmp/tables-driver,tables")" "2 a094798c[2]" "tables: the runtime asks for flags"
for domains in driver,runtime,tables runtime,tables; do
	is "$(sed 's/^ *//' "$tmp/runtime-$domains")" "$(sed 's/^ *//' "$tmp/runtime-driver,runtime")" \
		"$domains: calls of the runtime as without tables"
	is "$(cat "$tmp/tables-$domains")" "14 a094798c[4]" "$domains: none is counted twice"
done

# the hooks in the box
run CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/stat" "$tmp/slots"
is "$($PYTHON3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["functions"]:
    if not row["name"].startswith("cu"):
        print(row["calls"], row["name"], row["errors"])' "$tmp"/stat* | sort -k 2)" "$(echo "$all" | sed 's/$/ 0/' | sort -k 2)" "stat"
run CUAUDIT_HOOKS='fault(inject=cafe0001[2]:error=2)' "$tmp/slots"
is "$(sed -n 's/^words //p' "$tmp/out")" 2 "fault: by name"
run CUAUDIT_HOOKS='fault(inject=%tables:delay_enter=1us)' "$tmp/slots"
is "$(sed -n 's/^words //p' "$tmp/out")" 385 "fault: a delay"
run CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/trace-" "$tmp/slots"
status=0
"$top_builddir/bin/cuaudit" report --format json "$tmp/trace-.cutrace" >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $($PYTHON3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["functions"]:
    if not row["name"].startswith("cu"):
        print(row["calls"], row["name"], row["errors"])' "$tmp/out" | sort -k 2)" "0 $(echo "$all" | sed 's/$/ 0/' | sort -k 2)" "report"
for format in chrome csv jsonl text folded; do
	"$top_builddir/bin/cuaudit" convert --to $format --symbols no "$tmp/trace-.cutrace" >"$tmp/$format" 2>"$tmp/err"
	is "$(grep -c 'cafe0001\[2\]' "$tmp/$format") $(cat "$tmp/err")" "1 " "convert: $format"
done
"$top_builddir/bin/cuaudit" convert --to jsonl --symbols no "$tmp/trace-.cutrace" | grep '"function":"' >"$tmp/every"
"$top_builddir/bin/cuaudit" convert --to jsonl --symbols no --functions %tables "$tmp/trace-.cutrace" |
	grep '"function":"' >"$tmp/chosen"
is "$(wc -l <"$tmp/chosen")" "$(grep -vc '"function":"cu' "$tmp/every")" "convert: %tables"
like "$(wc -l <"$tmp/chosen")" "[1-9]" "it has some"
for format in chrome csv jsonl otlp; do
	"$top_builddir/bin/cuaudit" convert --to $format --symbols no "$tmp/trace-.cutrace" 2>"$tmp/err" |
		tr '{' '\n' >"$tmp/lines"
	is "$(grep -A3 'cafe0001\[2\]' "$tmp/lines" | grep -c 'CUDA_SUCCESS')" 0 "$format: a result that nobody knows is no success"
done
like "$(cat "$tmp/csv")" 'cafe0001\[2\],.*,\?,,' "csv: it is its own value"
like "$(cat "$tmp/jsonl")" '"function":"cafe0001\[2\]",.*"result":"\?"' "jsonl: likewise"
status=0
"$top_builddir/bin/cuaudit" convert --to sqlite -o "$tmp/db" "$tmp/trace-.cutrace" >"$tmp/out" 2>&1 || status=$?
if grep -q 'built without sqlite3' "$tmp/out"; then
	skip 2 "built without sqlite3"
else
	is "$status" 0 "sqlite: a database"
	is "$("$PYTHON3" -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT function GLOB ?, sum(result IS NULL), count(*) FROM calls GROUP BY 1 ORDER BY 1", ("cu[A-Z]*",)):
    print(row[0], row[1] == row[2] if row[0] == 0 else row[1])' "$tmp/db")" "0 True
1 0" "sqlite: it is NULL, of those calls alone"
fi
like "$(cat "$tmp/text")" 'cafe0001\[2\]\(word0 = 0x1, word1 = 0x2, word2 = 0x3, word3 = 0x4, word4 = 0x5, word5 = 0x6, \.\.\.\) = \?' "trace: raw words"
like "$(cat "$tmp/text")" 'CUDART_INTERFACE.primary_ctx' "trace: names"
printf 'at-most 1 %%tables\nnever cafe0001[3]\n' >"$tmp/some.rules"
status=0
env CUAUDIT_DRIVER=sim CUAUDIT_SIM_TOOLS=1 CUAUDIT_DOMAINS=driver,tables "$top_builddir/bin/cuaudit" check \
	--rules "$tmp/some.rules" "$tmp/slots" >"$tmp/out" 2>&1 || status=$?
is "$status $(grep -c 'rules:[12]: ' "$tmp/out")" "88 2" "check: rules"
status=0
env CUAUDIT_DRIVER=sim CUAUDIT_DOMAINS=driver,tables "$top_builddir/bin/cuaudit" doctor >"$tmp/out" 2>&1 || status=$?
ok "doctor: judges, content or not" test "$status" -le 1 || diag "$status: $(cat "$tmp/out")"
like "$(cat "$tmp/out")" 'CUAUDIT_DOMAINS.*driver,tables' "doctor: as it was understood"
status=0
audited CUAUDIT_DOMAINS=driver,tabels CUAUDIT_STRICT=1 "$tmp/slots" >"$tmp/out" 2>&1 || status=$?
is "$status" 85 "a misspelt domain ends the process"
done_testing
