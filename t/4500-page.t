# SPDX-License-Identifier: Apache-2.0
# The page of cuaudit report --html: its data are what the traces say, whatever is in them.
. "${top_srcdir:-$(dirname "$0")/..}/t/html/lib.sh"

$PERL -MJSON::PP -MDigest::SHA -e 1 2>"$tmp/perl.err" || skip_all "no JSON::PP"
helper trace/synth

synth -a -n 10 -t 1 "$tmp/ten.cutrace"
page "$tmp/ten.cutrace"
is "$status $(cat "$tmp/out" "$tmp/err")" "0 " "ten calls: status 0, nothing printed"
agrees "ten calls" calls errors ns launches threads
is "$(says shown) $(says texts) $(says complete)" "10 10 1" "ten calls: all are shown, with arguments"
ok "ten calls: a small page" test "$(says bytes)" -lt 100000

# Threads whose calls are all shown, and others; threads take over each other's chunks.
synth -a -b -n 300000 -t 5 -e 3000 "$tmp/some.cutrace"
page "$tmp/some.cutrace"
agrees "300,000 calls" calls errors ns launches threads allocated held
is "$(says rows)" "$(truth threads)" "300,000 calls: a row for each thread"
ok "300,000 calls: some rows show all their calls, some do not" \
	test "$(says complete)" -gt 0 -a "$(says complete)" -lt "$(says rows)"
is "$(says failed)" "$(truth errors)" "300,000 calls: each error is shown"
is "$(says calls_of_copies) $(says calls_of_waits)" \
	"$(truth cuMemcpyHtoDAsync_v2 | cut -d ' ' -f 1) $(truth cuStreamSynchronize | cut -d ' ' -f 1)" \
	"300,000 calls: copies and waits have tables"
ok "300,000 calls: a page of 3 MB at most" test "$(says bytes)" -lt 3000000
cp "$tmp/page.html" "$tmp/first.html"
(ulimit -v 262144 && exec "$cuaudit" report --jobs 2 --html - "$tmp/some.cutrace") >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "0 " "256 MiB of address space are enough"
tool report --html - --jobs 1 "$tmp/some.cutrace"
ok "one thread, to standard output: the same bytes" cmp "$tmp/out" "$tmp/first.html"

# Calls inside of others take their time once: check.pl would tell of more than all of it.
synth -b -i -n 200000 -t 2 "$tmp/nested.cutrace"
page "$tmp/nested.cutrace"
agrees "nested calls" calls errors

synth -n 20000 -t 3000 -b "$tmp/threads.cutrace"
page "$tmp/threads.cutrace"
agrees "3,000 threads" calls errors ns
ok "3,000 threads: no more than 2048 rows" test "$(says rows)" -le 2048 -a "$(says rows)" -gt 2000

mkdir "$tmp/job"
calls=0
for rank in 1 2 3 4 5 6 7 8 9 10 11 12; do
	synth -a -n $((rank * 1000)) -t 3 -p $((100 + rank)) -s "$rank" "$tmp/job/$rank.cutrace"
	calls=$((calls + rank * 1000))
done
synth -n 0 -p 200 "$tmp/job/none.cutrace"
page "$tmp/job"
is "$(says calls) $(says processes) $(says rows)" "$calls 13 36" \
	"a job: all its calls, processes and threads, one without calls too"
is "$(says hidden)" 0 "a job: no process is left out"

# What is missing is said.
synth -a -k -o -n 20000 -t 2 "$tmp/killed.cutrace"
page "$tmp/killed.cutrace"
is "$(says open)" 2 "calls that had not ended"
agrees "killed" calls errors
is "$(says warning)" "1 process ended by _exit, exec or a signal, or still running
2 calls had not ended" \
	"a process that did not come to its end"
$PERL -e '
	open my $file, "+<:raw", $ARGV[0] or die;
	seek $file, 120, 0;
	print $file pack("QQ", 17, 4);
	close $file or die' "$tmp/killed.cutrace"
