# SPDX-License-Identifier: Apache-2.0
# The formats of cuaudit check: text, TAP, JUnit, JSON, SARIF and annotations, with names of all
# kinds, with findings of several processes, and of checks that were not made.
. "${top_srcdir:-$(dirname "$0")/..}/t/check/lib.sh"
command -v "$PYTHON3" >"$tmp/none" || skip_all "no python3"

odd=$(printf 'a&b<c>"d"%%:,\033[1m\rz\377\357\277\277\n::error::x')
outputs='--json json --junit junit --sarif sarif --tap --github'

# json EXPRESSION: of the object in the file json.
json() {
	"$PYTHON3" -c 'import json, sys; j = json.load(open("json", encoding="utf-8")); print(eval(sys.argv[1]))' "$1"
}

# formed: whether all files are what they are to be.
formed() {
	json 1 >"$tmp/none"
	is "$?" 0 "$1: JSON"
	is "$("$PYTHON3" "$top_srcdir/t/check/sarif.py" sarif 2>&1)" "" "$1: SARIF"
	"$PYTHON3" -c 'import xml.dom.minidom; xml.dom.minidom.parse("junit")' 2>"$tmp/err.xml"
	is "$?" 0 "$1: XML" || diag "$(cat "$tmp/err.xml")"
	if command -v xmllint >"$tmp/none"; then
		ok "$1: XML, by another reader" xmllint --noout junit
	else
		skip 1 "no xmllint"
	fi
}

# A finding with all that there is.
check $outputs -- rule 'never # \memory' broken 5 wants 1 reached 1 finding 0 3 function f call 'f(size=8) = 0' \
	thread worker kernel _Z1fIiEvT_ range step note 'it was freed' python /x/site-packages/torch/a.py 3 inner \
	python "$PWD/train.py" 7 main python /usr/lib/python3.11/runpy.py 9 run own native /usr/lib/x.so 0x123 _Z3barv 3 \
	native /a/b.so 5 '' 0 rule 'in x' wants 4 rule three allow 'allow f:* known' 0 0
verdict 88 "check: 1 of 3 rules is broken, 1 was never reached" "text: the verdict"
is "$(sed -n '2,7p; 10,12p' "$tmp/err")" 'cuaudit.rules:1: never # \memory
  broken 5 times
  3 times: f(size=8) = 0; it was freed
    at '"$PWD"'/train.py:7 in main
    process 90000001, thread 77 worker, library record, range step, kernel void f<int>(int)
      inner at /x/site-packages/torch/a.py:3
      find_id at '"$(sed -n 's/.*find_id at \(.*\)/\1/p' "$tmp/err")"'
      bar()+0x3 in x.so+0x123
      (unknown) in b.so+0x5' "text: a finding"
says 'find_id at .*t/check/record\.c:[0-9]+ in ' "text: a line of a program's own"
says '^cuaudit\.rules:100: allow f:\* known$' "text: an allow line that is not used"
formed "a finding"
is "$(json '[r["verdict"] for r in j["rules"]]')" "['broken', 'never reached', 'holds']" "JSON: verdicts"
is "$(json 'j["rules"][0]["findings"][0]["place"]')" "{'file': '$PWD/train.py', 'line': 7}" \
	"JSON: the user's line is in no installed package"
is "$(json '[j["rules"][0]["findings"][0][k] for k in ("count", "tid", "thread", "kernel", "range", "note", "function")]')" \
	"[3, 77, 'worker', 'void f<int>(int)', 'step', 'it was freed', 'f']" "JSON: a finding"
is "$(json 'j["verdict"], j["complete"], j["command_status"], j["rules_file"], j["allows"][0]["note"]')" \
	"('broken', True, 0, 'cuaudit.rules', 'in no call stack')" "JSON: the check"
is "$("$PYTHON3" -c '
import json
run = json.load(open("sarif"))["runs"][0]
for result in run["results"]:
	place = result["locations"][0]["physicalLocation"]
	print(place["artifactLocation"]["uri"], place["region"]["startLine"], result.get("occurrenceCount"))')" \
	'train.py 7 3
