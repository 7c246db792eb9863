# SPDX-License-Identifier: Apache-2.0
# A call that ends on another thread than it began on is in the trace once, and harms no other.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helper trace/moved

# moved NAME HOW OPTIONS
moved() {
	traced "$3" timeout 300 "$tmp/moved" "$2"
	is "$status $(cat "$tmp/err")" "0 " "$1: it ends well"
	checked "$tmp"/traces/*.cutrace >"$tmp/text"
	is "$(grep -E '^(bad|check failed)' "$tmp/text")" "" "$1: the trace is whole"
	is "$(sed -n 's/^total \([0-9]*\) .*/\1/p' "$tmp/text")" "$(cat "$tmp/out")" "$1: all calls are there"
	is "$(number '^call .* cuLaunchHostFunc ' <"$tmp/text")" 300 "$1: those that moved, too"
	is "$("$top_builddir/bin/cuaudit" convert --to text -o - "$tmp"/traces/*.cutrace |
		number '<unfinished>')" 0 "$1: none is unfinished"
	for format in chrome perfetto; do
		rm -rf "$tmp/to"
		said=$("$top_builddir/bin/cuaudit" convert --to $format -o "$tmp/to" "$tmp"/traces/*.cutrace 2>&1)
		if echo "$said" | grep -q 'built without protobuf-c'; then
			skip 1 "no protobuf-c"
		else
			is "$said" "" "$1: $format"
		fi
	done
	like "$("$top_builddir/bin/cuaudit" convert --to ctf -o "$tmp/to.ctf" "$tmp"/traces/*.cutrace 2>&1)" \
		' 300 times that went back were moved$' "$1: ctf, whose times are in order, says so"
	if command -v babeltrace2 >"$tmp/none"; then
		is "$(cd "$tmp" && babeltrace2 to.ctf 2>err | wc -l) $(cat "$tmp/err")" \
			"$((2 * $(cat "$tmp/out"))) " "$1: babeltrace2 reads two events a call"
	else
		skip 1 "no babeltrace2"
	fi
	rm -rf "$tmp/to.ctf"
}

moved "the first thread calls" stays "open=cuLaunchHostFunc"
moved "the first thread has ended" ends "open=cuLaunchHostFunc"
moved "without arguments" stays "args=no"
moved "by its fast path" ends ""
for how in stays ends; do
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=stat timeout 300 "$tmp/moved" $how \
		>"$tmp/out" 2>"$tmp/err"
	is "$(sed -n 's/^cuaudit: .*): \([0-9]*\) calls of .*/\1/p' "$tmp/err")" "$(cat "$tmp/out")" \
		"$how: statistics have them"
done
done_testing
