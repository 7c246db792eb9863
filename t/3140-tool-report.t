#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tool's command line, the JSON it and stat write, files that are none.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helper stat/ends

# refused NAME ARGUMENT...: status 2, one line on stderr, nothing on stdout.
refused() {
	name=$1
	shift
	tool "$@"
	is "$status $(wc -l <"$tmp/err") $(wc -c <"$tmp/out")" "2 1 0" "$name"
}

refused "no command"
refused "an unknown command" rport
refused "no file" report
refused "a wrong option" report --fromat text
refused "a wrong format" report --format xml "$tmp/ends"
refused "a wrong number" report --threads many "$tmp/ends"
refused "a missing file" report "$tmp/missing"
refused "a directory" report "$tmp"
refused "a device" report /dev/null
refused "a foreign file" report "$tmp/ends"
: >"$tmp/empty"
refused "an empty file" report "$tmp/empty"
mkfifo "$tmp/fifo"
refused "a pipe without a writer" report "$tmp/fifo"

like "$("$cuaudit" --version)" "^cuaudit ${version:-[0-9.]+}\$" "--version"
like "$("$cuaudit" --help)" '^usage: cuaudit ' "--help"
status=0
"$cuaudit" --help >/dev/full 2>"$tmp/err" || status=$?
is "$status" 2 "a full disk is reported"

audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/killed" "$tmp/ends" 100 kill 2>/dev/null
part=$tmp/killed.part
head -c 5000 "$part" >"$tmp/short"
tool report "$tmp/short"
is "$status $(cat "$tmp/err")" \
	"2 cuaudit: $tmp/short: cut short: what is missing is in no figure" "a file cut short"
like "$(cat "$tmp/out")" '^cuaudit: ends ' "... is read as far as it goes"
head -c 131072 "$part" >"$tmp/half"
truncate -s 262144 "$tmp/half"
dd if=/dev/urandom of="$tmp/half" bs=64 seek=80 count=8 conv=notrunc 2>"$tmp/dd"
tool report "$tmp/half"
is "$status $(cat "$tmp/err")" \
	"2 cuaudit: $tmp/half: damaged: what is missing is in no figure" "a damaged file"
like "$(cat "$tmp/out")" '^  damaged  *1 part of what was saved$' "... is said in the report"
head -c 100 "$part" >"$tmp/shorter"
refused "a file without a whole header" report "$tmp/shorter"
tool report "$tmp/missing" "$part"
is "$status" 2 "one good file among two"
like "$(cat "$tmp/out")" 'cuDriverGetVersion$' "... is printed"
like "$("$cuaudit" report --threads 0 "$part")" '\(1 other thread\)' "--threads 0"

test -n "${PYTHON3-}" || PYTHON3=$(command -v python3) || {
	skip 4 "no python3"
	done_testing
}

cat >"$tmp/check.py" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
calls = int(sys.argv[2])
keys = ["version", "pid", "program", "driver", "functions", "libraries", "threads", "routes",
        "escapes", "export_tables", "clock"]
assert not [k for k in keys if k not in d], "keys"
assert d["version"] == 1 and d["pid"] > 0 and d["program"].endswith("/ends")
assert d["driver"]["path"].endswith("libcuda.so.1") and d["driver"]["version"] > 10000
f = {x["name"]: x for x in d["functions"]}
assert list(f["cuInit"]) == ["name", "calls", "errors", "not_ready", "total_ns", "min_ns",
                             "p50_ns", "p99_ns", "max_ns", "avg_ns", "stddev_ns"]
assert {n: (x["calls"], x["errors"]) for n, x in f.items()} == {
    "cuInit": (1, 0), "cuDriverGetVersion": (calls, 0), "cuDeviceGetCount": (calls, calls)}
for x in f.values():
    assert x["min_ns"] <= x["p50_ns"] <= x["p99_ns"] <= x["max_ns"] <= x["total_ns"]
    assert x["min_ns"] <= x["avg_ns"] <= x["max_ns"]
totals = [x["total_ns"] for x in d["functions"]]
assert totals == sorted(totals, reverse=True)
assert len(d["libraries"]) == 1 and d["libraries"][0]["functions"] == d["functions"]
assert d["threads"][0]["calls"] == 2 * calls + 1 and d["threads"][0]["errors"] == calls
assert list(d["routes"]) == ["plt", "dlsym", "relocation", "procaddr"]
assert d["routes"]["dlsym"] == 3, d["routes"]
assert d["escapes"] == (None if sys.argv[3] == "part" else [])
END

