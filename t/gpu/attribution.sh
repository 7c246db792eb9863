# SPDX-License-Identifier: Apache-2.0
# attribution.sh in a build directory, on a machine with a GPU: each call of PyTorch's at its line of Python, by
# --python and in stacks, of torch.compile and DataLoader workers too; launches by the name of their kernel; ranges of
# torch.cuda.nvtx, CuPy and PyPI's nvtx; and calls that fail. Prints TAP. LINES_COUNT: calls of each line, 1000.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpu=$top_srcdir/t/gpu
cuaudit=$top_builddir/bin/cuaudit
count=${LINES_COUNT:-1000}
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# /'

python_has() {
	(cd "$tmp" && "$PYTHON3" -c "import $1") >"$tmp/import" 2>&1
}

# traced NAME OPTION... -- COMMAND...: its calls as jsonl, in $tmp/lines
traced() {
	traced_name=$1
	shift
	rm -rf "$tmp/traces"
	status=0
	"$cuaudit" trace -o "$tmp/traces" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status" 0 "$traced_name: ends well" || sed 's/^/# /' "$tmp/err" | tail -n 5
	"$cuaudit" convert --to jsonl --symbols no "$tmp/traces" >"$tmp/lines" 2>"$tmp/err"
	is "$(grep -c '"type":"loss"' "$tmp/lines")" 0 "$traced_name: nothing is lost"
}

# judged NAME PROGRAM WHAT:COUNT...: so many calls of $tmp/lines are at the marked lines, and none beside them
judged() {
	judged_name=$1
	judged_program=$gpu/$2
	shift 2
	"$PYTHON3" -B "$gpu/lines_judge.py" "$judged_program" "$count" <"$tmp/lines" >"$tmp/judged" 2>&1
	grep '^#' "$tmp/judged" | head -n 20
	for what; do
		is "$(sed -n "s/^${what%:*} //p" "$tmp/judged")" "${what#*:} of ${what#*:}" "$judged_name: ${what%:*}"
	done
}

if python_has torch; then
	traced "python" --python '*' --frames 60 --size 1GiB -- "$PYTHON3" "$gpu/lines.py" "$count"
	judged "python" lines.py "item:$count" "empty:$count" "launch:$count"
	traced "backtrace" --backtrace '*' --frames 100 --size 1GiB -- "$PYTHON3" "$gpu/lines.py" "$count"
	judged "backtrace" lines.py "item:$count" "empty:$count" "launch:$count"
	traced "more" --python '*' --frames 100 --args kernel -- "$PYTHON3" "$gpu/lines_more.py"
	judged "more" lines_more.py batch:16 worker:64
	like "$(sed -n 's/^compiled //p' "$tmp/judged")" '^100 of 100 marked,' "torch.compile: its kernels are at the line that calls them"
	sed -n 's/^compiled/# compiled/p' "$tmp/judged"
else
	skip 15 "no torch"
fi

# Kernels: each launch has a name.
for program in torch_eager cupy_arrays; do
	module=${program%%_*}
	if ! python_has "$module"; then
		skip 4 "no $module"
		continue
	fi
	traced "$program" --args kernel -- "$PYTHON3" "$gpu/$program.py"
	grep '"function":"cuLaunch[A-Z]*' "$tmp/lines" | grep -v cuLaunchHostFunc >"$tmp/launches" || :
	ok "$program: there are launches" test -s "$tmp/launches"
	is "$(grep -vc '"kernel":"' "$tmp/launches")" 0 "$program: each of $(grep -c . "$tmp/launches") launches has its kernel's name"
	grep -v '"kernel":"' "$tmp/launches" | sed -n 's/.*"function":"\([^"]*\)".*"library":"\([^"]*\)".*/# without: \1 \2/p' |
		sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/' | head -n 10
done

# Ranges: thirty steps, in each a launch, which is in that range and no other.
for module in torch cupy nvtx; do
	if ! python_has torch || ! python_has "$module"; then
		skip 4 "no $module"
		continue
	fi
	traced "ranges of $module" -- "$PYTHON3" "$gpu/ranges.py" "$module"
	is "$(sed -n 's/.*"type":"range".*"text":"\(step [0-9]*\)".*/\1/p' "$tmp/lines" | sort -u | wc -l) $(
		grep '"type":"range"' "$tmp/lines" | grep '"text":"step' | grep -c '"unfinished":true')" "30 0" \
		"ranges of $module: each step, and its end"
	"$cuaudit" convert --to csv --symbols no "$tmp/traces" 2>"$tmp/err" | tr -d '\r' >"$tmp/csv"
	is "$(grep ',cuLaunchKernel[^,]*,' "$tmp/csv" | sed -n 's/.*,\(step [0-9]*\)$/\1/p' | sort | uniq -c |
		awk '{ print $1 }' | sort -u) $(grep ',cuLaunchKernel[^,]*,' "$tmp/csv" | grep -c ',step [0-9]*$')" "1 30" \
		"ranges of $module: one launch in each"
	test "$module" != nvtx ||
		is "$(grep -c '"text":"step [0-9]*","domain":"steps",.*"category_name":"loop".*"payload":' "$tmp/lines")" 30 \
			"ranges of nvtx: domain, category, payload"
done

# Errors: each at its line, with what the driver says of it.
if python_has torch && python_has cupy; then
	traced "errors" --python '*' --frames 60 -- "$PYTHON3" "$gpu/errors.py"
	sed -n 's/.* # mark: //p' "$gpu/errors.py" >"$tmp/marks"
	while read -r function result; do
		line=$(grep -n "# mark: $function " "$gpu/errors.py" | cut -d: -f1)
		grep "\"function\":\"$function\".*\"result\":\"$result\"" "$tmp/lines" >"$tmp/failed" || :
		like "$(cat "$tmp/failed")" "errors.py:$line\\)" "errors: $function, $result, at its line"
		sed -n 's/.*"function":"\([^"]*\)".*"error_text":"\([^"]*\)".*/# \1: \2/p' "$tmp/failed" | head -n 1
	done <"$tmp/marks"
	like "$(grep '"function":"cuLaunchKernel"' "$tmp/lines" | grep -c '"error_text":".')" '^[1-9]' "errors: the driver's own words"
	"$cuaudit" report --by error --symbols no "$tmp/traces" >"$tmp/report" 2>"$tmp/err"
	while read -r function result; do
		like "$(cat "$tmp/report")" " $result, $function" "report --by error: $result"
	done <"$tmp/marks"
	"$cuaudit" report --failed "$tmp/traces" >"$tmp/report" 2>"$tmp/err"
	is "$(awk 'NF > 8 && $1 ~ /^[0-9]/ { print ($3 == $4) }' "$tmp/report" | sort -u)" 1 "report --failed: failed calls alone"
	sed 's/^/# /' "$tmp/report" | head -n 12
else
	skip 10 "no torch or CuPy"
fi
done_testing
