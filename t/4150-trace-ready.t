# SPDX-License-Identifier: Apache-2.0
# Chunks are made ready by a thread of the trace's own, not by the calls.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helper trace/ready

# few OPTIONS: traces until the thread was given a processor often enough for the calls to have few
# page faults; without it they never have.
few() {
	for turn in 1 2 3 4 5 6 7 8 9 10; do
		traced "$1" "$tmp/ready"
		test "$(cat "$tmp/out")" -ge 300 || break
	done
}

# 400,000 calls of 8 bytes or 16, 13 to 25 chunks of 64 pages; the first two are the calls' own.
few "args=no"
is "$status $(cat "$tmp/err")" "0 " "it ends well"
ok "calls have few page faults: $(cat "$tmp/out")" test "$(cat "$tmp/out")" -lt 300
checked "$tmp/traces/"* >"$tmp/records"
is "$(number '^call .* cuDriverGetVersion ' <"$tmp/records")" 400000 "all calls are there"
size=$(stat -c %s "$tmp/traces/"*)
ok "what was ready and not wanted is given back: $size" test "$size" -lt $((27 * 262144))

# A ring grows like any file, until it has its size.
few "args=no;when-full=ring;size=64MiB"
ok "a ring's, too: $(cat "$tmp/out")" test "$(cat "$tmp/out")" -lt 300

# Of the size that is allowed, all is used.
traced "args=no;size=2MiB" "$tmp/ready"
like "$(cat "$tmp/err")" "2048 KiB" "a full file is said to be"
checked "$tmp/traces/"* >"$tmp/records"
bytes=$(sed -n 's/^total [0-9]* calls \([0-9]*\) bytes.*/\1/p' "$tmp/records")
ok "with the calls of seven chunks: $bytes" test $((bytes / 7)) -ge $((262144 - 256 - 2040)) -a \
	$((bytes / 7)) -le $((262144 - 256))

traced text "$tmp/ready"
is "$(tail -n 1 "$tmp/out")" alone "text needs none"
traced "file=$tmp/missing/x" "$tmp/ready"
is "$status" 0 "nor does it hurt where there is no file"
done_testing
