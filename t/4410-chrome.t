# SPDX-License-Identifier: Apache-2.0
# cuaudit convert --to chrome: JSON that Chromium reads, with what was in the trace.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

command -v jq >/dev/null || skip_all "no jq"
helper trace/synth

# chrome FILE...: converts them to $tmp/json.
chrome() {
	tool convert --to chrome -o "$tmp/json" "$@"
}

# found FILTER: of the events, as one line.
found() {
	jq -c "$@" "$tmp/json" 2>&1
}

alter() {
	"$PERL" "$top_srcdir/t/convert/alter.pl" "$@" || bail_out "alter.pl $*"
}

synth -a -n 5000 -t 3 "$tmp/a.cutrace"
tool convert --to text "$tmp/a.cutrace"
cp "$tmp/out" "$tmp/text"
launched=$(grep -c 'cuLaunchKernel(.*) = CUDA_SUCCESS' "$tmp/text")
changes=$(grep -c ' cuMem\(Alloc_v2\|Free_v2\)(.* = CUDA_SUCCESS' "$tmp/text")
chrome "$tmp/a.cutrace"
is "$status $(cat "$tmp/err")" "0 " "converts"
is "$(found '.traceEvents | group_by(.ph) | map({(.[0].ph): length}) | add')" \
	"{\"C\":$changes,\"M\":6,\"X\":$(($(truth calls) + launched)),\"f\":$launched,\"s\":$launched}" \
	"events of each kind"
is "$(found '.displayTimeUnit, .otherData.ts_0_ns')" '"ns"
"1700000000000000000"' "the unit, and what time 0 is"
is "$(found '[.traceEvents[] | select(.ph == "X" and .args.result) | .name] | group_by(.) |
	map([.[0], length]) | .[]')" "$(awk '{ sub(/\(.*/, "", $4); print $4 }' "$tmp/text" | sort |
	uniq -c | awk '{ printf "[\"%s\",%d]\n", $2, $1 }')" "a slice for each call, by its name"
is "$(found '[.traceEvents[] | select(.args.result) | select(.args.result != "CUDA_SUCCESS" and
	.args.result != "CUDA_ERROR_NOT_READY")] | length')" "$(truth errors)" "... with its result"
off=$(($(found '[.traceEvents[] | select(.args.result) | .dur * 1000] | add | round') - $(truth ns)))
ok "... as long as it took ($off ns off for 5000)" test "$off" -gt -5000 -a "$off" -lt 5000
is "$(found '[.traceEvents[] | select(.args.result) | select(.args.correlation > 0 and
	(.args as $a | $a.caller | startswith($a.library + "+0x"))) | .cat != ""] | length')" \
	"$(truth calls)" "library, caller, correlation and category are there"
is "$(found '[.traceEvents[] | select(.ph == "M") | .args[]] | .[]')" '"python3.12 (rank 7)"
"host node017, rank 7: python3 train.py --steps=10"
"python3"
"pt_autograd_2"
"pt_autograd_3"
"launches into stream 0x7700"' "names of process, threads and stream"
# An arrow begins within the launch and ends at the kernel's mark, on another track.
is "$(found '(.traceEvents | map(select(.cat == "kernel launched")) | map({key: "\(.tid) \(.ts)", value: .name}) |
	from_entries) as $marks | [.traceEvents[] | select(.ph == "f")] |
	[length, (map(select($marks["\(.tid) \(.ts)"])) | length), (map(.id) | unique | length)]')" \
	"[$launched,$launched,$launched]" "each launch has an arrow to its kernel's mark"
is "$(found '[.traceEvents[] | select(.ph == "s").id] - [.traceEvents[] | select(.ph == "f").id]')" \
	"[]" "... each with both ends"
is "$(found '[.traceEvents[] | select(.ph == "C")] | last | .args.bytes')" "$(truth held)" \
	"the counter ends with what is held"
