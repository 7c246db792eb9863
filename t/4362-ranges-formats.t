# SPDX-License-Identifier: Apache-2.0
# NVTX ranges in reports and in all formats: odd texts, unfinished, crossing and damaged ones.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth
trace=$tmp/ranges.cutrace
synth -E -R -k -n 6000 -t 3 "$trace"

# by_range: calls and errors of each text, of what is in a report as JSON
by_range() {
	"$cuaudit" report --format json --by range "$trace" 2>"$tmp/err" | "$PYTHON3" -c '
import json, sys
for row in sorted(json.load(sys.stdin)["ranges"], key=lambda row: (row["text"] is None, row["calls"], row["errors"])):
    print(row["calls"], row["errors"])'
}

if command -v "$PYTHON3" >"$tmp/which"; then
	ok "there are errors in ranges" test "$(truth errors)" -gt 20
	is "$(by_range)" "$( (for i in 0 1 2 3 4 5; do truth range_$i; done) | sort -n -k 1,1 -k 2,2; truth range_6)" \
		"report --by range: calls, and errors, which CUDA_ERROR_NOT_READY of a query is none of"
else
	skip 2 "no python3"
fi

tool convert --to csv -o "$tmp/out.csv" "$trace"
if command -v "$PYTHON3" >"$tmp/which"; then
	is "$("$PYTHON3" -c '
import collections, csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))
count = collections.Counter(row["range"] for row in rows)
print(count["step"], count["forward"], count["load = {a, b}"], len(count))
print([text for text in count if "<b>" in text])' "$tmp/out.csv")" \
		"$(truth range_0 | cut -d ' ' -f 1) $(truth range_1 | cut -d ' ' -f 1) $(truth range_5 | cut -d ' ' -f 1) 6
['\\'=1+1,\"<b>\" 日;��']" "csv: the innermost range of each call, no formula"
else
	skip 1 "no python3"
fi

# count N: the calls whose innermost range has that text.
count() {
	truth "range_$1" | cut -d ' ' -f 1
}

tool convert --to otlp -o "$tmp/out.otlp" "$trace"
cat >"$tmp/otlp.py" <<'END'
import json, sys, collections
spans = [s for line in open(sys.argv[1]) for s in json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]]
of = {s["spanId"]: s for s in spans}
assert len(of) == len(spans)
def attributes(span):
    return {a["key"]: list(a["value"].values())[0] for a in span["attributes"]}
kinds = collections.Counter(attributes(s).get("nvtx.event", "call") for s in spans)
print(*(kinds[kind] for kind in ("push", "start", "mark")), sum("nvtx.unfinished" in attributes(s) for s in spans))
inside = collections.Counter()
for span in spans:
    own = attributes(span)
    if "parentSpanId" not in span:
        continue
    parent = of[span["parentSpanId"]]
    assert int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"]), (parent, span)
    around = attributes(parent)
    if "parentSpanId" in parent:
        assert own["thread.id"] == around["thread.id"]
    if "nvtx.event" not in own:
        inside[parent["name"] if "nvtx.event" in around else "call" if "parentSpanId" in parent else "process"] += 1
print(*(inside[text] for text in ("step", "forward", "(no name)", "load = {a, b}", "process", "call")))
END
if command -v "$PYTHON3" >"$tmp/which"; then
	is "$("$PYTHON3" "$tmp/otlp.py" "$tmp/out.otlp" 2>&1)" \
		"$(truth pushed) $(truth started) $(truth marks) $(truth unfinished)
$(count 0) $(count 1) $(count 2) $(count 5) $(count 6) 0" "otlp: ranges are spans, around their calls"
	for choice in "--from 0.5" "--until 2" "--in-range fo*"; do
		# shellcheck disable=SC2086 # an option and its value
		tool convert --to otlp $choice -o "$tmp/some.otlp" "$trace"
		like "$("$PYTHON3" "$tmp/otlp.py" "$tmp/some.otlp" 2>&1)" '^[1-9][0-9]* [0-9]+ [0-9]+ [0-9]+
[0-9]+ [1-9][0-9]* ' "otlp $choice: parents are those there are"
	done
else
	skip 4 "no python3"
fi

tool convert --to ctf -o "$tmp/ctf" "$trace"
like "$("$PERL" "$top_srcdir/t/convert/packets.pl" "$tmp/ctf/python3.12-4711" 2>&1)" '^packets [0-9]+$' \
	"ctf: packets are sound"
