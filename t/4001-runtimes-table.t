# SPDX-License-Identifier: Apache-2.0
# The runtimes of t/data/runtimes-counts.txt are the ones docs/runtimes.md lists, with those counts.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

ok "the table is made" sh "$top_srcdir/t/runtimes/table" "$top_srcdir/t/data/runtimes-counts.txt"
cp "$tmp/tap.out" "$tmp/table"
ok "it is not empty" test "$(grep -c '^| [a-z]' "$tmp/table")" -ge 10
is "$(sed -n '/^| Who asks/,/^$/p' "$top_srcdir/docs/runtimes.md")" "$(cat "$tmp/table")" \
	"the document has it"
done_testing
