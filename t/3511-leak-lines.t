# SPDX-License-Identifier: Apache-2.0
# cuaudit report of saved JSON reports of the leak hook: what the hook prints, with functions, files and lines.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"
. "$top_srcdir/t/tool/lib.sh"

command -v "$PYTHON3" >"$tmp/which" || skip_all "no python3"
cp "$top_srcdir/t/leak/leaks.c" "$tmp/leaks.c"
compile -O1 -g -Wl,--build-id -o "$tmp/leaks" "$tmp/leaks.c" "$sim" -Wl,-rpath,"$simdir" >"$tmp/build.out" 2>&1 ||
	bail_out "cannot build leaks: $(head -n 1 "$tmp/build.out")"

# leaks FORMAT STEP...: its report, $tmp/FORMAT.leak
leaks() {
	leaks_format=$1
	shift
	rm -f "$tmp/$leaks_format.leak"
	audited CUAUDIT_OUTPUT="$tmp/$leaks_format" CUAUDIT_HOOKS="leak(format=$leaks_format;fail=no)" \
		"$tmp/leaks" "$@" >"$tmp/out" 2>"$tmp/err" || :
	test -s "$tmp/$leaks_format.leak" || bail_out "no report: $(head -n 1 "$tmp/err")"
}

# alike: without what differs from run to run
alike() {
	sed -e 's/pid [0-9]*/pid/' -e 's/0x[0-9a-f]\{9,\}/0x/g' "$1"
}

all="memory pitch host managed pool virtual array stream event code context with-context double-free
	use-after-free stream-after-free function-after-unload invalid-free wrong-context"
# shellcheck disable=SC2086 # words
leaks json $all
# shellcheck disable=SC2086
leaks text $all
tool report --symbols no "$tmp/json.leak"
is "$status $(wc -c <"$tmp/err")" "0 0" "a saved report"
alike "$tmp/out" >"$tmp/one"
alike "$tmp/text.leak" >"$tmp/other"
is "$(diff "$tmp/one" "$tmp/other")" "" "is what the hook prints"
ok "... with errors" grep -q '^Errors$' "$tmp/one"
ok "... and what was left" grep -q '^Left at exit$' "$tmp/one"

# As another implementation has each call.
cat >"$tmp/sites.py" <<'END'
import json, os, subprocess, sys
report = json.load(open(sys.argv[1]))
def walk(value, found):
    if isinstance(value, dict):
        if "offset" in value and os.path.basename(value["library"]) == "leaks":
            found.append(value)
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            walk(one, found)
    return found
wrong = 0
sites = walk(report, [])
for site in sites:
    said = subprocess.run(["addr2line", "-fe", site["library"], site["offset"]], capture_output=True,
                          text=True).stdout.split("\n")
    got = [site.get("caller_function", "??"), "%s:%s" % (site.get("caller_file"), site.get("caller_line"))]
    wrong += got != [said[0], said[1].split(" (")[0]]
print(len(sites) > 20, wrong)
END
tool report --format json "$tmp/json.leak"
# A line has many addresses: each offset is the last byte of a call, as objdump has them.
if objdump -d "$tmp/leaks" >"$tmp/code" 2>&1; then
	awk '/^ *[0-9a-f]+:\t/ { if (call) print $1; call = /[ \t](call|blr?)[ \tq]/ }' "$tmp/code" |
		tr -d : | sort >"$tmp/returns"
	"$PYTHON3" -c 'import os, re, sys
sites = re.findall(r"\"library\":\"([^\"]*)\",\"address\":\"?[^,]*,\"offset\":\"(0x[0-9a-f]+)\"", open(sys.argv[1]).read())
for path, offset in sites:
    if os.path.basename(path) == "leaks":
        print("%x" % (int(offset, 0) + 1))' "$tmp/json.leak" | sort -u >"$tmp/offsets"
	ok "call sites have offsets" test "$(wc -l <"$tmp/offsets")" -gt 20
	is "$(comm -23 "$tmp/offsets" "$tmp/returns")" "" "each is that of a call"
else
	skip 2 "no objdump"
fi
if grep -q '^#define HAVE_LIBDW 1' "$top_builddir/config.h" && addr2line --version >"$tmp/which" 2>&1; then
	cp "$tmp/out" "$tmp/whole.json"
	is "$("$PYTHON3" -B "$tmp/sites.py" "$tmp/whole.json")" "True 0" "each call site as addr2line has it"
	tool report "$tmp/json.leak"
	like "$(cat "$tmp/out")" '^ +1 +[0-9]+  stream +cuStreamCreate, leave_stream at [^ ]*leaks\.c:[0-9]+ \(0x[0-9a-f]+\)$' \
		"what was left: function, file and line"
	like "$(cat "$tmp/out")" \
		'double-free in cuMemFree_v2, called by leaks double_free at [^ ]*leaks\.c:[0-9]+ \(0x[0-9a-f]+\), answer CUDA_ERROR_INVALID_VALUE$' \
		"an error"
	# The program was replaced.
	mv "$tmp/leaks" "$tmp/kept"
	compile -O0 -Wl,--build-id -o "$tmp/leaks" "$tmp/leaks.c" "$sim" -Wl,-rpath,"$simdir"
	tool report "$tmp/json.leak"
	is "$status $(grep -c '/leaks: not the file that ran, by its build ID' "$tmp/err") $(wc -l <"$tmp/err")" "0 1 1" \
		"a program that was replaced: said once"
	alike "$tmp/out" >"$tmp/one"
	is "$(diff "$tmp/one" "$tmp/other")" "" "... and nothing is taken from it"
	mv "$tmp/kept" "$tmp/leaks"
