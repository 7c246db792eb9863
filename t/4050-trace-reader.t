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

# agree PAGE: what the page says of structures, fields and numbers, as assertions for the compiler.
agree() {
	{
		echo '#include <stddef.h>'
		echo '#include <cuaudit/trace.h>'
		awk '$1 == ".Vt" { of = $2 " " $3 }
			of && match($0, /^[0-9]+ bytes/) && last ~ /^\.Vt/ {
				print "_Static_assert(sizeof(" of ") == " $1 ", \"size\");"
			}
			$1 == ".It" && $2 == "Fa" && $4 == "Ta" && $5 ~ /^[0-9]+$/ {
				print "_Static_assert(offsetof(" of ", " $3 ") == " $5 ", \"" $3 "\");"
			}
			{ last = $0 }' "$1"
		sed -n 's/^\(\.It \)\{0,1\}\(\.\)\{0,1\}Dv \([A-Z_]*\) Pq \([0-9]*\)\( .\)\{0,1\}$/_Static_assert(\3 == \4, "\3");/p' "$1"
	} >"$tmp/agree.c"
	compile -fsyntax-only "$tmp/agree.c"
}

# told: structures and their fields as the header has them.
told() {
	awk '/^struct cuaudit_trace_[a-z]* \{/ { of = $2; next }
		/^\}/ { of = "" }
		of && match($0, /[a-z_]+(\[[A-Z_0-9]+\])?;/) {
			field = substr($0, RSTART, RLENGTH)
			sub(/(\[.*)?;/, "", field)
			if (field != "unused" && field != "padding" && field != "record")
				print of "." field
		}' "$top_srcdir/include/cuaudit/trace.h" | sort
}

page=$top_srcdir/man/cuaudit-trace.5
ok "the page's numbers are the header's" agree "$page"
is "$(sed -n 's/.*offsetof(struct \([a-z_]*\), \([a-z_]*\)).*/\1.\2/p' "$tmp/agree.c" | sort)" "$(told)" \
	"every field of every structure is there"
is "$(grep -c 'sizeof' "$tmp/agree.c") $(grep -c '(CUAUDIT' "$tmp/agree.c")" "18 42" "18 sizes, 42 numbers"
sed 's/clock_hz Ta 72/clock_hz Ta 73/' "$page" >"$tmp/page"
fails "a wrong one is found" agree "$tmp/page"
done_testing