"$cuaudit" report --format json "$part" >"$tmp/part.json"
ok "the tool's JSON" "$PYTHON3" "$tmp/check.py" "$tmp/part.json" 100 part
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/json" \
	"$tmp/ends" 100 return
ok "stat(format=json)" "$PYTHON3" "$tmp/check.py" "$tmp/json" 100 whole

# A name that JSON and terminals would choke on.
odd=$(printf 'o"d\\d\t\351.so')
cp "$tmp/ends" "$tmp/$odd"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=json)' "$tmp/$odd" 1 return 2>"$tmp/odd"
ok "a path with quotes, tabs, no UTF-8" "$PYTHON3" -m json.tool "$tmp/odd"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=json;clock=no)' "$tmp/ends" 5 return \
	2>"$tmp/untimed"
ok "clock=no: null for what was not measured" "$PYTHON3" -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert all(x["errors"] is None and x["total_ns"] is None for x in d["functions"])
assert sum(x["calls"] for x in d["functions"]) == 11 and d["clock"] is None' "$tmp/untimed"


# Files of several processes, made of one: where its fields are.
helper stat/fields
eval "$($run_env "$tmp/fields")"

# altered OFFSET TO: a copy of the file that was left, with a byte changed.
altered() {
	cp "$part" "$2"
	"$PERL" -e 'open my $f, "+<:raw", $ARGV[0] or die; seek $f, $ARGV[1], 0; read $f, my $byte, 1;
		seek $f, $ARGV[1], 0; print $f chr(ord($byte) ^ 1)' "$2" "$1"
}
# shellcheck disable=SC2154 # set by eval
altered "$host" "$tmp/elsewhere.part"
tool report --format prometheus "$part" "$tmp/elsewhere.part"
is "$status $(cat "$tmp/err") $(grep -c '^cuaudit_process_info{' "$tmp/out")" "0  2" \
	"metrics of one pid on two hosts"
# ended OFFSET: how the two ended, of which one differs there.
ended() {
	mkdir "$tmp/two-$1"
	cp "$part" "$tmp/two-$1/a.part"
	altered "$1" "$tmp/two-$1/b.part"
	"$cuaudit" report --format json "$tmp/two-$1" 2>"$tmp/err" | grep -o '"ended":"[a-z_]*"' | sort | uniq -c | xargs
}
# shellcheck disable=SC2154
is "$(ended "$start")" "2 ended:unknown" "a pid that came back is no exec"
# shellcheck disable=SC2154
is "$(ended "$began")" "1 ended:exec 1 ended:unknown" "... a process of two programs is one"

audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/threads" CUAUDIT_HOOKS="stat(threads=1000;print=no)" \
	"$tmp/ends" 10 threads
"$cuaudit" report --threads 2 "$tmp/threads.part" >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" '\(99 other threads\)' "so many threads, and the others in one line"

# A directory of a trace and of statistics.
mkdir "$tmp/mixed"
cp "$part" "$tmp/mixed/z.part"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/mixed/a.cutrace)" "$tmp/ends" 10 return
"$cuaudit" report "$tmp/mixed" >"$tmp/out" 2>"$tmp/err"
is "$(grep -c '^cuaudit: ' "$tmp/out")" 2 "a directory of both: a report of each"

# A process that has ended, and whose parent has not asked how.
rm -f "$tmp/stop"
stop=$tmp/stop "$PERL" -e '$| = 1; my $pid = fork; exec @ARGV unless $pid; print "$pid\n";
	select undef, undef, undef, 0.05 until -e $ENV{stop}' \
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/zombie" "$tmp/ends" 10 kill >"$tmp/pid" &
parent=$!
timeout 300 sh -c 'until grep -q "^State:.Z" "/proc/$(cat "$1")/status" 2>/dev/null; do sleep 0.05; done' sh "$tmp/pid"
"$cuaudit" report --format json "$tmp/zombie.part" >"$tmp/out" 2>"$tmp/err"
is "$(grep -o '"ended":"[a-z_]*"' "$tmp/out" | xargs)" "ended:unknown" "a zombie does not run"
: >"$tmp/stop"
wait "$parent"
# Calls that are counted, not timed, are all that the tables have.
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(clock=no)' CUAUDIT_OUTPUT="$tmp/counted" \
	"$top_builddir/demo/cudemo" dlopen >"$tmp/out" 2>&1
is "$(grep -E '^Calls|more function' "$tmp/counted" | sed 's/[0-9][0-9]*/N/')" "Calls(%)     Calls  Name
Calls(%)     Calls  Library
                      and N more functions
Calls(%)     Calls      Tid  Thread" "tables of calls that were counted, not timed"

done_testing