is "$(found '[.traceEvents[] | select(.name == "cuMemAlloc_v2") | .args.arguments |
	select((.dptr | startswith("0x7f")) and .bytesize > 0) | .bytesize] | add')" \
	"$(truth allocated)" "arguments are there, numbers as such"

tool convert --to chrome --bare "$tmp/a.cutrace"
is "$(jq '[.traceEvents[] | select(.args.arguments)] | length' "$tmp/out") $(grep -c '"kernel":' \
	"$tmp/out")" "0 $launched" "without arguments the kernels stay"

for seed in 1 2 3; do
	synth -n 1000 -p $((seed == 3 ? 51 : 50)) -s $seed -t 2 "$tmp/p$seed.cutrace"
done
chrome "$tmp/p1.cutrace" "$tmp/p2.cutrace" "$tmp/p3.cutrace"
is "$(found '[.traceEvents[] | select(.ph == "X") | .pid] | group_by(.) | map([.[0], length])')" \
	"[[50,1000],[51,1000],[8388608,1000]]" "several processes, of which two had one pid"
is "$(found '[.traceEvents[] | select(.name == "process_labels") | [.pid, (.args.labels | test(", pid 50:"))]]')" \
	"[[50,false],[8388608,true],[51,false]]" "... which its labels say"

synth -a -k -n 3000 -t 2 "$tmp/killed.cutrace"
alter "$tmp/killed.cutrace" open 24 2000009000000
alter "$tmp/killed.cutrace" lost 77
alter "$tmp/killed.cutrace" mark 2000000500000 1 "$(printf 'started \377 "h\\re\001"')"
chrome "$tmp/killed.cutrace"
is "$(found '.traceEvents[] | select(.ph == "B") | .name, .tid, .ts + 0')" '"cuStreamSynchronize"
4001
4500' "of a killed process: a call that had not ended has a beginning"
is "$(found '.traceEvents[] | select(.ph == "i") | .name')" '"started � \"h\\re\u0001\""
"calls are missing: 77 beyond its size"' "... marks are there, and what was lost"
head -c 524388 "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
chrome "$tmp/torn.cutrace"
is "$(found '[.traceEvents[] | select(.ph == "X" and .args.result)] | length > 500')" "true" \
	"of a torn file: what is there"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
if test -z "$browser"; then
	skip 1 "no Chromium"
	done_testing
fi
# A browser may load it, and slices of a track lie in one another or apart.
cat >"$tmp/page.html" <<'END'
<!DOCTYPE html><title>trace</title><body>nothing yet<script>
fetch('json').then(response => response.json()).then(trace => {
	const tracks = new Map();
	let wrong = 0, slices = 0;
	for (const e of trace.traceEvents) {
		if (e.ph !== 'X')
			continue;
		const key = e.pid + ' ' + e.tid;
		if (!tracks.has(key))
			tracks.set(key, []);
		tracks.get(key).push([Math.round(e.ts * 1000), Math.round((e.ts + e.dur) * 1000)]);
		slices++;
	}
	for (const track of tracks.values()) {
		const open = [];
		track.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
		for (const [start, end] of track) {
			while (open.length && open[open.length - 1] <= start)
				open.pop();
			if (open.length && open[open.length - 1] < end)
				wrong++;
			open.push(end);
		}
	}
	document.body.textContent = `slices ${slices}, wrong ${wrong}`;
}).catch(error => { document.body.textContent = error; });
</script>
END
chrome "$tmp/p1.cutrace" "$tmp/p2.cutrace" "$tmp/p3.cutrace"
status=0
HOME=$tmp timeout 300 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
	--user-data-dir="$tmp/profile" --allow-file-access-from-files --virtual-time-budget=20000 \
	--dump-dom "file://$tmp/page.html" >"$tmp/dom" 2>"$tmp/err" || status=$?
if test "$status" -ne 0 && ! test -s "$tmp/dom"; then
	skip 1 "no working Chromium"
	done_testing
fi
like "$(cat "$tmp/dom")" 'slices 3000, wrong 0' "Chromium loads it"
done_testing
