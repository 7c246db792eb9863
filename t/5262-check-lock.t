# SPDX-License-Identifier: Apache-2.0
# cuaudit check with rules and a lock file: one run, one result in all formats; and the routes that lock files have.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
helpers baseline/steps
TMPDIR=$tmp/work
export TMPDIR
mkdir "$TMPDIR"
cd "$tmp" || exit 99
printf 'at-most 3 cuDriverGetVersion\nno-errors\n' >some.rules

# checked ARGUMENT...: both, of steps.
checked() {
	tool check -d sim --rules some.rules --baseline app.lock $outputs -- ./steps "$@"
}

# verdict STATUS LINE NAME
verdict() {
	is "$status $(head -n 1 "$tmp/err")" "$1 check: $2" "$3" || diag "$(head -n 5 "$tmp/err")"
}
outputs=
tool check -d sim --write-baseline app.lock -- ./steps calls 2 copy 8
is "$status" 0 "a lock file"
unlike "$(cat "$tmp/err")" replaced "... where none was"
tool check -d sim --update app.lock -- ./steps calls 2 copy 8
unlike "$(cat "$tmp/err")" replaced "... which --update changes"
tool check -d sim --write-baseline app.lock -- ./steps calls 2 copy 8
like "$status $(cat "$tmp/err")" '^0 .*; the file that was there is replaced' "... and --write-baseline replaces, which it says"

# Green, red by each of the two, and by both; in one run.
checked calls 2 copy 8
verdict 0 "all 2 rules hold; app.lock: all 11 facts hold" "both hold"
checked calls 3 copy 8
verdict 88 "all 2 rules hold; app.lock: 1 fact differs" "a fact differs"
like "$(cat "$tmp/err")" '^app.lock:8: changed: calls steps cuDriverGetVersion -: expected = 2, seen 3$' "... which"
checked calls 4 copy 8
verdict 88 "1 of 2 rules is broken; app.lock: 1 fact differs" "a rule is broken, too"
printf 'at-most 1 cuDriverGetVersion\n' >one.rules
tool check -d sim --rules one.rules --baseline app.lock -- ./steps calls 2 copy 8
verdict 88 "1 of 1 rule is broken; app.lock: all 11 facts hold" "a rule alone"
tool check -d sim --baseline app.lock -- ./steps calls 2 copy 8
verdict 0 "app.lock: all 11 facts hold" "a lock file alone"
cp one.rules cuaudit.rules
tool check -d sim --baseline app.lock -- ./steps calls 2 copy 8
verdict 0 "app.lock: all 11 facts hold" "... beside a cuaudit.rules"
tool check -d sim -- ./steps calls 2 copy 8
verdict 88 "1 of 1 rule is broken" "cuaudit.rules, if neither is given"
rm cuaudit.rules
printf 'echo run >>runs\nexec ./steps calls 2 copy 8\n' >counts
tool check -d sim --rules some.rules --baseline app.lock -- sh counts
is "$(cat runs)" run "the program runs once"
is "$(find "$TMPDIR" -mindepth 1)" "" "nothing is left"
checked calls 2 copy 8 exit 5
is "$status $(cat "$tmp/err")" "5 check: all 2 rules hold; app.lock: not compared
app.lock is not compared: the command ended by status 5" "a command that fails: its status"
checked calls 4 exit 5
is "$status" 88 "... unless it breaks a rule"
printf 'optional calls\nno-errors\n' >idle.rules
tool check -d sim --rules idle.rules --baseline app.lock -- ./steps
verdict 88 "the rule holds; app.lock: 6 facts differ" "no call, which the rules allow"
mkdir kept
tool check -d sim --keep kept --baseline app.lock -- ./steps calls 2 copy 8
is "$status $(find kept -name '*.check' | wc -l) $(find kept -name '*.cutrace' | wc -l)" "0 1 1" "--keep has traces, too"

