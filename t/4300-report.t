# SPDX-License-Identifier: Apache-2.0
# cuaudit report of traces: what was put in comes out, whatever state the files are in.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
command -v jq >"$tmp/which" || skip_all "no jq"
helper trace/synth

# value EXPRESSION FILE...: of the JSON; what the tool says is in $tmp/err.
value() {
	value_of=$1
	shift
	"$cuaudit" report --format json --threads 1000 "$@" 2>"$tmp/err" >"$tmp/json"
	jq -r "$value_of" "$tmp/json"
}

# One process: every sum.
synth -a -t 1 -n 30000 "$tmp/one.cutrace"
one=$tmp/one.cutrace
is "$(value '"\(.calls) \(.errors) \(.total_ns)"' "$one")" \
	"$(truth calls) $(truth errors) $(truth ns)" "one file: calls, errors, time"
is "$(jq -r '[.kernels[].calls] | add' "$tmp/json")" "$(truth launches)" "... launches by kernel"
is "$(jq -r '.kernels | length' "$tmp/json")" 24 "... of so many kernels"
is "$(jq -r '.copies[] | "\(.direction) \(.waited_for) \(.calls) \(.bytes) \(.unsized) \(.host_ns)"' "$tmp/json")" \
	"Host-to-Device false $(truth cuMemcpyHtoDAsync_v2 | awk '{ print $1, 2 * $1, 0, $2 }')" \
	"... copies by direction, their bytes, the host's time"
is "$(jq -r '[.waits[] | .name] | unique | join(" ")' "$tmp/json") $(jq -r '[.waits[].calls] | add' "$tmp/json") $(
	jq -r '.waits | map(.library) | unique == sort' "$tmp/json")" \
	"cuStreamSynchronize $(truth cuStreamSynchronize | cut -d ' ' -f 1) true" "... waits, by who calls"
launched=$(jq -c '[.kernels[] | [.name, .calls]] | sort' "$tmp/json")
# named STYLE: kernels, calls of those, and the two that are launched from one template.
named() {
	"$cuaudit" report --format json --demangle "$1" "$one" >"$tmp/named"
	jq -r --arg two "$2" '[.kernels[].name | select(test($two))] as $names | "\(.kernels | length) \([.kernels[].calls] |
		add) \($names | sort | join(";"))"' "$tmp/named"
}
if "$cuaudit" report --demangle full "$one" >"$tmp/named" 2>&1; then
	is "$(named short '_7_')" "24 $(truth launches) at::native::kernel_7_fw<0>;at::native::kernel_7_fw<1>" \
		"kernels have names of C++"
	is "$(jq -c '[.kernels[] | [.name, .calls]] | sort' "$tmp/named")" "$launched" "... by default"
	is "$(named full '_7_')" "24 $(truth launches) void at::native::kernel_7_fw<0>(float const*, float*, int);void at::native::kernel_7_fw<1>(float const*, float*, int)" \
		"... in full"
	is "$(named base '_7_')" "12 $(truth launches) at::native::kernel_7_fw" "... without what they are made of, as one"
	is "$(named no '_7_')" "24 $(truth launches) _ZN2at6native11kernel_7_fwILi0EEEvPKfPfi;_ZN2at6native11kernel_7_fwILi1EEEvPKfPfi" \
		"... or as the driver tells them"
else
	skip 5 "built without libsupc++"
fi
refused 2 "--demangle takes full.short.base.no, not 'both'" "a style that is none" \
	report --demangle both "$one"
is "$(jq -r '.processes[0].memory | "\(.allocated_bytes) \(.held_bytes) \(.peak_bytes)"' "$tmp/json")" \
	"$(truth allocated) $(truth held) $(truth peak)" "... memory: all, at the end, at most"
is "$(jq -r '.processes[0].memory.series_bytes | max' "$tmp/json")" "$(truth peak)" \
	"... and over time"
is "$(jq -r '.processes[0].memory.series_bytes | last' "$tmp/json")" "$(truth held)" \
	"... until the end"
