# SPDX-License-Identifier: Apache-2.0
# cuaudit convert --to text, csv and jsonl: what stands in the lines.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth
synth -a -n 5000 -t 3 -s 2 "$tmp/one.cutrace"
calls=$(truth calls) errors=$(truth errors) launches=$(truth launches) ns=$(truth ns)
allocated=$(truth allocated)

# text
tool convert --to text "$tmp/one.cutrace"
is "$(wc -l <"$tmp/out")" "$calls" "text: calls"
is "$(grep -c ' cuLaunchKernel(f = 0x[0-9a-f]*<[a-zA-Z0-9_:]*kernel_[0-9]*_fw[a-zA-Z0-9<>]*>, gridDim = (64, 2, 3), ' "$tmp/out")" \
	"$launches" "text: launches, with their kernels"
is "$(grep -Evc '^\[4711\] 400[0-2] 1700000[0-9]{3}\.[0-9]{9} cu[A-Za-z0-9_]+\(.*\) = CUDA_[A-Z_]+ <[0-9.]+[num]?s> [a-zA-Z0-9_.]+$' \
	"$tmp/out")" 0 "text: nothing else"
is "$(grep -Evc ' = CUDA_(SUCCESS|ERROR_NOT_READY) <' "$tmp/out")" "$errors" "text: errors"
tool convert --to text -N "$tmp/one.cutrace"
is "$(grep -c '(\.\.\.) = CUDA_' "$tmp/out")" "$calls" "text: --bare"

# csv
cat >"$tmp/read.py" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline=''), strict=True))
allocs = [row for row in rows if row['function'] == 'cuMemAlloc_v2']
print(len(rows),
      sum(row['result'] not in ('CUDA_SUCCESS', 'CUDA_ERROR_NOT_READY') for row in rows),
      sum(row['kernel'] != '' for row in rows),
      sum(int(row['arguments'].split('bytesize = ')[1]) for row in allocs),
      0 <= int(sys.argv[2]) - sum(int(row['duration']) for row in rows) <= len(rows),
      {len(row) for row in rows}, {row[None] for row in rows if None in row},
      sorted({row['thread'] + row['tid'] + row['thread_name'] for row in rows}),
      len({row['correlation'] for row in rows}) == len(rows),
      {row['host'] + row['pid'] + row['rank'] for row in rows})
END
tool convert --to csv "$tmp/one.cutrace"
cp "$tmp/out" "$tmp/all.csv"
if command -v "$PYTHON3" >"$tmp/which"; then
	is "$("$PYTHON3" "$tmp/read.py" "$tmp/out" "$ns" 2>&1)" \
		"$calls $errors $launches $allocated True {20} set() ['14000python3', '24001pt_autograd_2', '34002pt_autograd_3'] True {'node01747117'}" \
		"csv: what Python reads"
else
	skip 1 "no python3"
fi
is "$(grep -vc "$(printf '\r')\$" "$tmp/out") $(wc -l <"$tmp/out")" "0 $((calls + 1))" \
	"csv: lines end as they should"
tool convert --to csv -N "$tmp/one.cutrace"
is "$(grep -c ',[a-zA-Z0-9_:]*kernel_[0-9]*_fw' "$tmp/out") $(grep -c '=' "$tmp/out")" "$launches 0" \
	"csv: --bare, kernels stay"
# csv_named STYLE REGEX: launches of kernels with such a name.
csv_named() {
	tool convert --to csv -N --demangle "$1" "$tmp/one.cutrace"
	is "$(grep -cE ",\"?$2\"?," "$tmp/out")" "$launches" "csv: names of C++, $1"
}
tool convert --to csv -N --demangle full "$tmp/one.cutrace"
if test "$status" = 0; then
	csv_named full 'void at::native::kernel_[0-9]+_fw<[01]>\(float const\*, float\*, int\)'
	csv_named short 'at::native::kernel_[0-9]+_fw<[01]>'
	cp "$tmp/out" "$tmp/short"
	csv_named base 'at::native::kernel_[0-9]+_fw'
	csv_named no '_ZN2at6native[0-9]+kernel_[0-9]+_fwILi[01]EEEvPKfPfi'
	tool convert --to csv -N "$tmp/one.cutrace"
	ok "csv: ... short ones by default" cmp "$tmp/out" "$tmp/short"
else
	skip 5 "built without libsupc++"
fi

# jsonl
tool convert --to jsonl "$tmp/one.cutrace"
if ! command -v jq >"$tmp/which"; then
	skip 1 "no jq"
