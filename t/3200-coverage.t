# SPDX-License-Identifier: Apache-2.0
# The coverage hook: who bound what by which route, what was called, what escaped.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/bindings

# covered NAME STATUS OPTIONS [VARIABLE=VALUE...] [ARGUMENT]
covered() {
	covered_status=0
	$run_env LD_AUDIT="$LIBCUAUDIT" LD_LIBRARY_PATH="$tmp" CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="coverage($3)" "$4" "$tmp/bindings" $5 >"$tmp/out" 2>"$tmp/err" ||
		covered_status=$?
	is "$covered_status" "$2" "$1: status"
	is "$(cat "$tmp/out")" "still in the buffer" "$1: the program's output is whole"
	is "$(cat "$tmp/err")" "" "$1: nothing else is said"
}

# bound FUNCTION: its bindings and whether it was called
bound() {
	"$PYTHON3" -c '
import json, sys
report = json.load(open(sys.argv[1]))
for f in report["drivers"][0]["functions"]:
    if f["name"] == sys.argv[2]:
        print(f["called"], f["in_table"], *sorted("%s %d %s %s" % (b["route"], b["count"], b["real"],
              b["library"].rsplit("/", 1)[-1]) for b in f["bound"]), sep="; ")' \
		"$tmp/report.coverage" "$1"
}

covered "nothing escapes" 3 "format=json;fail=escapes" A=
is "$(bound cuInit)" "True; True; plt 1 False bindings; procaddr 1 False bindings" "linked, and asked for"
is "$(bound cuCtxGetCurrent)" "True; True; dlsym 1 False bindings" "looked up"
is "$(bound cuStreamQuery)" "True; True; procaddr 1 False bindings" "asked for"
is "$(bound cuDriverGetVersion)" "False; True; procaddr 1 False bindings" "asked for, not called"
is "$(bound cuNewReal)" "False; False" "newer than the table, not bound"

covered "something escapes" 86 "format=json;fail=escapes" A= 1
like "$(cat "$tmp/report.coverage")" '"escapes":\[\{"name":"cuHidden","kind":"procaddr"' "it is named"
covered "and nobody minds" 3 "format=json" A= 1
covered "as text" 3 "" A= 1
like "$(cat "$tmp/report.coverage")" ' cuHidden, for .*/bindings$' "it is named there too"
like "$(cat "$tmp/report.coverage")" '^ +2 +1 +0 +3 +0  .*/bindings$' "functions by route"

covered "more kinds than there is room for" 3 "format=json" A= 300
is "$("$PYTHON3" -c '
import json, sys
escapes = json.load(open(sys.argv[1]))["escapes"]
print(len(escapes), sum(e["count"] for e in escapes), [e["count"] for e in escapes if e["name"] == "(others)"])' \
	"$tmp/report.coverage" 2>&1)" "256 300 [45]" "the others are counted together"

# An excluded library in an audited program.
helpers routes/both routes/libreal.so
ok "with an excluded library" $run_env LD_AUDIT="$LIBCUAUDIT" LD_LIBRARY_PATH="$tmp" \
	CUAUDIT_EXCLUDE=libreal.so CUAUDIT_OUTPUT="$tmp/report" \
	CUAUDIT_HOOKS='coverage(format=json)' "$tmp/both"
like "$(bound cuInit)" 'dlsym 1 True libreal.so' "what it was given for real"
like "$(bound cuInit)" 'plt 1 False both' "and what was routed"

# Addresses in data, one function's twice.
build libtables.so -shared -fPIC -x c - -L"$tmp" -l:libcuda.so.1 <<'C'
#include "t/fake/driver.h"

void *const tables[] = { (void *)cuInit, (void *)cuMemAlloc_v2, (void *)cuInit };
C
build tables -x c - -Wl,--no-as-needed -L"$tmp" -l:libtables.so -l:libcuda.so.1 -ldl <<'C'
#include "t/fake/driver.h"

int main(void)
{
	return cuInit(0);
}
C
# tables NAME REAL [VARIABLE=VALUE]
tables() {
	ok "addresses in data, $1" $run_env LD_AUDIT="$LIBCUAUDIT" LD_LIBRARY_PATH="$tmp" $3 \
		CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS='coverage(format=json)' "$tmp/tables"
	like "$(bound cuInit)" "relocation 2 $2 libtables.so" "$1: of a function twice"
	like "$(bound cuMemAlloc_v2)" "relocation 1 $2 libtables.so" "$1: of another once"
}
tables routed False
tables excluded True CUAUDIT_EXCLUDE=libtables.so
done_testing