ok "... in 240 steps at most" test "$(jq '.processes[0].memory.series_bytes | length' \
	"$tmp/json")" -le 240
# Each of a function's callers may be a nanosecond short.
is "$(jq -r '.functions[] | "\(.name) \(.calls) \(.total_ns)"' "$tmp/json" |
	cat "$tmp/truth" - | awk '/^cu/ { if (seen[$1]++) ok += $2 == calls[$1] &&
		$3 <= ns[$1] && $3 >= ns[$1] - 3; calls[$1] = $2; ns[$1] = $3 }
	END { print ok }')" 10 "... each function's calls and time"
is "$(jq -r '[.functions[] | select(([.histogram_ns[][1]] | add) != .calls)] | length' "$tmp/json")" \
	0 "... histograms hold every call"
is "$(jq -r '[.functions[] | select((.min_ns <= .p50_ns and .p50_ns <= .p90_ns and
	.p90_ns <= .p99_ns and .p99_ns <= .max_ns) | not)] | length' "$tmp/json")" 0 \
	"... percentiles are in order"
is "$(jq -r '[.libraries[].calls, .callers[].calls] | add' "$tmp/json")" 60000 \
	"... libraries and callers hold every call, each"
is "$(jq -r '[.results[] | select(.code != 600 or (.name // .function | contains("Query") | not)) | .calls] | add' "$tmp/json")" "$(truth errors)" \
	"... results but success"
is "$(jq -r '.results[0] | "\(.result) \(.name)"' "$tmp/json")" \
	"CUDA_ERROR_NOT_READY cuEventQuery" "... with their names"

# The middle of the bucket that holds the median, counted from the histogram itself.
is "$(jq -r '.functions[] | select(.name == "cuLaunchKernel") | . as $f |
	reduce .histogram_ns[] as $b ({n: 0, at: null};
		if .at == null and .n + $b[1] >= ($f.calls / 2 | ceil) then .at = $b[0] else . end |
		.n += $b[1]) | ($f.p50_ns >= .at and $f.p50_ns <= .at * 1.125 + 1)' "$tmp/json")" \
	true "... the median's bucket"

# Threads that end and take over; more of them than have a row.
synth -t 5 -e 700 -n 30000 "$tmp/over.cutrace"
is "$(value '"\(.calls) \(.total_ns) \(.threads | length) \([.threads[].calls] | add)"' \
	"$tmp/over.cutrace")" "30000 $(truth ns) $(truth threads) 30000" "threads that take over"
"$cuaudit" report -Dbase --diff "$one" "$tmp/over.cutrace" >"$tmp/named"
"$cuaudit" report --by kernel -Dbase "$one" >"$tmp/based"
is "$(sed -n 's/.* \([^ ]*kernel_[0-9]*_fw[^ ]*\)$/\1/p' "$tmp/named" | sort)" \
	"$(sed -n 's/.* \([^ ]*kernel_[0-9]*_fw[^ ]*\)$/\1/p' "$tmp/based" | sort)" "kernels differ by those names"
"$cuaudit" report --format json --threads 3 "$tmp/over.cutrace" >"$tmp/json"
is "$(jq -r '"\(.threads | length) \(.other_threads.threads + 3) \([.threads[].calls,
	.other_threads.calls] | add)"' "$tmp/json")" "3 $(truth threads) 30000" \
	"the busiest of them, and the others"
like "$("$cuaudit" report --threads 3 "$tmp/over.cutrace")" \
	"\\($(($(truth threads) - 3)) other threads\\)" "... as text"
like "$("$cuaudit" report "$tmp/over.cutrace")" '^Memory: not known; arguments were not recorded$' \
	"memory without arguments"

# A job of many processes.
mkdir "$tmp/job"
sum_calls=0
sum_ns=0
for pid in $(seq 1 200); do
	synth -a -p "$pid" -s "$pid" -t 2 -n 300 "$tmp/job/$pid.cutrace"
	sum_calls=$((sum_calls + $(truth calls)))
	sum_ns=$((sum_ns + $(truth ns)))