else
	skip 5 "no addr2line or libdw"
fi
tool report --format json "$tmp/json.leak"
ok "as JSON nothing is missing" "$PYTHON3" -c 'import json, sys
def strip(value):
    if isinstance(value, dict):
        return {k: strip(v) for k, v in value.items() if not k.startswith("caller_") and k != "inlined_into"}
    return [strip(v) for v in value] if isinstance(value, list) else value
sys.exit(strip(json.load(open(sys.argv[1]))) != json.load(open(sys.argv[2])))' "$tmp/out" "$tmp/json.leak"

# What the fault hook wrote at each injection.
rm -f "$tmp"/inject*
audited CUAUDIT_OUTPUT="$tmp/inject" CUAUDIT_HOOKS="fault(format=json;inject=cuMemFree:result=0)" "$tmp/leaks" double-free \
	>"$tmp/out" 2>"$tmp/err" || :
tool report --format json "$tmp/inject.fault"
if grep -q '^#define HAVE_LIBDW 1' "$top_builddir/config.h"; then
	like "$(head -n 1 "$tmp/out")" \
		'"fault_rule":1,.*"caller_function":"double_free".*"caller_file":"[^"]*leaks\.c","caller_line":[0-9]' \
		"an injection: function, file and line"
else
	skip 1 "no libdw"
fi
refused 2 "[^ ]*inject.fault: a report of the fault hook, of which --format json .*" "... as JSON alone" \
	report "$tmp/inject.fault"

# Several processes wrote to one file.
cat "$tmp/json.leak" "$tmp/json.leak" >"$tmp/two.leak"
tool report "$tmp/two.leak"
is "$status $(grep -c '^cuaudit: leak of pid' "$tmp/out")" "0 2" "two reports in a file"

# What is no such report, or not all of it.
size=$(wc -c <"$tmp/json.leak") at=8 wrong=
while test $at -lt $((size - 2)); do
	head -c $at "$tmp/json.leak" >"$tmp/cut.leak"
	tool report "$tmp/cut.leak"
	test "$status $(wc -l <"$tmp/err") $(wc -c <"$tmp/out")" = "2 1 0" || wrong="$wrong $at"
	at=$((at + size / 60))
done
is "$wrong" "" "cut short anywhere: status 2, one line"
cat >"$tmp/damage.py" <<'END'
import random, sys
chance = random.Random(int(sys.argv[2]))
data = bytearray(open(sys.argv[1], "rb").read())
for _ in range(chance.choice([1, 3, 50])):
    at = chance.randrange(10, len(data))
    if chance.random() < .5:
        data[at] = chance.choice(b'{}[]",:\\0123456789-.eEuntf\x00\x1b\xff')
    else:
        data[at:at + chance.randrange(40)] = data[chance.randrange(len(data)):][:chance.randrange(40)]
open(sys.argv[3], "wb").write(data)
END
seed=0 wrong=
while test $seed -lt 150; do
	"$PYTHON3" -B "$tmp/damage.py" "$tmp/json.leak" $seed "$tmp/damaged.leak"
	for format in text json; do
		tool report --format $format "$tmp/damaged.leak"
		case "$status $(wc -c <"$tmp/out")" in
		"0 "[1-9]* | "2 0") ;;
		*) wrong="$wrong $seed" ;;
		esac
	done
	seed=$((seed + 1))
done
is "$wrong" "" "damaged: a report or status 2, never both"
printf '{"version":1,"left":' >"$tmp/deep.leak"
"$PYTHON3" -c 'print("[" * 1000000)' >>"$tmp/deep.leak"
refused 2 "[^ ]*deep.leak: no JSON" "nested without end" report "$tmp/deep.leak"
echo '{"version":1,"pid":2,"calls":3}' >"$tmp/stat.json"
refused 2 "[^ ]*stat.json: no JSON report of a hook" "another report" report "$tmp/stat.json"
sed 's/"version":1/"version":9/' "$tmp/json.leak" >"$tmp/new.leak"
refused 2 "[^ ]*new.leak: a report of a newer version" "a newer report" report "$tmp/new.leak"
refused 2 "[^ ]*json.leak: a report, of which there are no metrics" "metrics" report --format prometheus "$tmp/json.leak"
printf '{"version":1,"left_objects":1,"left":[{"what":"a\\u001b[31m","library":"/\\u001b]0;x","function":"f\\n"}],"errors":[{"error":"e\\u0007"}]}' >"$tmp/control.leak"
tool report "$tmp/control.leak"
is "$status $(LC_ALL=C grep -c "$(printf '[\033\007]')" "$tmp/out")" "0 0" "texts that control a terminal do not"
refused 2 "[^ ]*json.leak: not a trace file" "of no use for convert" convert --to csv "$tmp/json.leak"
done_testing