if command -v babeltrace2 >"$tmp/which"; then
	babeltrace2 --clock-seconds --no-delta "$tmp/ctf" >"$tmp/events" 2>"$tmp/read.err"
	is "$(cat "$tmp/read.err")" "" "ctf: babeltrace2 has nothing to say"
	for kind in push start mark; do
		what=pushed
		test $kind = push || what=${kind}ed
		test $kind != mark || what=marks
		is "$(grep -c " nvtx:$kind: " "$tmp/events")" "$(truth $what)" "ctf: $kind"
	done
	is "$(($(grep -c ' nvtx:push: \| nvtx:start: ' "$tmp/events") - $(grep -c ' nvtx:pop: \| nvtx:end: ' "$tmp/events")))" \
		"$(truth unfinished)" "ctf: those that have not ended have no end"
	like "$(cat "$tmp/events")" 'nvtx:push: .* domain = "app, \\"odd\\" <i>", category = "loading"' "ctf: domain and category"
else
	skip 6 "no babeltrace2"
fi

# Names that the program gave to threads and streams.
synth -a -R -n 300 -t 3 "$tmp/named.cutrace"
named="data loader, a name that is longer than the system's"
tool convert --to csv "$tmp/named.cutrace"
is "$(grep -c ",4001,\"$named\"," "$tmp/out")" "$(grep -c ",4001," "$tmp/out")" "csv: the thread's name"
tool report --by thread "$tmp/named.cutrace"
like "$(cat "$tmp/out")" "4001  data loader, a" "report --by thread: ..."
for to in chrome perfetto; do
	tool convert --to $to -o "$tmp/named" "$tmp/named.cutrace"
	if grep -q 'built without' "$tmp/err"; then
		skip 2 "$to: built without"
		continue
	fi
	ok "$to: the thread's name" grep -q -a "$named" "$tmp/named"
	ok "$to: the stream's name" grep -q -a 'launches into copies, stream 0x7700' "$tmp/named"
done
tool convert --to sqlite -o "$tmp/db" "$tmp/named.cutrace"
if ! grep -q 'built without' "$tmp/err" && "$PYTHON3" -c 'import sqlite3' 2>"$tmp/which"; then
	is "$("$PYTHON3" -c '
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
for row in base.execute("SELECT kind, number, domain, name FROM name ORDER BY kind, number"):
    print(*row)
print(*base.execute("SELECT name FROM thread WHERE tid = 4001").fetchone())' "$tmp/db")" "category 3  kätegory
category 7 app, \"odd\" <i> loading
device 0  the \"first\"
domain 1 app, \"odd\" <i> app, \"odd\" <i>
stream 30464  copies
thread 4001  $named
$named" "sqlite: names, of each thing the last one"
else
	skip 1 "no SQLite"
fi

# A range and a call of the same thread that lie across each other, the last call one that does not end.
if test "$(loader_family)" = new; then
	helpers nvtx/across nvtx/around.so
	audited NVTX_INJECTION64_PATH="$top_builddir/lib/cuaudit/libcuaudit-nvtx.so" CUAUDIT_PROVIDERS=around.so \
		CUAUDIT_HOOKS="trace(file=$tmp/across.cutrace;open=around.so:around)" "$tmp/across" "$tmp/around.so" >"$tmp/out" 2>&1
	is "$?" 0 "across: the program"
	tool convert --to chrome -o "$tmp/across.json" "$tmp/across.cutrace"
	is "$(sed -n 's/.*"ph":"\([bX]\)".*"cat":"nvtx","name":"\([^"]*\)".*/\2 \1/p' "$tmp/across.json" | sort | uniq -c | tr -s ' ')" \
		" 2 around X
 2 begins inside b
 2 ends inside b
 1 inner X
 1 inside X
 1 inside as well X" "chrome: what a call is around one end of alone is apart, and nothing else"
	tool convert --to perfetto -o "$tmp/across.pftrace" "$tmp/across.cutrace"
	if grep -q 'built without' "$tmp/err"; then
		skip 1 "no perfetto"
	else
		is "$(tr -c '[:alnum:]' '\n' <"$tmp/across.pftrace" | grep -c NVTX)" 4 "perfetto: those have tracks of their own"
	fi
else
	skip 3 "the loader does not report all bindings"
fi

# What makes no sense is left out, and counted.
synth -D -n 3000 "$tmp/damaged.cutrace"
for to in chrome csv jsonl otlp text; do
	tool convert --to $to -o "$tmp/out.$to" "$tmp/damaged.cutrace"
	is "$status $(grep -c ': [1-9][0-9]* damaged part[s wasere]* left out' "$tmp/err")" "2 1" "$to: damaged ranges"
done
tool report --by range "$tmp/damaged.cutrace"
is "$(sed -n 's/.* \([0-9]*\) damaged part.*/\1/p' "$tmp/out" "$tmp/err")" "$(truth senseless)" \
	"report --by range: how many are damaged"
done_testing