done
is "$(value '"\(.calls) \(.total_ns) \(.processes | length) \(.ranks | length)"' "$tmp/job")" \
	"$sum_calls $sum_ns 200 8" "200 files of 8 ranks"
is "$(jq -r '[.ranks[] | "\(.rank) \(.processes) \(.calls)"] | join(" ")' "$tmp/json")" \
	"0 25 7500 1 25 7500 2 25 7500 3 25 7500 4 25 7500 5 25 7500 6 25 7500 7 25 7500" \
	"... by rank"
is "$(jq -r '[.processes[].functions[].calls] | add' "$tmp/json")" "$sum_calls" \
	"... by process and function"
is "$(jq -r '.processes[9] | "\(.path) \(.pid)"' "$tmp/json")" "$tmp/job/10.cutrace 10" \
	"... in the order of their files"
value '"\(.functions | length) \(.libraries | length) \(.kernels | length) \(.results | length)"' "$tmp/job" >"$tmp/rows"
read -r functions libraries kernels results <"$tmp/rows"
"$cuaudit" report --top 1 "$tmp/job" >"$tmp/out"
is "$(sed -n 's/^ \{28\}and \(.*\) more$/\1/p' "$tmp/out")" "$((functions - 1)) functions
$((libraries - 1)) libraries
$((kernels - 1)) kernels
199 processes
7 ranks
$((results - 1)) results
199 processes" "... what is left out of each table"
like "$(sed -n '/Processes   Rank$/,/^$/p' "$tmp/out")" ' 50 +[0-9.]+[KM]iB +25 +[0-7]$' "... a rank's threads, peak, processes"
synth -t 5 -n 1000000 "$tmp/large.cutrace"
for jobs in 2 7; do
	for format in text json; do
		"$cuaudit" report --format "$format" --jobs 1 "$tmp/job" "$one" \
			"$tmp/over.cutrace" "$tmp/large.cutrace" >"$tmp/by-one" 2>"$tmp/err"
		ok "$format: $jobs threads that read print what one prints" sh -c \
			'"$1" report --format $4 --jobs $5 "$2/job" "$2/one.cutrace" \
				"$2/over.cutrace" "$2/large.cutrace" 2>"$2/err" | cmp - "$3"' \
			sh "$cuaudit" "$tmp" "$tmp/by-one" "$format" "$jobs"
	done
done
(ulimit -n 32 && "$cuaudit" report --jobs 4 "$tmp/job") >"$tmp/out" 2>"$tmp/err"
like "$(head -n 1 "$tmp/out")" '^cuaudit: 200 processes of 8 ranks: 60000 calls ' \
	"... with 32 files open at most"

# What was left by processes that did not end well.
synth -k -t 3 -n 30000 "$tmp/killed.cutrace"
is "$(value '"\(.calls) \(.total_ns) \(.processes[0].finished)"' "$tmp/killed.cutrace")" \
	"30000 $(truth ns) false" "killed"
like "$("$cuaudit" report "$tmp/killed.cutrace")" '^  not finished  ended by _exit, exec or a signal, or still running$' \
	"... is reported"
head -c $((262144 * 2 + 100)) "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
ok "torn" test "$(value .calls "$tmp/torn.cutrace")" -gt 1000
is "$(jq -r '.processes[0].torn_bytes' "$tmp/json")" 100 "... by so much"
like "$("$cuaudit" report "$tmp/torn.cutrace")" \
	'^  torn          100 bytes at the file.s end are no whole chunk$' "... is reported"

# Calls that had not ended: the one that began first waits the longest.
synth -k -o -t 3 -n 3000 "$tmp/waits.cutrace"
is "$(value '[.open_calls[].name] | join(" ")' "$tmp/waits.cutrace")" \
	"cuStreamSynchronize cuStreamSynchronize cuStreamSynchronize" "calls that had not ended"
# jq keeps times of day to 256 ns.
is "$(jq '.last_ns as $last | [.open_calls | sort_by(.since_ns)[] |
	(([$last - .since_ns, 0] | max) - .for_ns) | select(. > 1000 or . < -1000)] | length' \
	"$tmp/json") $(jq '[.open_calls[].for_ns] | . == (sort | reverse)' "$tmp/json")" "0 true" \
	"... until the last record"
