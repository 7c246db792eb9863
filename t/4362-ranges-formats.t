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

# What makes no sense is left out, and counted.
synth -D -n 3000 "$tmp/damaged.cutrace"
for to in chrome csv jsonl text; do
	tool convert --to $to -o "$tmp/out.$to" "$tmp/damaged.cutrace"
	is "$status $(grep -c ': [1-9][0-9]* damaged parts were left out' "$tmp/err")" "2 1" "$to: damaged ranges"
done
tool report --by range "$tmp/damaged.cutrace"
is "$(sed -n 's/.* \([0-9]*\) damaged part.*/\1/p' "$tmp/out" "$tmp/err")" "$(truth senseless)" \
	"report --by range: how many are damaged"
done_testing
