# SPDX-License-Identifier: Apache-2.0
# Arguments that are said again: files with such and files without are read as the same calls.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

cuaudit=$top_builddir/bin/cuaudit
helper trace/synth
helper trace/check

# bytes NAME: of all records, as a reader that knows the header alone says.
bytes() {
	sed -n 's/^total [0-9]* calls \([0-9]*\) bytes.*/\1/p' "$tmp/$1.checked"
}

# same OPTION...: chunks that a window holds whole and such of which it holds little, threads that take over.
same() {
	for name in all again; do
		synth -a $(test $name = all || echo -g) -n 40000 "$@" "$tmp/a.cutrace"
		"$tmp/check" "$tmp/a.cutrace" >"$tmp/$name.checked"
		for format in text jsonl csv; do
			"$cuaudit" convert --to "$format" "$tmp/a.cutrace" -o "$tmp/$name.$format" \
				2>"$tmp/err" || bail_out "$(cat "$tmp/err")"
		done
	done
	is "$(sed 1d "$tmp/again.csv" | wc -l) $(cat "$tmp/err")" "$(truth calls) " "$*: all calls"
	for format in text jsonl csv; do
		ok "$*: the same $format" cmp -s "$tmp/all.$format" "$tmp/again.$format"
	done
	is "$(grep '^call ' "$tmp/again.checked" | sort | cksum)" \
		"$(grep '^call ' "$tmp/all.checked" | sort | cksum)" "$*: nor does a reader of its own see others"
	ok "$*: fewer bytes" test "$(bytes again)" -lt "$(($(bytes all) * 9 / 10))"
}

same -t 4
same -e 50
same -c 16384
same -c 1048576
same -c 1048576 -t 60 -i
same -c 16384 -t 60 -i
done_testing