cuaudit.rules 2 None' "SARIF: places, relative to the current directory"
is "$(grep -v '^#\|^::\|^$' "$tmp/out")" 'TAP version 13
1..3
not ok 1 - never \# \\memory
not ok 2 - in x
ok 3 - three' "TAP: a point for each rule"
like "$(cat "$tmp/out")" '^# never reached: its range, of which none of that name was opened$' "TAP: a diagnostic"
is "$(sed -n 's/^\(::.*::\).*/\1/p' "$tmp/out")" '::error file=train.py,line=7,title=never # \memory::
::error file=cuaudit.rules,line=2,title=in x::
::warning file=cuaudit.rules,line=100,title=allow f%3A* known::' "annotations: at the user's line"
like "$(cat "$tmp/out")" '::3 times: f\(size=8\) = 0; it was freed%0A  at .*/train\.py:7 in main%0A  process' "annotations: a message of several lines"
is "$("$PYTHON3" -c '
import xml.dom.minidom
suite = xml.dom.minidom.parse("junit").documentElement.getElementsByTagName("testsuite")[0]
print([suite.getAttribute(n) for n in ("tests", "failures", "errors")])
for case in suite.getElementsByTagName("testcase"):
	print(case.getAttribute("name"), [f.getAttribute("type") + ": " + f.getAttribute("message")
		for f in case.getElementsByTagName("failure")])')" "['3', '2', '0']
never # \\memory ['broken: broken 5 times']
in x ['never reached: never reached: its range, of which none of that name was opened']
three []" "JUnit: a case for each rule"

# A rule that holds, of which nothing was found.
check $outputs -- rule 'from a:b' wants 32 rule 'by k' wants 64 rule 'by it' wants 64 reached 64
verdict 0 "check: all 3 rules hold" "warnings are no failures"
formed "rules that hold, of nothing"
is "$(json '[r["verdict"] + ": " + str(r["never_reached"])[:9] for r in j["rules"]]')" \
	"['holds: its frame', 'holds: its kerne', 'holds: None']" "JSON: what they are of"
is "$(sed -n 's/^\(::.*::its [a-z]*\).*/\1/p' "$tmp/out")" '::warning file=cuaudit.rules,line=1,title=from a%3Ab::its frame
::warning file=cuaudit.rules,line=2,title=by k::its kernel' "annotations: at their lines"
is "$(grep -c 'cuaudit.rules:[12]: its .*: \(from a:b\|by k\)&#10;' junit)" 1 "JUnit: in its output" || diag "$(cat junit)"
is "$(grep -o '"level": *"note"' sarif | wc -l)" 2 "SARIF: notes"
check -- rule 'from a:b' wants 32 -- rule 'from a:b' wants 32 reached 32
is "$(wc -l <"$tmp/err")" 1 "what another process found is no warning"
check -- rule 'from a:b' -- rule 'from a:b' wants 32
is "$(grep -c warning "$tmp/err")" 1 "... but where that one alone looked"

# The line of a finding: Python's own, a program's own, a library's, the rules file's.
place() {
	check --json json -- rule one broken 1 finding 0 1 call c "$@"
	json 'j["rules"][0]["findings"][0]["place"] and j["rules"][0]["findings"][0]["place"]["file"].split("/")[-1]'
}
is "$(place python '<string>' 1 f python a.py 2 g)" a.py "no file of Python's"
is "$(place python /v/lib/python3.9/a.py 1 f own)" record.c "Python's library, and the program's line"
is "$(place python a.py 0 f own)" record.c "a line that is not known"
is "$(place python /v/dist-packages/a.py 4 f)" a.py "nothing else has a line"
is "$(place native /x/y.so 1 f 2)" None "no line"

# Equal findings of several processes are one; others are not.
one='finding 0 2 function f call x'
two='finding 0 1 function f call y'
check --json json -- rule r broken 3 $one python a.py 1 f $two python a.py 2 f -- rule r broken 2 \
	$one python a.py 1 f -- rule r broken 1 $two native /a 1 '' 0 finding 0 1 function g python a.py 1 f
