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
like "$(cat "$tmp/report.coverage")" '"library":"[^"]*/bindings","address":"0x[0-9a-f]+","offset":"0x[0-9a-f]+","build_id":"[0-9a-f]+"' \
	"... with the call site"
"$top_builddir/bin/cuaudit" report --format json "$tmp/report.coverage" >"$tmp/completed" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "0 " "which cuaudit report reads"
if grep -q '^#define HAVE_LIBDW 1' "$top_builddir/config.h" && $READELF -S "$tmp/bindings" | grep -q debug_line; then
	like "$(cat "$tmp/completed")" '"caller_function":"[a-z_]*","caller_file":"[^"]*bindings\.c","caller_line":[0-9]+' \
		"... with function, file and line"
else
	skip 1 "built without libdw"
fi
sed 's/"build_id":"[0-9a-f]*"/"build_id":"0123456789"/' "$tmp/report.coverage" >"$tmp/other.coverage"
"$top_builddir/bin/cuaudit" report --format json "$tmp/other.coverage" >"$tmp/completed" 2>"$tmp/err"
is "$? $(grep -c caller_file "$tmp/completed")" "0 0" "... but of another build ID none"
sed 's/,"build_id":"[0-9a-f]*"//' "$tmp/report.coverage" >"$tmp/older.coverage"
"$top_builddir/bin/cuaudit" report --format json "$tmp/older.coverage" >"$tmp/completed" 2>"$tmp/err"
is "$? $(grep -c '"cuHidden"' "$tmp/completed")" "0 1" "... and without one it is still read"
"$top_builddir/bin/cuaudit" report "$tmp/report.coverage" >"$tmp/completed" 2>"$tmp/err"
is "$? $(wc -c <"$tmp/completed")" "2 0" "as JSON alone"
like "$(cat "$tmp/err")" 'a report of the coverage hook' "... which it is"
sed 's/"lost_bindings":[0-9]*,//' "$tmp/report.coverage" >"$tmp/report.stat"
"$top_builddir/bin/cuaudit" report "$tmp/report.stat" >"$tmp/completed" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "2 cuaudit: $tmp/report.stat: no JSON report of a hook" "one of statistics is none of its"
# A program without symbols; its build ID stays.
cp "$tmp/bindings" "$tmp/whole"
if command -v objcopy >"$tmp/which"; then
	# callers FILE: offset and function of the first escape
	callers() {
		"$PYTHON3" -c 'import json, sys
e = json.load(open(sys.argv[1]))["escapes"][0]
print(*[e.get(key) for key in ("name", "offset", "build_id", "caller_function")])' "$1"
	}
	whole=$(callers "$tmp/report.coverage")
	objcopy --strip-all "$tmp/whole" "$tmp/bindings"
	covered "of a stripped program" 3 "format=json" A= 1
	like "$whole" '^cuHidden 0x[0-9a-f]+ [0-9a-f]+ None$' "the call site of one that is not stripped"
	is "$(callers "$tmp/report.coverage")" "$whole" "... and of one that is"
	"$top_builddir/bin/cuaudit" report --format json "$tmp/report.coverage" >"$tmp/completed" 2>"$tmp/err"
	is "$? $(cat "$tmp/err") $(callers "$tmp/completed")" "0  $whole" "which cuaudit report has no function of"
	cp "$tmp/whole" "$tmp/bindings"
	"$top_builddir/bin/cuaudit" report --format json "$tmp/report.coverage" >"$tmp/completed" 2>"$tmp/err"
	like "$(callers "$tmp/completed")" "^${whole% None} [a-z_]+\$" "... unless the whole program is there"
else
	skip 7 "no objcopy"
fi
covered "and nobody minds" 3 "format=json" A= 1
covered "as text" 3 "" A= 1
like "$(cat "$tmp/report.coverage")" ' cuHidden, for .*/bindings, first by [^ ]*\+0x[0-9a-f]+( \(bindings\))?$' "it is named there too"
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
if test "$(loader_family)" = old; then
	skip 6 "old loaders route all by the driver's symbol table"
else
	tables routed False
	tables excluded True CUAUDIT_EXCLUDE=libtables.so
fi
# Export tables: who asked for one first, and how often.
build asks -fno-omit-frame-pointer -rdynamic -x c - -Wl,--no-as-needed -L"$tmp" -l:libcuda.so.1 <<'C'
#include "t/fake/driver.h"
#include "t/fake/tools.h"

int asks_first(void);
int asks_first(void)
{
	const void *table;
	int answer = cuGetExportTable(&table, tools_uuid);

	__asm__ volatile("" ::: "memory");
	return answer;
}

int main(void)
{
	const void *table;

	return cuInit(0) || asks_first() || cuGetExportTable(&table, tools_uuid);
}
C
ok "a program that asks for an export table" $run_env LD_AUDIT="$LIBCUAUDIT" LD_LIBRARY_PATH="$tmp" FAKE_TOOLS=whole \
	CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS='coverage(format=json)' "$tmp/asks"
cat >"$tmp/tables.py" <<'END'
import json, sys
for table in json.load(open(sys.argv[1]))["export_tables"]:
    print(table["count"], table["library"].rsplit("/", 1)[-1], table.get("symbol"), len(table.get("build_id", "")) > 8)
END
is "$("$PYTHON3" "$tmp/tables.py" "$tmp/report.coverage" 2>&1)" "2 asks asks_first True" "its first call site is named"
ok "... as text" $run_env LD_AUDIT="$LIBCUAUDIT" LD_LIBRARY_PATH="$tmp" FAKE_TOOLS=whole \
	CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS=coverage "$tmp/asks"
like "$(sed -n '/^Export tables/,$p' "$tmp/report.coverage")" '/asks, first by asks_first\+0x[0-9a-f]+ \(asks\)$' "... there, too"
done_testing
