# SPDX-License-Identifier: Apache-2.0
# Arguments that are those of the call before are said again, any others are written, in any part.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helpers trace/libcuda.so.1 trace/again
# Whether the trace has ways of its own here, which say again what they can.
ways=0
test "$(arch) $(loader_family)" != "x86_64 new" || ways=1

# run HOOKS: what is in the trace is in $tmp/text, and the calls in $tmp/got
run() {
	rm -f "$tmp/a.cutrace"
	audited CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="$(printf '%s' "$1" | sed "s|%|file=$tmp/a.cutrace|")" \
		"$tmp/again" >"$tmp/made" 2>"$tmp/err"
	is "$? $(cat "$tmp/err")" "0 " "$1: the program is answered as before"
	checked "$tmp/a.cutrace" >"$tmp/text"
	sed -n '/^bad/p; /^check failed/p; s/^call thread 1 \([^ ]*\) result \([0-9]*\) .* site [0-9]*/\1 \2/p' \
		"$tmp/text" >"$tmp/got"
}

# same HOOKS LEAST: the calls are in the trace as made, at least so many of them said again
same() {
	run "$1"
	ok "$1: $(wc -l <"$tmp/got") calls as they were made" cmp "$tmp/got" "$tmp/made"
	is "$(grep '^call ' "$tmp/text" | head -n 40 |
		sed 's/.* from \([0-9]*\) took \([0-9]*\) .*/\1 \2/' | awk '
			NR <= 20 { print "long", ($2 >= NR * 20000) }
			NR > 21 { print "apart", ($1 - last >= (NR - 21) * 500000) }
			{ last = $1 }' | sort | uniq -c | awk '{ print $1, $2, $3 }')" "19 apart 1
20 long 1" "$1: long calls, and calls far apart"
	is "$(sed -n 's/^call .* id \([0-9]*\) .*/\1/p' "$tmp/text" | sort | uniq -d | wc -l)" 0 \
		"$1: no two calls have one correlation"
	# The last of them are from places that have a device each.
	is "$(sed -n 's/^call .* cuDevicePrimaryCtxGetState .* site \([0-9]*\) 0:\(0x[0-9a-f]*\) .*/\1 \2/p' \
		"$tmp/text" | tail -n 20000 | sort -u | awk '!site[$1]++ { n++ } END { print NR, n }')" \
		"200 200" "$1: each from its place"
	sed -n 's/^cuLaunchKernel 0 0:0x0*\([0-9a-f]*\) .*/kernel \1 kernel\1/p' "$tmp/made" |
		sort -u >"$tmp/kernels"
	grep '^kernel' "$tmp/text" | sort >"$tmp/named"
	ok "$1: each of $(wc -l <"$tmp/kernels") kernels is named" cmp "$tmp/named" "$tmp/kernels"
	ok "$1: $(sed -n 's/^again //p' "$tmp/text") repeated" \
		test "$(sed -n 's/^again //p' "$tmp/text")" -ge "$2"
}

same "trace(%)" $((ways * 30000))
same "trace(%),stat" 0
is "$(sed -n 's/^again //p' "$tmp/text")" 0 "the trampolines say all of them"
same "trace(%;args=yes;size=16M;when-full=ring)" $((ways * 30000))

run "trace(%;args=no)"
sed 's/ [0-9]*:.*//' "$tmp/made" >"$tmp/bare"
ok "no arguments: $(wc -l <"$tmp/got") calls as they were made" cmp "$tmp/got" "$tmp/bare"
again=$(sed -n 's/^again //p' "$tmp/text")
ok "$again said again" test "$again" -ge $((ways * 30000))

# What is written to was a full one before.
run "trace(%;size=1M;when-full=ring)"
tail -n "$(wc -l <"$tmp/got")" "$tmp/made" >"$tmp/last"
ok "the last of them are in a ring" cmp "$tmp/got" "$tmp/last"
ok "which holds $(wc -l <"$tmp/got") calls" test "$(wc -l <"$tmp/got")" -ge 10000
done_testing