else
	cp "$tmp/out" "$tmp/all.jsonl"
	# ask FILTER: of all lines as one array.
	ask() {
		jq -c -s "$1" "$tmp/all.jsonl" 2>&1
	}
	is "$(ask 'map(.type) | group_by(.) | map([.[0], length])')" \
		"[[\"call\",$calls],[\"process\",1]]" "jsonl: calls"
	is "$(ask 'map(select(.type == "call" and (.result | . != "CUDA_SUCCESS" and . != "CUDA_ERROR_NOT_READY"))) | length')" \
		"$errors" "jsonl: errors"
	is "$(ask 'map(select(.kernel)) | length')" "$launches" "jsonl: launches"
	is "$(ask 'map(select(.function == "cuMemAlloc_v2").arguments.bytesize) | add')" "$allocated" \
		"jsonl: bytes allocated, as numbers"
	is "$(ask "map(.duration // 0) | add | . <= $ns and . >= $ns - $calls")" true "jsonl: ns"
	is "$(ask 'map(select(.function == "cuLaunchKernel"))[0].arguments | del(.f)')" \
		'{"gridDimX":64,"gridDimY":2,"gridDimZ":3,"blockDimX":128,"blockDimY":1,"blockDimZ":1,"sharedMemBytes":0,"hStream":"0x7700"}' \
		"jsonl: arguments with their types, none that nobody knows"
	is "$(ask 'map(select(.function == "cuModuleGetFunction"))[0].arguments')" \
		'{"hfunc":"0x4242","hmod":"0x40","name":"kernel_17_fw"}' "jsonl: texts"
	is "$(ask 'map(select(.function == "cuMemAlloc_v2").stack | length) | unique')" \
		"[4,5,6,7,8,9,10,11]" "jsonl: stacks"
	is "$(ask '.[0] | [.type, .host, .rank, .command, .finished]')" \
		'["process","node017",7,"python3 train.py --steps=10",true]' "jsonl: the process"
	is "$(jq -r 'select(.type == "call") | .function' "$tmp/all.jsonl" | cksum)" \
		"$(sed 1d "$tmp/all.csv" | awk -F, '{ print $11 }' | cksum)" "jsonl: in csv's order"
	synth -k -n 100 "$tmp/killed.cutrace"
	head -c 262510 "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
	tool convert --to jsonl -o "$tmp/all.jsonl" "$tmp/torn.cutrace"
	is "$(ask 'map(select(.type == "loss"))[0] | [.pid, .reason, .count]')" \
		'[4711,"damaged parts",1]' "jsonl: what is missing"
fi

# Names of a library, a thread and kernels, that speak to a terminal: ESC, C1, what turns the
# order of characters round, line breaks, what is not seen, bytes that are no UTF-8.
"$PERL" -pe 's/libtorch_cuda/li\n\x1b\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81/; s/pt_autograd_2/=1+\xc2\x9b\x1b\xff\xe2\x80\xa8123/;
	s/kernel_1/k\x1b[31\nm\xff/g' "$tmp/one.cutrace" >"$tmp/evil.cutrace"
is "$(wc -c <"$tmp/evil.cutrace")" "$(wc -c <"$tmp/one.cutrace")" "names that are evil"
# speaks FILE: how many bytes control a terminal there, line breaks left out.
speaks() {
	"$PERL" -CSD -ne '$n += () = /[\x00-\x09\x0b-\x1f\x7f-\x9f\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{e0000}-\x{e0fff}]/g;
		END { print $n + 0 }' "$1" 2>&1
}
for to in text csv folded jsonl otlp chrome; do
	tool convert --to $to --demangle no "$tmp/evil.cutrace"
	if test -s "$tmp/err"; then
		skip 1 "$(cat "$tmp/err")"
		continue
	fi
	tr -d '\r' <"$tmp/out" >"$tmp/lines"
	is "$(speaks "$tmp/lines")" 0 "$to: nothing that speaks to a terminal"
	! test $to = csv || is "$(wc -l <"$tmp/out") $(grep -c "\"'=1+" "$tmp/out")" \
		"$((calls + 1)) $(grep -c pt_autograd_2 "$tmp/all.csv")" \
		"csv: a line a call, and no cell that a spreadsheet works out"
	! test $to = jsonl || like "$(cat "$tmp/out")" 'li.u000a.u001b.u009b.u202e.udb40.udc01' "jsonl: each by its number"
	! test $to = text || is "$(wc -l <"$tmp/out")" "$calls" "text: a line a call"
done
for by in function library caller kernel thread process error memory; do
	tool report --color never --by $by "$tmp/evil.cutrace"
	is "$(speaks "$tmp/out")" 0 "report --by $by: nothing that speaks to a terminal"
done
tool report --format json "$tmp/evil.cutrace"
is "$(speaks "$tmp/out")" 0 "report --format json: neither"

# Texts that are no UTF-8, and that a format would take for its own.
"$PERL" -pe 's/pt_autograd_2/a,"\xff\\x\n>\x01abcd/; s/pt_autograd_3/pt"autograd\\3/' "$tmp/one.cutrace" >"$tmp/evil.cutrace"
is "$(wc -c <"$tmp/evil.cutrace")" "$(wc -c <"$tmp/one.cutrace")" "a thread with an evil name"
tool convert --to csv -o "$tmp/evil.csv" "$tmp/evil.cutrace"
ok "csv: quotes are doubled" grep -q ',"pt""autograd\\3",' "$tmp/evil.csv"
if command -v "$PYTHON3" >"$tmp/which"; then
	is "$("$PYTHON3" -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))
sys.stdout.reconfigure(encoding="utf-8")
print(len(rows), sorted({row["thread_name"] for row in rows}))' "$tmp/evil.csv" 2>&1)" \
		"$calls ['a,\"�\\\\x�>�abcd', 'pt\"autograd\\\\3', 'python3']" "csv: is quoted"
else
	skip 1 "no python3"
fi
tool convert --to jsonl -o "$tmp/all.jsonl" "$tmp/evil.cutrace"
if ! command -v jq >"$tmp/which"; then
	skip 1 "no jq"
else
	is "$(ask 'map(.thread_name) | unique | .[0:2] | map(values)[0]')" '"a,\"�\\x\n>\u0001abcd"' "jsonl: is escaped"
fi

# As fast as csv, in one run, by the processor's time.
synth -a -b -n 300000 -t 4 "$tmp/many.cutrace"
cat >"$tmp/ratio.py" <<'END'
import resource, subprocess, sys
def used(form):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.argv[1], 'convert', '--to', form, '-o', '-', sys.argv[2]], check=True,
                   stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