like "$("$cuaudit" report "$tmp/waits.cutrace")" \
	'^ +[0-9.]+m?s +400[0-2]  cuStreamSynchronize, python3.12 \(pid 4711, rank 7\)$' "... as text"

# Memory is of all calls: of some it is not known.
synth -a -R -n 300 -t 3 "$tmp/ranges.cutrace"
is "$(value '.processes[0].memory' --failed "$tmp/ranges.cutrace") $(
	value '.processes[0].memory' --in-range 'step*' "$tmp/ranges.cutrace") $(
	value '.processes[0].memory == null' "$tmp/ranges.cutrace")" "null null false" "memory: not of chosen calls"
for choice in --failed "--in-range step*"; do
	# shellcheck disable=SC2086 # an option and its value
	"$cuaudit" report $choice "$tmp/ranges.cutrace" >"$tmp/out" 2>"$tmp/err"
	fails "... $choice: no table" grep -q -i memory "$tmp/out"
	# shellcheck disable=SC2086
	like "$("$cuaudit" report --by memory $choice "$tmp/ranges.cutrace" 2>&1)" \
		'^Memory: not known; calls that are left out may allocate or free it$' "... and why"
done

# A row of records that breaks off.
cp "$tmp/killed.cutrace" "$tmp/damaged.cutrace"
printf '\001' | dd of="$tmp/damaged.cutrace" bs=1 seek=$((262144 + 256)) conv=notrunc 2>"$tmp/dd.out"
is "$(value '.processes[0].damaged_parts' "$tmp/damaged.cutrace")" 1 "damaged"
for chunk in 1 2 20 40; do
	printf '\001' | dd of="$tmp/large.cutrace" bs=1 seek=$((262144 * chunk + 256)) conv=notrunc 2>"$tmp/dd.out"
done
"$cuaudit" convert --to text -o "$tmp/text" "$tmp/large.cutrace" 2>"$tmp/converts"
is "$(value '.processes[0].damaged_parts' "$tmp/large.cutrace")" \
	"$(sed -n 's/.*: \([0-9]*\) damaged parts were left out$/\1/p' "$tmp/converts")" "damaged in four places, read in parts"
printf '\001' | dd of="$tmp/damaged.cutrace" bs=1 seek=40 conv=notrunc 2>"$tmp/dd.out"
like "$("$cuaudit" report "$tmp/damaged.cutrace" "$one")" \
	'^  damaged       1 part of the file left out \(1 process\)$' "... is reported"

# One that grows between two looks.
head -c $((262144 * 3)) "$tmp/killed.cutrace" >"$tmp/grows.cutrace"
before=$(value .calls "$tmp/grows.cutrace")
tail -c +$((262144 * 3 + 1)) "$tmp/killed.cutrace" >>"$tmp/grows.cutrace"
ok "grown" test "$(value .calls "$tmp/grows.cutrace")" -gt "$before"
is "$(jq .calls "$tmp/json")" 30000 "... is read in full"

# Tables, their rows, histograms.
name="void at::native::kernel_7_fw<0>(float const*, float*, int)"
if "$cuaudit" report --by kernel --demangle full "$one" >"$tmp/narrow" 2>&1; then
	COLUMNS=200 "$cuaudit" report --by kernel --demangle full "$one" >"$tmp/wide"
	is "$(grep -cF " $name" "$tmp/narrow") $(grep -cF " $name" "$tmp/wide") $(awk '/^Time/ { on = 1 } on && length > n { n = length }
		END { print n }' "$tmp/narrow")" "0 1 132" "names are cut where lines end, by COLUMNS elsewhere"
	COLUMNS=x "$cuaudit" report --by kernel --demangle full "$one" >"$tmp/wide"
	ok "... if it is a number" cmp "$tmp/narrow" "$tmp/wide"
else
	skip 2 "built without libsupc++"