page "$tmp/killed.cutrace"
like "$(says warning)" '^17 lost calls in 1 process: the file had its full size' "calls that were lost"
like "$(says warning)" '4 lost calls in 1 process: the disk' "calls that the disk did not take"
size=$(wc -c <"$tmp/killed.cutrace")
head -c $((size - 262144 + 60)) "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
page "$tmp/torn.cutrace"
like "$(says warning)" '60 bytes in 1 process: the end of a file' "a torn file"

# NVTX ranges: all, with their rows; damaged ones are counted.
synth -a -R -n 3000 -t 3 "$tmp/ranges.cutrace"
page "$tmp/ranges.cutrace"
agrees "ranges" calls errors
is "$(says ranges) $(says started) $(says unfinished)" \
	"$(($(truth pushed) + $(truth started) + $(truth marks))) $(truth started) $(truth unfinished)" "ranges: all are there"
is "$(says calls_of_ranges)" "$(truth calls)" "ranges: a table of their calls"
synth -R -n 200000 -t 3 "$tmp/ranges.cutrace"
page "$tmp/ranges.cutrace"
is "$(says ranges) $(says hidden_ranges)" "20000 $(($(truth pushed) + $(truth started) + $(truth marks) - 20000))" \
	"ranges: the longest of many"
synth -D -n 3000 "$tmp/ranges.cutrace"
page "$tmp/ranges.cutrace"
like "$(says warning)" "^$(truth senseless) damaged parts" "ranges: damaged ones"

# Names are text, whatever they say.
synth -a -n 3000 -t 3 "$tmp/poison.cutrace"
poison "$tmp/poison.cutrace"
page "$tmp/poison.cutrace"
agrees "names that are markup" calls errors ns launches
ok "names that are markup: they are there" grep -q 'onerror=window' "$tmp/page.html"

# Bad input: one line, status 2, nothing half-written.
echo old >"$tmp/old.html"
: >"$tmp/empty.cutrace"
echo text >"$tmp/text"
mkdir "$tmp/directory"
refused 2 "$tmp/none" "missing" report --html "$tmp/old.html" "$tmp/none"
refused 2 "$tmp/empty" "empty" report --html "$tmp/old.html" "$tmp/empty.cutrace"
refused 2 "$tmp/text" "foreign" report --html "$tmp/old.html" "$tmp/text"
refused 2 "$tmp/directory" "an empty directory" report --html "$tmp/old.html" "$tmp/directory"
refused 2 "$tmp/nowhere/x.html" "no such directory" \
	report --html "$tmp/nowhere/x.html" "$tmp/ten.cutrace"
for option in --diff "--in-range x" "--by thread" "--top 1" "--histogram cuInit" "--format json"; do
	# shellcheck disable=SC2086 # an option and its value
	refused 2 "report: ${option%% *} has no effect on the page" "with $option" report --html "$tmp/old.html" \
		$option "$tmp/ten.cutrace" "$tmp/ten.cutrace"
done
is "$(cat "$tmp/old.html")" old "what was there is there"
page "$tmp/ten.cutrace" "$tmp/none"
is "$status $(says calls)" "2 10" "one of two files: the page has it, status 2"
(ulimit -f 20 && trap '' XFSZ && exec "$cuaudit" report --html "$tmp/old.html" "$tmp/some.cutrace") \
	>"$tmp/out" 2>"$tmp/err"
is "$? $(wc -l <"$tmp/err")" "2 1" "no room: status 2, one line"
is "$(cat "$tmp/old.html") $(ls "$tmp" | grep -c 'old\.html')" "old 1" "no room: nothing half-written"

# Ten million calls.
if test -n "${LONG_TESTS-}"; then
	rm "$tmp"/*.cutrace
	synth -a -b -n 10000000 "$tmp/large.cutrace"
	(ulimit -v 262144 && exec "$cuaudit" report --jobs 2 --html "$tmp/page.html" "$tmp/large.cutrace") \
		>"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/err")" "0 " "10,000,000 calls: 256 MiB of address space are enough"
	$PERL "$top_srcdir/t/html/check.pl" "$tmp/page.html" >"$tmp/says"
	agrees "10,000,000 calls" calls errors ns launches allocated held
	ok "10,000,000 calls: a page of 10 MB at most" test "$(says bytes)" -lt 10000000
fi
done_testing
