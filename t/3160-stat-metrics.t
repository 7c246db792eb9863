# SPDX-License-Identifier: Apache-2.0
# The stat hook's metrics: their two formats, and a file that is whole at any time.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helper stat/ends
helper stat/steady

# well_formed FORMAT FILE
well_formed() {
	awk -v format="$1" -f "$top_srcdir/t/stat/metrics.awk" "$2"
}

# sample FILE REGEX: the value of the one series that matches.
sample() {
	grep -E "^$2 " "$1" | sed 's/.*} //'
}

# counters FILE: the calls and errors of both functions.
counters() {
	for name in calls errors; do
		for function in cuInit cuDriverGetVersion cuDeviceGetCount; do
			sample "$1" "cuaudit_${name}_total\\{.*function=\"$function\".*"
		done
	done | xargs
}

# wrong NAME FORMAT SED-SCRIPT WHAT: the check itself, on a good text made bad.
wrong() {
	sed "$3" "$tmp/$2.txt" >"$tmp/bad"
	fails "the check finds $1" well_formed "$2" "$tmp/bad"
	like "$(cat "$tmp/tap.out")" "$4" "... and says so"
}

for format in prometheus openmetrics; do
	file=$tmp/$format.txt
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(format=$format)" CUAUDIT_OUTPUT="$file" \
		"$tmp/ends" 100 return >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out" "$tmp/err")" "0 " "$format: nothing is printed"
	ok "$format: well formed" well_formed $format "$file"
	is "$(counters "$file")" "1 100 100 0 0 100" "$format: calls and errors"
	for function in cuInit cuDeviceGetCount; do
		is "$(sample "$file" "cuaudit_call_duration_seconds_sum\\{.*\"$function\"\\}")" \
			"$(sample "$file" "cuaudit_call_seconds_total\\{.*\"$function\".*")" \
			"$format: the histogram of $function has its time"
	done
	is "$(grep -c '^cuaudit_call_duration_seconds_bucket' "$file")" 54 "$format: 18 buckets each"
	is "$(sample "$file" 'cuaudit_lost_calls_total.*')" 0 "$format: no call was lost"
	like "$(grep process_info "$file")" \
		"^cuaudit_process_info\\{host=\"[^\"]+\",pid=\"[0-9]+\",program=\"$tmp/ends\"\\} 1\$" \
		"$format: the process"
	ok "$format: taken after the start, not long ago" awk '
		/^cuaudit_process_start_time_seconds/ { start = $NF }
		/^cuaudit_report_timestamp_seconds/ { end = $NF }
		END { exit !(start > 1700000000 && end >= start && end - start < 600) }' "$file"
done
like "$(cat "$tmp/prometheus.txt")" '^# TYPE cuaudit_calls_total counter$' "a type of 0.0.4"
like "$(cat "$tmp/openmetrics.txt")" '^# TYPE cuaudit_calls counter$' "a type of OpenMetrics"

# The one call of cuInit is in the buckets from its time on; 7 % are what a bucket is wide.
ok "a call is in the buckets that end above its time" awk '
	/_bucket.*"cuInit"/ { split($0, part, /le="|"} /); le[++n] = part[2]; calls[n] = part[3] }
	/_duration_seconds_sum.*"cuInit"/ { sum = $NF }
	END {
		for (i = 1; i < n; i++)
			if ((le[i] > sum * 1.07 && !calls[i]) || (le[i] < sum / 1.07 && calls[i]))
				bad = 1
		exit bad || n != 18 || sum <= 0
	}' "$tmp/prometheus.txt"

wrong "a series twice" prometheus '/_lost_calls_total{/p' 'a series twice'
wrong "a family in two parts" prometheus '/^# HELP cuaudit_calls_total/{p;p;}' 'in two parts'
wrong "a type of the other format" prometheus 's/^# TYPE cuaudit_calls_total/# TYPE cuaudit_calls/' 'a type without'
wrong "a bucket out of place" prometheus '/le="0.0001"/s/le="0.0001"/le="1e-09"/' 'does not ascend'
wrong "a bucket that shrinks" prometheus '/le="10.0"/s/ [0-9]*$/ 0/' 'smaller than'
wrong "a wrong count" prometheus '/_seconds_count/s/ [0-9]*$/ 77/' "not \\+Inf's"
wrong "a quote in a label" prometheus 's/function="cuInit"/function="cu"Init"/' 'no comma|no label'
wrong "a text cut short" openmetrics '$d' 'no end'
wrong "a line cut short" prometheus '$s/} .*//' 'neither'

audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(format=prometheus;libraries=no)" \
	CUAUDIT_OUTPUT="$tmp/plain" "$tmp/ends" 100 return