fi
"$cuaudit" report --by kernel,rank --top 3 "$one" >"$tmp/out"
is "$(grep -c '^Time' "$tmp/out") $(grep -c 'fw[<I]' "$tmp/out")" "2 3" "--by, --top"
like "$(cat "$tmp/out")" '^ +and 21 kernels more$' "... and the rest"
"$cuaudit" report --by function --histogram '%memory,!cuMemFree*' "$one" >"$tmp/out"
is "$(grep '^cu' "$tmp/out" | sed 1d | sort | tr '\n' ' ')" "cuMemAlloc_v2 cuMemcpyHtoDAsync_v2 " \
	"--histogram of a class"
is "$("$cuaudit" report --by function --histogram cuMemAlloc "$one" | sed -n '/^cuMemAlloc/,$p' |
	awk '/ - / { calls += $(/%/ ? 4 : 3) } END { print calls }')" \
	"$(sed -n 's/^cuMemAlloc_v2 \([0-9]*\) .*/\1/p' "$("$tmp/synth" -a -t 1 -n 30000 \
	"$tmp/again" >"$tmp/truth" && echo "$tmp/truth")")" "... holds every call"

# Traces and record files in one call; and those that are none.
: >"$tmp/empty.cutrace"
printf 'cuatrace' >"$tmp/short.cutrace"
tool report "$tmp/empty.cutrace" "$one" "$tmp/short.cutrace"
is "$status $(wc -l <"$tmp/err") $(grep -c '30000 calls' "$tmp/out")" "2 2 1" "bad, good, bad"
is "$(value '.processes[1].fault' "$one" "$tmp/short.cutrace")" "is cut off within its header" \
	"a fault is in the JSON"
refused 2 "'lirbary' is no table|.*lirbary" "an unknown table" report --by lirbary "$one"
refused 2 "--color takes" "an unknown colour" report --color maybe "$one"
refused 2 "--jobs takes a number" "no number" report --jobs x "$one"
refused 2 "--jobs takes a number from 1, not '0'" "no threads" report --jobs 0 "$one"
refused 2 ".*'%nothing' is no selector" "no selector" report --histogram %nothing "$one"
refused 2 "report: --diff takes two" "one to compare" report --diff "$one"
refused 2 "$tmp/short.cutrace: is cut off" "a bad one to compare" report --diff "$one" \
	"$tmp/short.cutrace"

# Colours when they are asked for, and on no terminal without.
escape=$(printf '\033')
is "$("$cuaudit" report "$one" | grep -c "$escape")" 0 "no colours in a file"
ok "--color=always" test "$("$cuaudit" report --color always "$one" | grep -c "$escape")" -gt 4
if script -qec true "$tmp/typescript" >"$tmp/out" 2>&1; then
	TERM=xterm script -qec "stty cols 100; '$cuaudit' report '$one'" "$tmp/typescript" \
		>"$tmp/out" 2>&1
	ok "colours on a terminal" grep -q "$escape" "$tmp/out"
	is "$(sed "s/$escape\\[[0-9]*m//g; s/\\r//" "$tmp/out" |
		awk 'NR > 1 && length($0) > 117 { n++ } END { print n + 0 }')" 0 "... whose width is kept"
	NO_COLOR=1 TERM=xterm script -qec "'$cuaudit' report '$one'" "$tmp/typescript" \
		>"$tmp/out" 2>&1
	ok "... not with NO_COLOR" sh -c '! grep -q "$1" "$2"' sh "$escape" "$tmp/out"
else
	skip 3 "no script"
fi

# Two of them compared: one function twice as slow, one that is only in the first.
synth -a -t 1 -n 30000 -l cuEventRecord -x cuModuleGetFunction "$tmp/other.cutrace"
"$cuaudit" report --diff --format json "$one" "$tmp/other.cutrace" >"$tmp/json"
is "$(jq -r '.kind + " " + ([.functions[] | select(.change != "same") | "\(.name) \(.change)"] |
	sort | join(", "))' "$tmp/json")" \
	"diff cuCtxGetCurrent changed, cuEventRecord changed, cuModuleGetFunction gone" \
	"--diff: what changed"
