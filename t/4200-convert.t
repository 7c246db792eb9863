# SPDX-License-Identifier: Apache-2.0
# cuaudit convert: which calls it takes, of which files, in which order; where it writes.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth
mkdir "$tmp/traces"
calls=0
for pid in 11 12 13; do
	synth -n 1000 -p $pid -s $pid -t 3 "$tmp/traces/$pid.cutrace"
	calls=$((calls + $(truth calls)))
done

# convert ARGUMENT...: to text, of the directory.
convert() {
	tool convert --to text "$@" "$tmp/traces"
}

convert
is "$status $(wc -l <"$tmp/out") $(wc -c <"$tmp/err")" "0 $calls 0" "a line for each call of all files"
# Begin and end of each line in ns, exact in whole ns of a small number.
awk '{
	match($0, /<[0-9.]+[num]?s>/)
	d = substr($0, RSTART + 1, RLENGTH - 3)
	unit = substr($0, RSTART + RLENGTH - 3, 1)
	d *= unit == "n" ? 1 : unit == "u" ? 1e3 : unit == "m" ? 1e6 : 1e9
	split($3, at, ".")
	end = (at[1] - 1700000000) * 1e9 + at[2] + d
	# Durations have three digits.
	if (end < last - d / 50)
		print "out of order: " $0
	last = end > last ? end : last
}' "$tmp/out" >"$tmp/wrong"
is "$(cat "$tmp/wrong")" "" "by the ends of calls in all files"
is "$(sed 's/^\[\([0-9]*\)\].*/\1/' "$tmp/out" | sort | uniq -c | tr -s ' \n' ' ')" \
	" 1000 11 1000 12 1000 13 " "each says of which process"

cp "$tmp/out" "$tmp/all"
convert -f 'cuMem*,%sync' -f '!cuMemcpy*'
is "$(cat "$tmp/out")" "$(grep -E ' (cuMem(Alloc|Free)|cuStreamSynchronize)' "$tmp/all")" \
	"--functions: these alone"
ok "... and there are some" test -s "$tmp/out"
convert --from 0.0001 --until 0.0002
is "$(cat "$tmp/out")" "$(awk '{
	match($0, /<[0-9.]+[num]?s>/)
	d = substr($0, RSTART + 1, RLENGTH - 3)
	unit = substr($0, RSTART + RLENGTH - 3, 1)
	d *= unit == "n" ? 1 : unit == "u" ? 1e3 : unit == "m" ? 1e6 : 1e9
	split($3, at, ".")
	start = (at[1] - 1700000000) * 1e9 + at[2]
	if (start <= 200000 && start + d >= 100000)
		print
}' "$tmp/all")" "--from, --until: those that touch this time"
ok "... and there are some" test -s "$tmp/out"

missing=
for begin in $(awk 'NR % 100 == 1 { print $3 }' "$tmp/all"); do
	tool convert --to text --until "$((${begin%.*} - 1700000000)).${begin#*.}" "$tmp/traces"
	grep -q " $begin " "$tmp/out" || missing="$missing $begin"
done
is "$missing" "" "--until the nanosecond in which a call begins: with that call"

convert -o "$tmp/file"
is "$status $(wc -c <"$tmp/out") $(cmp "$tmp/file" "$tmp/all")" "0 0 " "--output takes the same"
is "$(ls -A "$tmp" | grep file)" "file" "... and leaves nothing beside it"
if command -v zstd >/dev/null; then
	convert -o "$tmp/file.zst"
	zstd -dc "$tmp/file.zst" >"$tmp/plain" 2>"$tmp/zstd.err"
	is "$(cat "$tmp/zstd.err" && cmp "$tmp/plain" "$tmp/all" 2>&1)" "" \
		"... compressed, if it ends in .zst"
else
	skip 1 "no zstd"
fi

# What was cut off and what a killed process left.
synth -k -n 3000 -t 2 "$tmp/killed.cutrace"
tool convert --to text "$tmp/killed.cutrace"
is "$status $(wc -l <"$tmp/out") $(wc -c <"$tmp/err")" "0 3000 0" "of a killed process: all calls"
head -c 524388 "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
tool convert --to text "$tmp/torn.cutrace"
is "$status $(wc -l <"$tmp/err")" "2 1" "of a torn file: what is there, and a line"
is "$(cat "$tmp/err")" "cuaudit: $tmp/torn.cutrace: 100 bytes at its end are no whole chunk; $((
	$(wc -c <"$tmp/killed.cutrace") - 524388)) bytes of it were cut off" "... that says so"
ok "... with calls" test "$(wc -l <"$tmp/out")" -gt 1000 -a "$(wc -l <"$tmp/out")" -lt 3000

refused 2 "there is no format 'txt'; did you mean text" "an unknown format" \
	convert --to txt "$tmp/killed.cutrace"
refused 2 "convert: --to says which format" "no format" convert "$tmp/killed.cutrace"
refused 2 "convert: no file given" "no file" convert --to text
for wrong in 0x10 1e1 +0 ' 0' -1; do
	refused 2 "--until takes seconds, not '" "a time of '$wrong'" \
		convert --to text --until "$wrong" "$tmp/killed.cutrace"
done
cp "$tmp/killed.cutrace" "$tmp/only.cutrace"
ln -s only.cutrace "$tmp/link"
for output in only.cutrace link; do
	for how in "convert -t csv" "convert -t sqlite" "report --html $tmp/$output"; do
		set -- $how
		case $how in
		*sqlite)
			tool convert -t sqlite -o "$tmp/db" "$tmp/only.cutrace"
			test "$status" = 0 || continue
			;;
		esac
		case $1 in convert) set -- "$@" -o "$tmp/$output" ;; esac
		refused 2 "$tmp/$output: it is read, and would be written over; choose another name" \
			"$how, to $output, which is read" "$@" "$tmp/only.cutrace"
	done
done
ok "it is as it was" cmp "$tmp/only.cutrace" "$tmp/killed.cutrace"
refused 2 "--from takes seconds, not 'soon'" "a bad time" \
	convert --to text --from soon "$tmp/killed.cutrace"
refused 2 ".*'%nothing' is no selector" "a bad selector" \
	convert --to text -f %nothing "$tmp/killed.cutrace"
refused 2 "--functions: '%memory,!%memory' takes no function: .*" "one that takes away all it gives" \
	convert --to text -f %memory -f '!%memory' "$tmp/killed.cutrace"
head -c 2000 "$tmp/killed.cutrace" >"$tmp/cut.cutrace"
echo before >"$tmp/file"
refused 2 ".*/cut.cutrace: is cut off within its header" "a file that is none" \
	convert --to text -o "$tmp/file" "$tmp/killed.cutrace" "$tmp/cut.cutrace"
is "$(cat "$tmp/file")" "before" "... and the output stays as it was"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/demo.cutrace)" "$top_builddir/demo/cudemo" dlopen >"$tmp/out"
cat "$tmp/demo.cutrace" "$tmp/demo.cutrace" >"$tmp/both.cutrace"
refused 2 ".*/both.cutrace: has another trace behind its end; give each of them as a file of its own" \
	"two files that were made one" convert --to text "$tmp/both.cutrace"
refused 2 ".*/both.cutrace: has another trace behind its end" "... for a report" report "$tmp/both.cutrace"
done_testing