is "$(json '[(f["count"], f["call"], f["pid"]) for f in j["rules"][0]["findings"]]')" \
	"[(4, 'x', 90000001), (1, 'y', 90000001), (1, 'y', 90000003), (1, None, 90000003)]" "findings are folded"
is "$(json 'j["rules"][0]["broken"]')" 6 "... and counted"
check --json json -- rule r broken 3 finding 0 1 function f own -- rule r finding 0 1 function f own
is "$(json 'len(j["rules"][0]["findings"])')" 1 "by function, file and line"

# More than are shown.
set -- rule r broken 40
number=0
while test $number -lt 12; do
	set -- "$@" finding 0 1 call "c$number" python a.py $((number + 1)) f
	number=$((number + 1))
done
check --json json --github -- "$@"
is "$(grep -c '^  once: c' "$tmp/err")" 10 "text: ten findings of a rule"
says '^  \.\.\. 2 more call stacks; --json has them all$' "text: and how many more"
is "$(json 'len(j["rules"][0]["findings"])')" 12 "JSON: all of them"
is "$(grep -c '^::error' "$tmp/out")" 10 "annotations: ten"

# A command whose last line has no end.
status=0
CUAUDIT_DRIVER=sim TMPDIR="$tmp/work" "$cuaudit" check --tap --github -- sh -c 'printf 100%%; exec "$@"' sh "$record" \
	rule r broken 1 finding 0 1 call c python a.py 1 f >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(grep -c '^::error' "$tmp/out") $(grep -c '^TAP version 13$' "$tmp/out")" "88 1 1" \
	"output in the middle of a line: each begins one of its own"

# Names of any bytes.
check $outputs -- rule "$odd" broken 1 wants 1 reached 1 finding 0 1 function "$odd" call "$odd" thread "$odd" \
	kernel "$odd" range "$odd" note "$odd" python "$odd" 3 "$odd" native "$odd" 1 "$odd" 1 rule "x$odd" wants 1 \
	mark "$odd" 0 allow "$odd" 0 0
is "$status" 88 "odd names"
formed "odd names"
is "$(grep -c "$(printf '\033')" "$tmp/err" "$tmp/out" | sed 's/.*://' | xargs)" "0 0" "nothing that a terminal obeys"
is "$(grep -c '^::' "$tmp/out")" "3" "annotations: one line each"
is "$(grep -c '^\(not \)\?ok ' "$tmp/out")" 2 "TAP: one point each"
is "$(sed 's/^::[a-z]* file=[^:]*,line=[0-9]*,title=[^:,]*:://' "$tmp/out" | grep -c '^::')" 0 "annotations: properties are escaped"

# Checks that were not made.
check $outputs -- none
is "$status" 89 "not made"
formed "not made"
is "$(json 'j["verdict"], j["complete"], len(j["problems"])')" "('not made', False, 1)" "not made: JSON"
like "$(cat "$tmp/out")" '^Bail out! no process called' "not made: TAP"
like "$(cat "$tmp/out")" '^::error title=check not made::no process called' "not made: annotations"
like "$(cat junit)" 'errors="1"' "not made: JUnit"
like "$(cat sarif)" '"executionSuccessful":false' "not made: SARIF"
check $outputs -- rule one broken 1 loss 8
is "$(json 'j["verdict"], j["complete"]')" "('broken', False)" "broken, and not made"
formed "broken, and not made"
like "$(tail -n 5 "$tmp/out")" '^Bail out! ' "... TAP bails out"
foreign static -static
for program in static missing; do
	rm -f json junit sarif
	status=0
	"$cuaudit" check $outputs "$tmp/$program" >"$tmp/out" 2>"$tmp/err" || status=$?
	formed "$program"
	is "$(json 'j["verdict"]')" "not made" "$program: JSON"
	like "$(cat "$tmp/out")" "^Bail out! $tmp/$program" "$program: TAP"
done
rm -f json junit sarif
check $outputs --rules none -- rule one
is "$status" 2 "no rules"
formed "no rules"
is "$(json 'j["verdict"]')" "not made" "... no file of before stays green"
check $outputs --rules cuaudit.rules -- rule one
is "$status" 0 "all hold"
formed "all hold"
is "$(json 'j["verdict"], j["complete"]')" "('holds', True)" "all hold: JSON"
printf 'never cuInit\noptional calls\n' >idle.rules
check $outputs --rules idle.rules -- none
is "$status" 0 "no call, allowed"
formed "no call, allowed"
like "$(cat "$tmp/out")" '^1\.\.0 # SKIP' "no call, allowed: TAP"