rounds = [(used('jsonl'), used('csv')) for i in range(5)]
ratio = min(one[0] for one in rounds) / min(one[1] for one in rounds)
print('# jsonl takes %.2f of the time of csv' % ratio)
sys.exit(ratio > 2)
END
if command -v "$PYTHON3" >"$tmp/which"; then
	ok "jsonl: less than twice csv's time" "$PYTHON3" "$tmp/ratio.py" "$cuaudit" "$tmp/many.cutrace"
	diag "$(grep '^#' "$tmp/tap.out")"
else
	skip 1 "no python3"
fi

# Lists of flags are whole: all bits of the enumeration whose names are the longest.
helper trace/flags
audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/flags.%e" CUAUDIT_HOOKS="trace(file=$tmp/flags.cutrace),\
fault(inject=cuGraphDebugDotPrint:error=999)" "$tmp/flags" >"$tmp/out" 2>&1
whole=$(sed -n 's/.*ENUMERATOR(CUgraphDebugDot_flags, \([A-Z_]*\),.*/\1/p' \
	"$top_srcdir/include/cuaudit/driver_enums.def" | tr '\n' '|')0xffff0000
ok "a list of ${#whole} characters" test "${#whole}" -gt 600
for format in text csv jsonl chrome otlp; do
	tool convert --to "$format" "$tmp/flags.cutrace"
	ok "flags: $format" grep -qF "$whole" "$tmp/out"
	test $format = jsonl || test $format = chrome || continue
	grep -o '"N":[^,}]*' "$tmp/out" | cut -d: -f2 | tr '\n' ' ' >"$tmp/$format.numbers"
done
tool convert --to jsonl "$tmp/flags.cutrace"
like "$(cat "$tmp/out")" '"error":-5[,}]' "a value of an enumeration that has no name"
# Readers of Chrome's format have doubles; those of jsonl 64 bits with a sign.
is "$(cat "$tmp/chrome.numbers")" '9007199254740991 "9007199254740993" "9223372036854775807" "9223372036854775809" ' \
	"numbers: chrome"
is "$(cat "$tmp/jsonl.numbers")" '9007199254740991 9007199254740993 9223372036854775807 "9223372036854775809" ' \
	"numbers: jsonl"
done_testing