ok "libraries=no: well formed" well_formed prometheus "$tmp/plain"
is "$(counters "$tmp/plain")" "1 100 100 0 0 100" "libraries=no: the same counts"
unlike "$(cat "$tmp/plain")" 'library=' "libraries=no: no library"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(format=openmetrics;clock=no)" \
	CUAUDIT_OUTPUT="$tmp/untimed" "$tmp/ends" 100 return
ok "clock=no: well formed" well_formed openmetrics "$tmp/untimed"
is "$(counters "$tmp/untimed")" "1 100 100" "clock=no: calls, no errors"
unlike "$(cat "$tmp/untimed")" 'call_(duration_)?seconds' "clock=no: no times"

odd=$(printf 'o"d\\d\t\n\351.so')
cp "$tmp/ends" "$tmp/$odd"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=prometheus)' "$tmp/$odd" 1 return 2>"$tmp/odd"
ok "a path with quotes, tabs, no UTF-8: well formed" well_formed prometheus "$tmp/odd"
replacement=$(printf '\357\277\275')
like "$(cat "$tmp/odd")" "/o\\\\\"d\\\\\\\\d$replacement\\\\n$replacement\\.so~[0-9a-f]{8}\"" "... as it is written"

# Libraries that differ in what is not printed alone.
helper trace/swap
for name in "$(printf 'lib\351.so')" "$(printf 'lib\350.so')"; do
	helper trace/swapped.so "$name"
done
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=prometheus)' CUAUDIT_OUTPUT="$tmp/two" \
	"$tmp/swap" "$(printf '%s/lib\351.so' "$tmp")" "$(printf '%s/lib\350.so' "$tmp")" >/dev/null
ok "libraries that are printed alike: well formed" well_formed prometheus "$tmp/two"
is "$(grep -c "^cuaudit_calls_total.*/lib$replacement\.so~[0-9a-f]\{8\}\"} 5\$" "$tmp/two")" 2 \
	"... each has its series"

SLURM_PROCID=7 audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=prometheus)' \
	CUAUDIT_OUTPUT="$tmp/fork-%r-%p" "$tmp/ends" 20 fork
is "$(cat "$tmp"/fork-7-* | sed -n 's/^cuaudit_calls_total{.*rank="7".*"cuDriverGetVersion".*} //p' |
	sort -n | xargs)" "3 20" "fork: a file each, of its own calls"
is "$(sed -n 's/^cuaudit_process_info.*pid="\([0-9]*\)".*/\1/p' "$tmp"/fork-7-* | sort -u | wc -l)" 2 \
	"fork: each by its own pid"

# As long as it runs: a line asks for calls, an answer says that they were made.
mkfifo "$tmp/ask" "$tmp/answer"
# steady HOOKS OUTPUT [DIRECTORY]
steady() {
	(cd "$tmp" && exec $run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$1" \
		CUAUDIT_OUTPUT="$2" "$tmp/steady" ${3+"$3"} <"$tmp/ask" >"$tmp/answer" \
		2>"$tmp/steady.err") &
	steady=$!
	exec 8>"$tmp/ask" 9<"$tmp/answer"
}
ask() {
	echo "$1" >&8
	read -r answer <&9
}
# reports FILE CALLS: waits until the file knows of so many calls of cuDeviceGetCount.
reports() {
	tries=0
	until test "$(sample "$1" 'cuaudit_calls_total\{.*"cuDeviceGetCount".*' 2>"$tmp/none")" = "$2"; do
		tries=$((tries + 1))
		test "$tries" -lt 3000 || return 1
	done
}
mkdir "$tmp/prom"
steady 'stat(format=prometheus;interval=0.01)' "$tmp/prom/x.prom"
ask 100
ok "interval: the first report" reports "$tmp/prom/x.prom" 100
exec 7<"$tmp/prom/x.prom"
ask 100
ok "interval: a later one" reports "$tmp/prom/x.prom" 200
cat <&7 >"$tmp/before"
exec 7<&-
is "$(sample "$tmp/before" 'cuaudit_calls_total\{.*"cuDeviceGetCount".*')" 100 \
	"who reads the one before has it still"
ok "... whole" well_formed prometheus "$tmp/before"
partial=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	cat "$tmp/prom/x.prom" >"$tmp/read"
	well_formed prometheus "$tmp/read" >"$tmp/wrong" || partial=$((partial + 1))
done
is "$partial" 0 "never seen in part"
kill -KILL "$steady"
wait "$steady" 2>"$tmp/none"
exec 8>&- 9<&-
ok "killed: the last report is there" well_formed prometheus "$tmp/prom/x.prom"
is "$(sample "$tmp/prom/x.prom" 'cuaudit_errors_total\{.*"cuDeviceGetCount".*')" 50 "... with its counts"
"$cuaudit" report --format prometheus "$tmp/prom/x.prom.part" >"$tmp/saved"
is "$(grep -v '^cuaudit_report_time' "$tmp/saved")" \
	"$(grep -v '^cuaudit_report_time' "$tmp/prom/x.prom")" "the saved file says the same"

steady 'stat(format=prometheus;interval=0.01;save=no)' relative.prom /
ask 4
ok "a relative name" reports "$tmp/relative.prom" 4
ask 4
ok "... after a change of the directory" reports "$tmp/relative.prom" 8
exec 8>&-
wait "$steady"
is "$? $(cat "$tmp/steady.err")" "0 " "... to the end"
exec 9<&-
is "$(find "$tmp" -name 'relative*' | wc -l)" 1 "nothing else is left"

for what in rm mv; do
	steady 'stat(format=json;interval=0.01;save=no)' "$tmp/log"
	ask 4
	until test -s "$tmp/log"; do :; done
	case $what in rm) rm "$tmp/log" ;; mv) mv "$tmp/log" "$tmp/log.1" ;; esac
	ask 4
	exec 8>&-
	wait "$steady"
	is "$? $(cat "$tmp/steady.err")" "0 " "$what of the file that reports go to"
	exec 9<&-
	like "$(tail -n 1 "$tmp/log" 2>"$tmp/none")" '"name":"cuDeviceGetCount","calls":8,' "... the last is in a new one"