is "$(jq -r '.functions[] | select(.name == "cuEventRecord") |
	"\(.total_ratio) \(.p50_ratio > 1.8 and .p50_ratio < 2.2)"' "$tmp/json")" "2 true" \
	"... twice as slow"
is "$(jq -r '.functions[] | select(.name == "cuCtxGetCurrent") | .b.calls - .a.calls' "$tmp/json")" \
	"$(jq -r '.functions[] | select(.name == "cuModuleGetFunction") | .a.calls' "$tmp/json")" \
	"... called in the place of another"
"$cuaudit" report --diff "$tmp/other.cutrace" "$one" >"$tmp/out"
like "$(cat "$tmp/out")" ' new      cuModuleGetFunction$' "... the other way round"
like "$(cat "$tmp/out")" '^7 functions without a change$' "... the rest"
is "$("$cuaudit" report --diff "$tmp/job" "$tmp/job" | sed 1,3d)" "10 functions without a change

$kernels kernels without a change" \
	"a directory with itself"
synth -t 1 -s 5 -n 30000 "$tmp/seed5.cutrace"
synth -t 1 -s 6 -n 30000 "$tmp/seed6.cutrace"
"$cuaudit" report --diff --format json "$tmp/seed5.cutrace" "$tmp/seed6.cutrace" >"$tmp/json"
is "$(jq -r '[.functions[] | select(.p50_ratio != null and (.p50_ratio > 1.2 or .p50_ratio < 0.8))] |
	length' "$tmp/json")" 0 "... of the same kind: no median moves"

# Copies of every kind: what the host's time says of bytes, and what nobody knows.
helpers trace/libcuda.so.1 trace/copies
for args in yes no; do
	audited CUAUDIT_OUTPUT="$tmp/copied" CUAUDIT_HOOKS="trace(args=$args;file=$tmp/copied-$args.cutrace)" "$tmp/copies"
	tool report --by copy "$tmp/copied-$args.cutrace"
	sed -n '/GB/,$p' "$tmp/out" >"$tmp/copies.$args"
done
like "$(cat "$tmp/copies.yes")" ' 1 +1000B +0 +[0-9.]+  Device-to-Host, waited for
.* 1 +1000B +0 +[0-9.]+  Unknown, waited for
.* 3 +63B +1 +-  Unknown, not waited for$' "copies: bytes, what is not known, a rate of those that wait alone"
like "$(cat "$tmp/copies.no")" ' 2 +0B +2 +-  Unknown, waited for
.* 3 +0B +3 +-  Unknown, not waited for$' "... without arguments"
tool report --by kernel "$one"
like "$(cat "$tmp/out")" 'Launches .* Kernel \(host time\)' "launches are the host's time"
tool report --format json "$one"
like "$(cat "$tmp/out")" '^\{"version":[0-9]*,"kind":"traces","times":"host",' "... in JSON"
tool report --html "$tmp/host.html" "$one"
is "$(grep -o '\(Kernels\|Copies\) ([a-z ]*)' "$tmp/host.html" | sort -u)" "Copies (host time)
Kernels (host time)" "... in the page, where copies are, too"
synth -a -k -n 4000 "$tmp/fewer.cutrace"
tool report --diff "$one" "$tmp/fewer.cutrace"
is "$(grep -c ' Kernel (host time)$' "$tmp/out") $(grep -c ' Kernel$' "$tmp/out")" "1 0" "... and in a comparison"

# Against sums of the calls themselves, few and many.
if "$PYTHON3" --version >"$tmp/out" 2>&1; then
	for calls in 7 40 150 1000 20000; do
		synth -a -i -s $calls -n $calls -t 2 "$tmp/sums.cutrace"
		"$cuaudit" convert --to jsonl -o "$tmp/sums.jsonl" "$tmp/sums.cutrace"
		"$cuaudit" report --format json "$tmp/sums.cutrace" >"$tmp/sums.json"
		is "$("$PYTHON3" "$top_srcdir/t/convert/sums.py" "$tmp/sums.jsonl" "$tmp/sums.json" 2>&1)" "" \
			"sums of $calls calls of two threads, percentiles and deviations"
	done