# Where a result cannot be written is found out before; what is there stays.
mkdir there
echo old >old
for bad in there missing/x ''; do
	status=0
	env "$cuaudit" check --json "$bad" -- "$record" rule one say ran >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(wc -l <"$tmp/err") $(cat "$tmp/out")" "2 1 " "an output that cannot be: '$bad'"
done
check --json cuaudit.rules -- rule one
is "$status $(cat cuaudit.rules)" "2 never cuMemAlloc" "the rules file is no output"
check --json old --sarif ./old -- rule one
is "$status $(cat old)" "2 old" "a file is not two outputs"
check --json new --sarif ./new -- rule one
is "$status $(find . -name new)" "2 " "... one that is not there yet"
for other in --tap '--junit -'; do
	check --json - $other -- rule one
	is "$status $(wc -c <"$tmp/out")" "2 0" "standard output is not two: $other"
	like "$(cat "$tmp/err")" '^cuaudit: standard output would be two outputs' "... and what is said"
done
for others in '--json /dev/stdout --junit -' '--tap --json /dev/fd/1' '--tap --sarif out.again'; do
	status=0
	# shellcheck disable=SC2086
	env "$cuaudit" check $others -- "$record" rule one >out.again 2>"$tmp/err" || status=$?
	is "$status $(wc -c <out.again)" "2 0" "... by any of its names: $others"
	like "$(cat "$tmp/err")" '^cuaudit: standard output would be two outputs' "... and what is said"
done
env "$cuaudit" check --tap --json /dev/null -- "$record" rule one >/dev/null 2>"$tmp/err"
is $? 0 "what nobody reads may be several"
check --json - -- rule one
is "$status $(cut -c 1-12 "$tmp/out")" '0 {"version":1' "standard output"
if test -c /dev/full; then
	check --json /dev/full -- rule one
	is "$status" 89 "a result that cannot be written is no success"
	env "$cuaudit" check -- "$record" rule one >"$tmp/out" 2>/dev/full
	is $? 89 "no room for the result on standard error"
	env "$cuaudit" check -- "$record" rule one broken 1 >"$tmp/out" 2>/dev/full
	is $? 88 "... nor is a broken rule"
	env "$cuaudit" check -- "$record" rule one >"$tmp/out" 2>&-
	is $? 89 "no standard error, and no other output"
	env "$cuaudit" check --json closed.json -- "$record" rule one >"$tmp/out" 2>&-
	is "$? $(cut -c 1-12 closed.json)" '0 {"version":1' "... with one"
	env "$cuaudit" check --json closed.json -- "$record" rule one broken 1 >"$tmp/out" 2>&-
	is $? 88 "... and a broken rule"
	check --json /dev/full -- rule one broken 1
	is "$status" 88 "... nor is a broken rule"
else
	skip 7 "no full disk here"
fi
ok "the device is still one" test -c /dev/full

# One that is killed leaves no result of before.
for target in gone.json linked.json; do
	check --json gone.json -- rule one
	test $target = gone.json || ln -s gone.json $target
	ok "a result" test -s gone.json
	# shellcheck disable=SC2016 # the shell's own
	sh -c '"$@"; :' - "$cuaudit" check --json $target --junit other.xml -- sh -c 'kill -s KILL $PPID' \
		>"$tmp/out" 2>&1
	is "$(wc -c <gone.json) $(test -L $target && echo link)" "0 $(test $target = gone.json || echo link)" \
		"a check that is killed: $target is empty"
done
check --json gone.json --sarif gone.json -- rule one
check --json gone.json -- rule one
ok "one that is refused by its outputs" test -s gone.json
check --json gone.json --sarif nowhere/x -- rule one
is "$status $(test -s gone.json && echo there)" "2 there" "... leaves what is there"
is "$(left)" "" "no directory is left"
done_testing
