# SPDX-License-Identifier: Apache-2.0
# The reader of traces, and the page about them, cuaudit-trace(5).
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

synthesizer
synth -a -c 16384 -n 3000 -t 3 "$tmp/good"
compile -g -o "$tmp/reader" "$top_srcdir/t/trace/reader.c" "$top_srcdir"/trace/*.c \
	"$top_srcdir"/print/*.c >"$tmp/build.out" 2>&1 || bail_out "$(cat "$tmp/build.out")"
ok "the reader" "$tmp/reader" "$tmp/good" "$tmp/copy" "$(truth calls)" "$(truth threads)"
diag "$(grep -v '^ok' "$tmp/tap.out")"

synth -e 50 -c 16384 -n 3000 -t 3 "$tmp/short"
ok "short-lived threads" "$tmp/reader" "$tmp/short" "$tmp/copy" "$(truth calls)" "$(truth threads)"
diag "$(grep -v '^ok' "$tmp/tap.out")"

synth -a -g -c 16384 -n 3000 -t 3 "$tmp/again"
ok "arguments said again" "$tmp/reader" "$tmp/again" "$tmp/copy" "$(truth calls)" "$(truth threads)"
diag "$(grep -v '^ok' "$tmp/tap.out")"

# agree PAGE: what the page says of fields and numbers, as assertions for the compiler.
agree() {
	{
		echo '#include <stddef.h>'
		echo '#include <cuaudit/trace.h>'
		sed -n -e 's/^\.It Fa \([a-z_]*\) Ta \([0-9]*\) Ta.*/_Static_assert(offsetof(struct cuaudit_trace_header, \1) == \2, "\1");/p' \
			-e 's/^\.It Dv \([A-Z_]*\) Pq \([0-9]*\)$/_Static_assert(\1 == \2, "\1");/p' "$1"
	} >"$tmp/agree.c"
	compile -fsyntax-only "$tmp/agree.c"
}

page=$top_srcdir/man/cuaudit-trace.5
ok "the page's numbers are the header's" agree "$page"
is "$(grep -c 'offsetof' "$tmp/agree.c") $(grep -vc 'offsetof\|include' "$tmp/agree.c")" "26 19" \
	"26 fields, 19 numbers"
sed 's/clock_hz Ta 72/clock_hz Ta 73/' "$page" >"$tmp/page"
fails "a wrong one is found" agree "$tmp/page"
done_testing