else
	skip 5 "no python3"
fi

# totals NAME WHAT FILE...: every sum of the report, from the calls themselves; there is some of WHAT.
totals() {
	totals_name=$1
	totals_what=$2
	shift 2
	"$cuaudit" report --format json --threads 1000 "$@" >"$tmp/json" 2>"$tmp/err"
	set -- $(for totals_file; do
		"$cuaudit" convert --to jsonl "$totals_file" >"$totals_file.jsonl" 2>"$tmp/err"
		echo "$totals_file.jsonl"
	done)
	like "$("$PYTHON3" "$top_srcdir/t/trace/totals.py" "$tmp/json" "$@" 2>&1)" \
		"^process .*$totals_what [1-9]" "$totals_name: every sum is that of its calls"
}
if command -v "$PYTHON3" >"$tmp/which"; then
	synth -a -i -o -n 3000 -t 3 "$tmp/nested.cutrace"
	synth -a -n 3000 -t 2 -s 5 -p 4719 "$tmp/other.cutrace"
	totals "two processes of a rank" "unfinished" "$tmp/nested.cutrace" "$tmp/other.cutrace"
	# A handle that is another kernel's from the middle on, for threads that launch both.
	synth -a -n 20000 -t 2 "$tmp/handles.cutrace"
	"$PYTHON3" - "$tmp/handles.cutrace" <<'END'
import struct, sys
with open(sys.argv[1], "r+b") as file:
    data, at, kernels = file.read(), 4096, []
    start, end = (struct.unpack_from("<Q", data, i)[0] for i in (80, 96))
    while struct.unpack_from("<I", data, at)[0]:
        kind, size, handle = struct.unpack_from("<IIQ", data, at)
        kernels += [(at, handle)] if kind == 5 else []
        at += size
    for (_, before), (at, _) in zip(kernels[:12], kernels[12:]):
        file.seek(at + 8)
        file.write(struct.pack("<QQ", before, start + (end - start) // 2))
END
	totals "handles that come back" "kernel" "$tmp/handles.cutrace"
	ok "... for other kernels" test "$(jq '[.kernels[] | select(.name and .calls > 0)] | length' "$tmp/json")" -eq 24
	# Places of arguments differ where the parameters of kernels are recorded.
	synth -A -n 3000 -t 2 "$tmp/parameters.cutrace"
	totals "with the parameters of kernels" "kernel" "$tmp/parameters.cutrace"
	# queried NAME RULES: nine queries and nine other calls, of which the rules say what they answer.
	queried() {
		$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim \
			CUAUDIT_HOOKS="trace(file=$tmp/$1.cutrace),fault(log=0;$2)" \
			"$PYTHON3" -c 'import ctypes
driver = ctypes.CDLL("libcuda.so.1")
for _ in range(9):
    driver.cuDriverGetVersion(ctypes.byref(ctypes.c_int()))
    driver.cuStreamQuery(None)' >"$tmp/out" 2>&1 || diag "$(cat "$tmp/out")"
	}
	queried ready "inject=cuDriverGetVersion:result=CUDA_ERROR_NOT_READY;inject=cuStreamQuery:result=CUDA_ERROR_NOT_READY"
	totals "only a query may be not ready" "not-ready" "$tmp/ready.cutrace"
	tool report "$tmp/ready.cutrace"
	fails "a status of 0 is not worth a line" grep -q "ended by" "$tmp/out"
	queried succeeded "inject=cuStreamQuery:result=CUDA_SUCCESS"
	tool report --format json --diff "$tmp/ready.cutrace" "$tmp/succeeded.cutrace"
	is "$(jq -r '.functions[] | "\(.name) \(.change)"' "$tmp/out" | sort)" "cuDriverGetVersion changed
cuStreamQuery changed" "errors and queries that were not ready are compared"
	tool report --format json --top 1 --diff "$tmp/ready.cutrace" "$tmp/succeeded.cutrace"
	is "$(jq '.functions | length' "$tmp/out")" 1 "... as many functions as are wanted"
else
	skip 8 "no python3"
fi
done_testing
