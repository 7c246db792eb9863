# SPDX-License-Identifier: Apache-2.0
# convert and report: what was chosen and took nothing is reported, once.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth
mkdir "$tmp/traces"
for pid in 11 12; do
	synth -n 1000 -p $pid -s $pid -t 3 "$tmp/traces/$pid.cutrace"
done

# says TEXT NAME ARGUMENT...: status 0, and that on stderr
says() {
	says_text=$1
	says_name=$2
	shift 2
	tool "$@" "$tmp/traces"
	is "$status $(cat "$tmp/err")" "0 ${says_text:+cuaudit: }$says_text" "$says_name"
}

for to in text csv jsonl chrome; do
	says "" "$to: what takes calls" convert --to $to -f 'cuMem*,%sync' -f '!cuMemcpy*' --until 100
	says "--functions: 'cuMemAloc' took no function of these files; did you mean cuMemAlloc, cudaMalloc, cuMemFree?" \
		"$to: a misspelt name" convert --to $to -f cuMemAloc
	like "$(tool convert --to $to --from 1000 "$tmp/traces"; cat "$tmp/err")" \
		"^cuaudit: --from, --until: no call is between; the traces go from 0 to [0-9.]* seconds" \
		"$to: a time behind the end"
done
says "--functions: 'cuMemAloc' took no function of these files; did you mean cuMemAlloc, cudaMalloc, cuMemFree?" \
	"beside one that takes calls" convert --to text -f 'cuMem*' -f cuMemAloc
says "--functions: 'cuArray3DCreate' took no function of these files" "one that exists and is in no trace" \
	convert --to text -f cuArray3DCreate
says "--functions: '/^cuArr/' and 1 more took no function of these files" "a regex and a class" \
	convert --to text -f 'cuMem*,/^cuArr/,%texture'
says "--functions: 'cuXyz*' took no function of these files" "one that is taken away" \
	convert --to text -f 'cuMem*,!cuXyz*'
refused 2 "--until is before --from, so that no call is between them" "a time that ends before it begins" \
	convert --to text --from 2 --until 1 "$tmp/traces"
refused 2 "--functions: '%memroy' is no selector; did you mean %memory\? The classes are .*%sync" "a class" \
	convert --to text -f %memroy "$tmp/traces"

says "" "--histogram" report --histogram 'cuMem*'
says "--histogram: 'cuMemAloc' took no function of these files; did you mean cuMemAlloc, cudaMalloc, cuMemFree?" \
	"--histogram of a misspelt name" report --histogram cuMemAloc
synth -R -n 1000 -t 3 "$tmp/ranges.cutrace"
for command in 'convert --to text' 'convert --to csv' 'report' 'report --format json' 'report --diff'; do
	set -- "$tmp/ranges.cutrace"
	test "$command" != 'report --diff' || set -- "$1" "$1"
	none="cuaudit: --in-range: 'nosuch*' took no range that a thread of these files pushed"
	test "$command" != 'report --diff' || none="$none
$none"
	# shellcheck disable=SC2086 # a command and its options
	tool $command --in-range 'nosuch*' "$@"
	is "$status $(cat "$tmp/err")" "0 $none" "$command --in-range of no range"
	# shellcheck disable=SC2086
	tool $command --in-range 'step*' "$@"
	is "$status $(cat "$tmp/err")" "0 " "... of one"
done
refused 2 "--histogram: '%memroy' is no selector; did you mean %memory" "--histogram of a class" \
	report --histogram %memroy "$tmp/traces"
done_testing