# A program by another name is the same one, if most of its facts are.
cp steps walks
tool check -d sim --baseline app.lock -- ./walks calls 2 copy 8
verdict 88 "app.lock: 1 fact differs" "a program by another name"
is "$(sed -n 2p "$tmp/err")" "app.lock:6: renamed: steps: expected steps, seen walks" "... which, at its first fact"
tool check -d sim --baseline app.lock -- ./walks calls 3 copy 8
verdict 88 "app.lock: 2 facts differ" "... and what else is another"
is "$(sed -n 3p "$tmp/err")" "app.lock:8: changed: calls steps cuDriverGetVersion -: expected = 2, seen 3" "..."
tool check -d sim --baseline app.lock -- ./walks calls 2 copy 8 launch a launch b push r calls 2 launch a pop
like "$(sed -n '1p;/renamed/p' "$tmp/err" | tr '\n' ' ')" 'facts differ app.lock:6: renamed: steps' "... more facts than the file has"
grep -v 'steps	cuInit' app.lock >less.lock
tool check -d sim --baseline less.lock -- ./walks calls 2 copy 8
verdict 88 "less.lock: 3 facts differ" "... and what is new"
like "$(cat "$tmp/err")" '^less.lock:[0-9]+: new: calls steps cuInit -: expected none, seen 1$' "... by the name of the file"
tool check -d sim --baseline app.lock -- ./walks
unlike "$(cat "$tmp/err")" renamed "one that calls nothing is none"
sed '/^runs/q' app.lock >other.lock
printf 'calls\tsteps\tcuMemFree_v2\t-\t= 1\ncalls\tsteps\tcuInit\t-\t= 1\n' >>other.lock
tool check -d sim --baseline other.lock -- ./walks calls 2 copy 8
unlike "$(cat "$tmp/err")" renamed "nor one of which half of the facts are others"
like "$(cat "$tmp/err")" 'missing: calls steps cuInit' "... which are all told"
printf 'calls\tlibold.so\tcuMemFree_v2\t-\t= 1\n' | cat app.lock - >other.lock
tool check -d sim --baseline other.lock -- ./walks calls 2 copy 8
unlike "$(cat "$tmp/err")" renamed "nor where two are not there"

# All outputs, of a run that differs twice.
outputs="--tap --junit out.xml --json out.json --sarif out.sarif"
checked calls 3 copy 9
is "$status" 88 "outputs"
is "$(sed 1d "$tmp/out")" "TAP version 13
1..3
ok 1 - at-most 3 cuDriverGetVersion
ok 2 - no-errors
not ok 3 - app.lock
# app.lock:6: changed: bytes steps HtoD -: expected = 8, seen 9
# app.lock:8: changed: calls steps cuDriverGetVersion -: expected = 2, seen 3
#   if that is meant, cuaudit check --update changes the file" "TAP"
python3 - >"$tmp/parsed" <<'END'
import json
import xml.etree.ElementTree as xml

suite = xml.parse('out.xml').getroot()[0]
cases = suite.findall('testcase')
failure = cases[2].find('failure')
print(suite.get('tests'), suite.get('failures'), cases[2].get('name'), failure.get('type'), failure.get('message'))
baseline = json.load(open('out.json'))['baseline']
print(baseline['file'], baseline['compared'], baseline['facts'], baseline['note'])
for found in baseline['differences']:
    print(found['line'], found['kind'], found['fact'], found['expected'], found['seen'], sep='|')
run = json.load(open('out.sarif'))['runs'][0]
for found in run['results']:
    place = found['locations'][0]['physicalLocation']
    print(found['ruleId'], run['tool']['driver']['rules'][found['ruleIndex']]['id'],
          place['artifactLocation']['uri'], place['region']['startLine'], found['message']['text'])
END
is "$(cat "$tmp/parsed")" "3 1 app.lock differs 2 facts differ
app.lock True 11 None
6|changed|bytes steps HtoD -|= 8|9
8|changed|calls steps cuDriverGetVersion -|= 2|3
baseline baseline app.lock 6 changed: bytes steps HtoD -: expected = 8, seen 9
baseline baseline app.lock 8 changed: calls steps cuDriverGetVersion -: expected = 2, seen 3" "JUnit, JSON, SARIF"
outputs=--github
checked calls 3 copy 8
is "$(sed 1d "$tmp/out")" "::error file=app.lock,line=8,title=changed::changed: calls steps cuDriverGetVersion -: expected = 2, seen 3" \
	"annotations"