done

# said MESSAGE: waits until it is on standard error.
said() {
	tries=0
	until grep -q "$1" "$tmp/steady.err"; do
		tries=$((tries + 1))
		test "$tries" -lt 3000 || return 1
	done
}
# The thread of interval= has waited five times more.
waited() {
	cat "/proc/$steady/task"/*/status | sed -n '/^Name:.cuaudit-stat$/,/^nonvol/s/^voluntary_ctxt_switches:.//p'
}
often() {
	until_waited=$(($(waited) + 5))
	until test "$(waited)" -ge "$until_waited"; do :; done
}
refusals='stat: cannot write the report:'
echo precious >"$tmp/victim"
for what in directory link; do
	rm -rf "$tmp/log"
	steady 'stat(format=json;interval=0.01;save='"$tmp"'/figures)' "$tmp/log"
	ask 4
	until test -s "$tmp/log"; do :; done
	rm "$tmp/figures"
	case $what in
	directory) until rm "$tmp/log" 2>"$tmp/none" && mkdir "$tmp/log" 2>"$tmp/none"; do :; done ;;
	link) ln -s victim "$tmp/linked" && mv -T "$tmp/linked" "$tmp/log" ;;
	esac
	ask 4
	ok "a $what in place of the file that reports go to is reported" said "$refusals"
	often
	ln -s steady.err "$tmp/figures"
	exec 8>&-
	wait "$steady"
	is "$? $(cat "$tmp/victim") $(grep -c "$refusals it \(is\|names\) a .*/log$" "$tmp/steady.err")" "0 precious 2" \
		"... once, and at the end, and the program goes on"
	like "$(tail -n 1 "$tmp/steady.err")" \
		'^cuaudit: stat: .*/figures was removed or replaced while the process ran; leave it until the process has ended$' \
		"... and that the saved file is gone is said, not where it was"
	ok "... what is in its place stays" test -L "$tmp/figures"
	exec 9<&-
	rm "$tmp/figures"
done
rm -rf "$tmp/log"
mkdir "$tmp/gone"
steady 'stat(interval=0.01;save='"$tmp"'/gone/saved;print=no)' "$tmp/gone/log"
ask 4
until test -s "$tmp/gone/saved"; do :; done
rm -r "$tmp/gone"
exec 8>&-
wait "$steady"
like "$? $(cat "$tmp/steady.err")" '^0 cuaudit: stat: .*/gone/saved was removed or replaced' \
	"print=no: a saved file that was removed is said to be, as it is all there was"
exec 9<&-

mkdir "$tmp/there"
for case in directory:there no-directory:nowhere/log; do
	steady 'stat(format=prometheus;interval=0.01;save=no)' "${case#*:}"
	ask 4
	ok "metrics: ${case%:*}: it is reported" said 'cannot write'
	often
	exec 8>&-
	wait "$steady"
	is "$? $(grep -c 'cannot write' "$tmp/steady.err")" "0 2" "... once, and at the end"
	exec 9<&-
done

mkfifo "$tmp/pipe"
exec 6<>"$tmp/pipe"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(format=openmetrics;save=no)" CUAUDIT_OUTPUT="$tmp/pipe" \
	"$tmp/ends" 100 return
echo '# EOF' >&6
sed '/^# EOF$/q' <&6 >"$tmp/piped"
exec 6>&-
ok "a pipe is written to" well_formed openmetrics "$tmp/piped"
ok "... and is one still" test -p "$tmp/pipe"

# No room for all of it: the old one stays.
echo old >"$tmp/full.prom"
status=0
(ulimit -f 4 && audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(format=prometheus;save=no)" \
	CUAUDIT_OUTPUT="$tmp/full.prom" "$tmp/ends" 100 return) >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/full.prom")" "0 old" "no room: the old file stays, the program goes on"
like "$(cat "$tmp/err")" '^cuaudit: stat: cannot write the report: the limit on the size of files is too low; raise it with ulimit -f: .*/full\.prom$' \
	"... and it is reported"
is "$(wc -l <"$tmp/err") $(find "$tmp" -name 'full.prom*' | wc -l)" "1 1" "... once, and nothing is left"

# The command.
tool stat --format prometheus -d sim -o "$tmp/tool.prom" -- "$tmp/ends" 100 return
is "$status $(counters "$tmp/tool.prom")" "0 1 100 100 0 0 100" "cuaudit stat --format"
refused 2 "--format takes text\\|json\\|prometheus\\|openmetrics, not 'xml'" "a format that is none" \
	stat --format xml true
refused 2 "--format takes text\\|json\\|prometheus\\|openmetrics, not 'xml'" "report's too" \
	report --format xml "$tmp/prom/x.prom.part"
for i in 1 2; do
	(ulimit -c 0 && audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/killed-%p" \
		"$tmp/ends" 100 kill) 2>"$tmp/none"
done
for format in prometheus openmetrics; do
	tool report --format $format "$tmp"/killed-*.part "$tmp/missing"
	is "$status $(cat "$tmp/err")" "2 cuaudit: $tmp/missing: No such file or directory" \
		"report: one is missing"
	ok "report: the others as one text of $format" well_formed $format "$tmp/out"
	is "$(grep -c '^cuaudit_process_info{' "$tmp/out")" 2 "report: of two processes"
done
set -- "$tmp"/killed-*.part
# A file that is named twice is taken once; a copy of it is refused, among files and in a directory.
cp "$1" "$tmp/copy.part"
tool report --format prometheus "$1" "$2" "$tmp/copy.part"
is "$status $(cat "$tmp/err")" "2 cuaudit: $tmp/copy.part: of the same recording as $1, which counts once" \
	"report: the same process twice"
ok "... is there once" well_formed prometheus "$tmp/out"
mkdir "$tmp/copies"
cp "$1" "$tmp/copies/a.part"
tool report --format prometheus "$tmp/copies"
mv "$tmp/out" "$tmp/once"
cp "$1" "$tmp/copies/b.part"
ln "$1" "$tmp/copies/c.part"
ln "$1" "$tmp/copies/d.part"
tool report --format prometheus "$tmp/copies"
is "$status $(cat "$tmp/err")" "2 cuaudit: $tmp/copies/b.part: of the same recording as $tmp/copies/a.part, which counts once
cuaudit: $tmp/copies/c.part: of the same recording as $tmp/copies/a.part, which counts once" \
	"report: copies in a directory are refused, a file with two names once"
is "$(grep -v _timestamp_ "$tmp/out")" "$(grep -v _timestamp_ "$tmp/once")" "... and nothing counts twice"
refused 2 "$tmp/missing: No such file" "report: nothing to print" report --format openmetrics "$tmp/missing"

# What others think of it.
if command -v promtool >"$tmp/which"; then
	for name in prometheus.txt plain odd prom/x.prom; do
		ok "promtool: $name" sh -c 'promtool check metrics <"$1"' sh "$tmp/$name"
	done
	sed 's/^# HELP cuaudit_calls_total .*//' "$tmp/plain" >"$tmp/bad"
	fails "promtool: not without help" sh -c 'promtool check metrics <"$1"' sh "$tmp/bad"
else
	skip 5 "no promtool"
fi
cat >"$tmp/parse.py" <<'END'
import sys
from prometheus_client.openmetrics.parser import text_fd_to_metric_families
families = {f.name: f for f in text_fd_to_metric_families(open(sys.argv[1], newline="\n"))}
assert families["cuaudit_calls"].type == "counter"
assert sum(s.value for s in families["cuaudit_calls"].samples) == 201
assert families["cuaudit_call_duration_seconds"].type == "histogram"
END
if "$PYTHON3" -c 'import prometheus_client.openmetrics.parser' 2>"$tmp/none"; then
	ok "the OpenMetrics parser" "$PYTHON3" "$tmp/parse.py" "$tmp/openmetrics.txt"
	fails "... takes the other format for none" "$PYTHON3" "$tmp/parse.py" "$tmp/prometheus.txt"
else
	skip 2 "no prometheus_client"
fi
done_testing
