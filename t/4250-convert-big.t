# SPDX-License-Identifier: Apache-2.0
# cuaudit convert: 100,000,000 calls, and 1,000 files, in 512 MiB.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
long_test

# bounded ARGUMENT...: cuaudit convert with 512 MiB of address space and few descriptors.
bounded() {
	status=0
	(
		ulimit -v 524288 -Sn 256
		exec "$cuaudit" convert "$@"
	) 2>"$tmp/err" || status=$?
}

helper trace/synth
# Beside the build, not in /tmp: 8 GB.
big=$top_builddir/t/4250-big
mkdir -p "$big"
trap 'rm -rf "$big" "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

for i in $(seq 1000); do
	synth -n 1000 -p "$i" -s "$i" "$big/$i.cutrace"
done
for format in text csv; do
	bounded --to $format -o "$tmp/lines" "$big"
	is "$status $(cat "$tmp/err")" "0 " "$format of 1,000 files"
	is "$(grep -c 'cu[A-Z]' "$tmp/lines")" 1000000 "... all calls"
done
is "$(awk -F, 'NR > 1 { end = $7 - 1.7e18 + $8; if (end < last - 1000) wrong++; last = end } END { print wrong + 0 }' "$tmp/lines")" \
	0 "... by time"
rm -r "$big" "$tmp/lines"
mkdir "$big"

synth -n 100000000 "$big/big.cutrace"
for format in text folded; do
	bounded --to $format -o "$big/out" "$big/big.cutrace"
	is "$status $(cat "$tmp/err")" "0 " "$format of 100,000,000 calls"
	test $format = text && is "$(wc -l <"$big/out")" "$(truth calls)" "... all of them"
	rm -f "$big/out"
done
bounded --to sqlite -o "$big/out" "$big/big.cutrace"
if grep -q 'built without' "$tmp/err" || ! command -v sqlite3 >"$tmp/which"; then
	skip 1 "no sqlite3"
else
	is "$status $(cat "$tmp/err")" "0 " "sqlite of 100,000,000 calls"
	is "$(sqlite3 "$big/out" 'SELECT count(*), max(id) FROM call; SELECT sum(errors) FROM by_function')" \
		"$(truth calls)|$(truth calls)
$(truth errors)" "... all of them"
fi
done_testing