outputs="--tap --junit out.xml --json out.json --sarif out.sarif"
checked calls 2 copy 8
is "$status $(tail -n 1 "$tmp/out") $(grep -c '<failure' out.xml) $(grep -c '"verdict":"holds"' out.json)" \
	"0 ok 3 - app.lock 0 1" "outputs of one that agrees"
checked calls 2 copy 8 exit 1
is "$status $(sed -n 6p "$tmp/out") $(grep -c '<skipped' out.xml) $(grep -c '"verdict":"not made","complete":false' out.json)" \
	"1 ok 3 - app.lock # SKIP the command failed 1 1" "... of one that is not compared"
checked
is "$status $(grep -c '^Bail out!' "$tmp/out") $(grep -c '<error' out.xml) $(grep -c app.lock "$tmp/out")" "89 1 1 0" \
	"... of a check that was not made"
outputs=

# Processes: forked, two of them, one that becomes another program; 20 of 20 runs agree.
printf './steps calls 2 copy 4 child calls 3 &\n./steps number first 9 calls 1 &\nwait\nexec ./steps calls 1\n' >several
tool check -d sim --write-baseline several.lock -- sh several
is "$status" 0 "several processes"
like "$(tr '\t' ' ' <several.lock)" '^calls steps cuDriverGetVersion - = 7$' "... are added up"
agreed=0
for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	tool check -d sim --baseline several.lock -- sh several
	agreed=$((agreed + !status))
	test "$status" = 0 || diag "run $run: $(cat "$tmp/err")"
done
is "$agreed" 20 "20 of 20 runs agree"

# Three runs, of a program a part of which varies.
rm -f first
tool check -d sim --write-baseline random.lock --runs 3 -- ./steps calls 2 number first 50,54,51
is "$status $(grep -c '^runs	3$' random.lock)" "0 1" "three runs"
agreed=0
for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	echo $((run * 7 % 20)) >first
	tool check -d sim --baseline random.lock -- ./steps calls 2 \
		number first 50,54,51,53,52,49,48,55,56,57,50,44,43,60,61,53,54,52,51,50
	agreed=$((agreed + !status))
	test "$status" = 0 || diag "run $run: $(cat "$tmp/err")"
done
is "$agreed" 20 "20 of 20 runs are in its bounds"
tool check -d sim --baseline random.lock -- ./steps calls 3 number first 50
is "$status $(grep -c '^random.lock:' "$tmp/err")" "88 1" "... and what does not vary is exact"

# Routes: symbol, dlsym, cuGetProcAddress, and a pointer of another library.
# routes: of the lock file, but for how functions that find others are bound.
routes() {
	sed -n 's/^routes	//p' routes.lock | grep -v GetProcAddress | cut -f 3 | sort | uniq -c | awk '{ print $2 }' | xargs
}
demo=$top_builddir/demo
for way in dlopen:dlsym procaddr:procaddr; do
	tool check -d sim --write-baseline routes.lock --runs 2 -- "$demo/cudemo" "${way%:*}"
	is "$status $(routes)" "0 ${way#*:}" "cudemo ${way%:*}"
done
tool check -d sim --write-baseline routes.lock --runs 2 -- "$demo/cudemo-linked" linked
is "$status $(routes)" "0 symbol" "cudemo-linked"
sed 's/	symbol	/	dlsym	/' routes.lock >other.lock
tool check -d sim --baseline other.lock -- "$demo/cudemo-linked" linked
is "$status $(grep -c ': new: routes .* symbol: ' "$tmp/err")" "88 $(grep -c ^routes routes.lock)" "another route is new"
is "$(grep -c ': missing: routes .* dlsym: ' "$tmp/err")" "$(grep -c ^routes routes.lock)" "... the other one is missing"
tool check -d sim --update other.lock -- "$demo/cudemo-linked" linked
is "$status $(sed /^runs/d other.lock | diff - routes.lock | grep -c '^[<>]')" "0 1" "an update has the new one alone"
done_testing
