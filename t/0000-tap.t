# SPDX-License-Identifier: Apache-2.0
# The harness: what must fail a test, and what must fail the suite, does.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

cat >"$tmp/t.c" <<-'END'
	#include "t/tap.h"

	int main(int argc, char **argv)
	{
		const char *mode = argc > 1 ? argv[1] : "";

		if (!strcmp(mode, "skip_all"))
			skip_all("no %s", "device");
		if (!strcmp(mode, "bail_out"))
			bail_out("gone");
		if (!strcmp(mode, "planned"))
			plan(9);
		if (!strcmp(mode, "none"))
			return done_testing();
		ok(strcmp(mode, "ok"), "one %d", 1);
		is_int(2, strcmp(mode, "is_int") ? 2 : 3, "two");
		is_str("a", strcmp(mode, "is_str") ? "a" : NULL, "three");
		is_ptr(argv, strcmp(mode, "is_ptr") ? argv : NULL, "four");
		skip(1, "no reason");
		return done_testing();
	}
END
warnings="-Wall -Wextra -Wshadow -Werror"
ok "tap.h compiles as C" compile $warnings -Wmissing-prototypes -Wstrict-prototypes \
	-o "$tmp/t" "$tmp/t.c"
ok "tap.h compiles as C++" $CXX $warnings -std=c++17 -x c++ -fsyntax-only -I"$top_srcdir" \
	"$tmp/t.c"
ok "good results are a success" "$tmp/t"
is "$("$tmp/t")" "ok 1 - one 1
ok 2 - two
ok 3 - three
ok 4 - four
ok 5 # SKIP no reason
1..5" "results print as TAP"
for mode in ok is_int is_str is_ptr planned none bail_out; do
	fails "C: $mode fails the program" "$tmp/t" $mode
done
is "$("$tmp/t" skip_all)" "1..0 # SKIP no device" "skip_all prints the reason"

# shell_test TEXT: the status of a shell test that says TEXT.
shell_test() {
	printf '. "$top_srcdir/t/lib.sh"\n%s\ndone_testing\n' "$1" >"$tmp/s.t"
	sh "$tmp/s.t"
}
ok "sh: good results" shell_test 'ok one true; is a a two; like "x
abc" "^a" three; unlike abc d four; fails five false; skip 1 why'
for text in 'ok one false' 'is a b one' 'like abc d one' 'unlike abc a one' \
	'unlike abc "(" one' 'fails one true' 'fails one sh -c "kill -9 \$\$"' \
	'plan 2; ok one true' ''; do
	fails "sh: \"$text\" fails the test" shell_test "$text"
done

# results FILE LINE...: what the driver leaves of a test.
results() {
	file=$tmp/$1.trs
	shift
	printf ':test-result: %s\n' "$@" >"$file"
}
echo 'b-.*: no (GPU|toolkit)' >"$tmp/expected"
summary() {
	sh "$top_srcdir/t/summary" "$tmp/expected" "$@"
}
results a-1 "PASS 1 - x" "PASS 2 - y"
results b-1 "PASS 1 - x" "SKIP 2 - y # SKIP no GPU"
results b-2 "SKIP - no toolkit"
results c-1 "SKIP - no GPU"
results d-1 "PASS 1 - x" "FAIL 2 - y"
results e-1 "ERROR - missing test plan"
: >"$tmp/f-1.trs"
is "$(summary "$tmp/a-1.trs" "$tmp/b-1.trs" "$tmp/b-2.trs")" \
	"3 passed, 0 failed, 2 skipped" "summary counts"
ok "an expected skip is no failure" summary "$tmp/a-1.trs" "$tmp/b-1.trs" "$tmp/b-2.trs"
fails "the same skip elsewhere is one" summary "$tmp/a-1.trs" "$tmp/c-1.trs"
like "$(summary "$tmp/a-1.trs" "$tmp/c-1.trs")" "unexpected skip: c-1: no GPU" \
	"it is named"
fails "a failed result is one" summary "$tmp/d-1.trs"
fails "an error is one" summary "$tmp/a-1.trs" "$tmp/e-1.trs"
fails "a test without results is one" summary "$tmp/a-1.trs" "$tmp/f-1.trs"
fails "a missing file is one" summary "$tmp/a-1.trs" "$tmp/none.trs"
fails "nothing but skips is one" summary "$tmp/b-2.trs"
fails "no list is one" sh "$top_srcdir/t/summary" "$tmp/none" "$tmp/a-1.trs"
done_testing
