# SPDX-License-Identifier: Apache-2.0
# Every row of the table printed, as recorded; printing with sanitizers.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

ok "all rows" $run_env "$top_builddir/t/3300-print" "$tmp/rows"
ok "are printed as recorded" diff "$top_srcdir/t/data/print-rows.txt" "$tmp/rows"
is "$(wc -l <"$tmp/rows")" "$(grep -c '^CUAPI' "$top_srcdir/include/cuaudit/driver_api.def")" \
	"each of them"

echo 'int main(void) { return 0; }' >"$tmp/none.c"
if compile -fsanitize=address,undefined -o "$tmp/none" "$tmp/none.c" >"$tmp/build" 2>&1 && "$tmp/none"; then
	compile -g -fsanitize=address,undefined -fno-sanitize-recover=all -pthread -o "$tmp/print" \
		"$top_srcdir/t/3300-print.c" "$top_srcdir"/print/*.c "$top_srcdir"/util/buffer.c "$top_srcdir"/util/globs.c \
		"$top_srcdir"/util/sort.c >"$tmp/build" 2>&1 || bail_out "$(cat "$tmp/build")"
	ok "sanitizers have nothing to say" "$tmp/print" "$tmp/rows"
	ok "the same text" diff "$top_srcdir/t/data/print-rows.txt" "$tmp/rows"
else
	skip 2 "no sanitizers here"
fi
done_testing
