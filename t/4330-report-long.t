# SPDX-License-Identifier: Apache-2.0
# cuaudit report of 1,000 files with 100,000,000 calls, in 512 MiB.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
long_test
helper trace/synth

mkdir "$tmp/job"
for pid in $(seq 1 999); do
	"$tmp/synth" -p "$pid" -s "$pid" -t 8 -n 50000 "$tmp/job/$pid.cutrace"
done >"$tmp/truth"
# One rank that did half of the work, with arguments.
"$tmp/synth" -a -p 1000 -t 4 -n 50050000 "$tmp/job/1000.cutrace" >>"$tmp/truth"
calls=$(awk '$1 == "calls" { sum += $2 } END { printf "%d\n", sum }' "$tmp/truth")
errors=$(awk '$1 == "errors" { sum += $2 } END { printf "%d\n", sum }' "$tmp/truth")
is "$calls" 100000000 "100,000,000 calls"
for jobs in 1 16; do
	(ulimit -v 524288 && "$cuaudit" report --jobs $jobs --top 0 "$tmp/job") >"$tmp/out.$jobs"
	like "$(head -n 1 "$tmp/out.$jobs")" \
		"^cuaudit: 1000 processes of 8 ranks: $calls calls of 10 driver functions on 7996 threads" \
		"$jobs threads read them, in 512 MiB of address space"
	is "$(awk '/^Time/ { table++ } table == 1 && $1 + 0 > 0 { sum += $4 } table == 1 && $1 == "0.0" {
		sum += $4 } END { print sum }' "$tmp/out.$jobs")" "$errors" "... with every error"
done
ok "both print the same" cmp "$tmp/out.1" "$tmp/out.16"
done_testing
