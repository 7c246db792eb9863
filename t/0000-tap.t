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

# The driver's results of some tests, and their sum.
mkdir -p "$tmp/d/t"
drive() {
	drive_name=$1
	printf '%s\n' "$2" >"$tmp/d/t/$drive_name.t"
	sh "$top_srcdir/build-aux/tap-driver.sh" --test-name "t/$drive_name.t" \
		--log-file "$tmp/d/t/$drive_name.log" --trs-file "$tmp/d/t/$drive_name.trs" \
		--merge --comments -- sh "$tmp/d/t/$drive_name.t" >"$tmp/driver.out" 2>&1
}
echo 'b-.*: no (GPU|toolkit)' >"$tmp/expected"
unset MUST_RUN
summary() {
	for summary_name; do
		set -- "$@" "$tmp/d/t/$summary_name.trs"
		shift
	done
	sh "$top_srcdir/t/summary" "$tmp/expected" "$@"
}
drive a-1 'echo 1..2; echo ok 1 - x; echo ok 2 - y'
drive b-1 'echo 1..2; echo ok 1 - x; echo "ok 2 - y # SKIP no GPU"'
drive b-2 'echo "1..0 # SKIP no toolkit"'
drive b-3 'echo 1..2; echo ok 1; echo "ok 2 # SKIP no GPU or so"'
drive c-1 'echo "1..0 # SKIP no GPU"'
drive d-1 'echo 1..2; echo ok 1; echo not ok 2'
drive e-1 'echo ok 1'
drive f-1 'echo 1..1; echo ok 1; exit 1'
: >"$tmp/d/t/g-1.trs"
is "$(summary a-1 b-1 b-2)" "3 passed, 0 failed, 2 skipped" "summary counts"
ok "an expected skip is no failure" summary a-1 b-1 b-2
fails "the same skip elsewhere is one" summary a-1 c-1
like "$(summary a-1 c-1)" "^unexpected skip: c-1: no GPU\$" "it is named"
fails "a reason that says more is another" summary b-3
like "$(summary b-3)" "^unexpected skip: b-3: no GPU or so\$" "so is it"
fails "a failed result is a failure" summary a-1 d-1
fails "no plan is one" summary a-1 e-1
fails "an exit status is one" summary a-1 f-1
fails "a test without results is one" summary a-1 g-1
fails "a missing file is one" summary a-1 none
fails "nothing but skips is one" summary b-2
cat >>"$tmp/expected" <<'END'

[packages]
c-.*: no GPU
[others]
b-3: no GPU or so
END
ok "what a part expects is expected" summary a-1 b-1 b-3 c-1
must() {
	MUST_RUN=$1
	export MUST_RUN
	shift
	summary "$@" 2>&1
}
fails "but where that part must run" must packages a-1 c-1
like "$(must packages a-1 c-1)" '^unexpected skip: c-1: no GPU$' "it is named"
ok "others' parts do not matter" must packages a-1 b-1 b-3
ok "nor lines before all parts" must "packages others" a-1 b-1
fails "two parts" must "packages others" a-1 b-3
fails "a part that there is not" must "packages nothing" a-1
like "$(must "packages nothing" a-1)" 'has no part \[nothing\], which MUST_RUN names$' "it is named"
unset MUST_RUN
rm "$tmp/d/t/b-2.log"
fails "a skip without its reason is one" summary a-1 b-2
rm "$tmp/expected"
fails "no list is one" summary a-1

is "$(CUAUDIT_LOG=debug CUAUDIT_TEST_X="a  b" sh -c '. "$top_srcdir/t/lib.sh"
	echo "${CUAUDIT_LOG-}$CUAUDIT_TEST_X"; env | grep ^CUAUDIT_')" "a  b" \
	"the caller's variables reach no audited program, those of tests reach the test"
done_testing
