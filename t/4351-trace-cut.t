# SPDX-License-Identifier: Apache-2.0
# A trace that is cut off while it is read: what is missing is said, as of one that was cut before.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
cuaudit=$top_builddir/bin/cuaudit

helper trace/synth
"$tmp/synth" -a -n 100000 -t 2 "$tmp/whole.cutrace" >"$tmp/facts" || exit 99
size=$(wc -c <"$tmp/whole.cutrace")
calls=$(sed -n 's/^calls //p' "$tmp/facts")
mkfifo "$tmp/lines"

# converted BYTES: counts lines; the file is cut to so many bytes when one is read. A pipe holds few of them.
converted() {
	cp "$tmp/whole.cutrace" "$tmp/cut.cutrace"
	# As while the process is alive, which takes it by chunks.
	truncate -s %1M "$tmp/cut.cutrace"
	"$cuaudit" convert --to csv -o - "$tmp/cut.cutrace" >"$tmp/lines" 2>"$tmp/err" &
	converter=$!
	{
		read -r first
		truncate -s "$1" "$tmp/cut.cutrace"
		lines=$(wc -l)
	} <"$tmp/lines"
	status=0
	wait "$converter" || status=$?
}

for bytes in 0 4096 $((size / 2)) $((size * 3 / 4)); do
	converted "$bytes"
	is "$status" 2 "cut to $bytes bytes: status 2"
	like "$(cat "$tmp/err")" '^cuaudit: .*cut\.cutrace: .*damaged part' "... what it says"
done
converted "$size"
is "$status $lines $(cat "$tmp/err")" "0 $calls " "cut by its process behind its end: nothing is missing"
done_testing
