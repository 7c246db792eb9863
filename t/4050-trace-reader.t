# SPDX-License-Identifier: Apache-2.0
# The reader of traces, and the page about them, cuaudit-trace(5).
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth
synth -a -c 16384 -n 3000 -t 3 "$tmp/good"
helper trace/reader
ok "the reader" "$tmp/reader" "$tmp/good" "$tmp/copy" "$(truth calls)" "$(truth threads)"
diag "$(grep -v '^ok' "$tmp/tap.out")"

synth -e 50 -c 16384 -n 3000 -t 3 "$tmp/short"
ok "short-lived threads" "$tmp/reader" "$tmp/short" "$tmp/copy" "$(truth calls)" "$(truth threads)"
diag "$(grep -v '^ok' "$tmp/tap.out")"

synth -a -g -c 16384 -n 3000 -t 3 "$tmp/again"
ok "arguments repeated" "$tmp/reader" "$tmp/again" "$tmp/copy" "$(truth calls)" "$(truth threads)"
diag "$(grep -v '^ok' "$tmp/tap.out")"

# described NAME FORMAT LIMIT TYPE NUMBERS COUNT ITEM: a description of COUNT times ITEM replaces the one of
# number 0; what is printed of the calls that name it is not longer than LIMIT bytes.
described() {
	"$PYTHON3" -c "import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
at = 4096
while struct.unpack_from('=I', data, at)[0]:
    at += struct.unpack_from('=I', data, at + 4)[0]
record = struct.pack('=IIII', $4, 16 + struct.calcsize('=$5') * $6, 0, $6) + struct.pack('=$5', *$7) * $6
assert at + len(record) < 1 << 20
data[at:at + len(record)] = record
open(sys.argv[2], 'wb').write(data)
" "$tmp/synth.cutrace" "$tmp/described.cutrace" || bail_out "cannot describe"
	"$cuaudit" convert --to "$2" "$tmp/described.cutrace" 2>"$tmp/err" | head -c "$3" >"$tmp/out"
	ok "$1, $2: not more than the file is long by far" test -s "$tmp/out" -a "$(wc -c <"$tmp/out")" -lt "$3"
}

if command -v "$PYTHON3" >"$tmp/which"; then
	synth -A -g -c 1048576 -n 2000 -t 1 "$tmp/synth.cutrace"
	for format in text jsonl; do
		described "parameters in one place" "$format" 8000000 9 II 120000 "(0, 4)"
		described "parameters of no bytes" "$format" 8000000 9 II 120000 "(0, 0)"
	done
	like "$(tool convert --to text "$tmp/described.cutrace"; grep -m 1 'Params = \[\.' "$tmp/out")" 'kernelParams = \[\.\.\.]' \
		"those that cannot be are not left out unseen"
	# What kernels are launched with is a word of the program's, or an array.
	for how in 1 4; do
		"$PYTHON3" -c "import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
at, changed = 4096, 0
while struct.unpack_from('=I', data, at)[0]:
    record = struct.unpack_from('=8I', data, at)
    for step in range(at + 32, at + 32 + 4 * record[7] if record[0] == 1 else 0, 4):
        if data[step] == 5:
            struct.pack_into('=BBH', data, step, $how, data[step + 1], 8)
            changed += 1
    at += record[1]
assert changed
open(sys.argv[2], 'wb').write(data)
" "$tmp/synth.cutrace" "$tmp/described.cutrace" || bail_out "cannot describe"
		for format in text jsonl; do
			tool convert --to "$format" "$tmp/described.cutrace"
			ok "parameters by step $how, $format: read as far as they go" test "$status" = 0 -o "$status" = 2
		done
	done
	synth -a -c 1048576 -n 4000 -t 1 "$tmp/synth.cutrace"
	described "a long stack" jsonl 4000000 6 QII 60000 "(0x7e0000000000, 1, 0)"
else
	skip 10 "no python3"
fi

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
	awk '/^struct cuaudit_trace_[a-z_]* \{/ { of = $2; next }
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
is "$(grep -c 'sizeof' "$tmp/agree.c") $(grep -c '(CUAUDIT' "$tmp/agree.c")" "22 84" "22 sizes, 84 numbers"
sed 's/clock_hz Ta 72/clock_hz Ta 73/' "$page" >"$tmp/page"
fails "a wrong one is found" agree "$tmp/page"
done_testing
