# SPDX-License-Identifier: Apache-2.0
# cuaudit types: each function that headers declare is written, or named on standard error.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test -n "$PERL" || skip_all "no perl"

cuaudit=$top_builddir/bin/cuaudit
export CC
cd "$tmp" || exit 1

# of LINES...: what is written of a header of these lines, in of.types; messages in err
of() {
	printf '%s\n' "$@" >of.h
	status=0
	timeout 300 "$cuaudit" types --from of.h >of.types 2>err || status=$?
}
# taken NAME FUNCTIONS LINES...: all of them are, and nothing is said
taken() {
	taken_name=$1
	taken_functions=$2
	shift 2
	of "$@"
	is "$status $(cat err)" "0 " "$taken_name: without a word"
	is "$(sed -n 's/^function	\([^	]*\)	.*/\1/p' of.types | tr '\n' ' ')" "$taken_functions " "$taken_name: all of it"
}
# left NAME LINE...: the line's functions are named, what is behind it is taken
left() {
	left_name=$1
	shift
	of "$@" 'int behind(void);'
	is "$status $(sed -n 's/^function	\([^	]*\)	.*/\1/p' of.types)" "0 behind" "$left_name: left out, and what comes next is not"
	like "$(cat err)" "^cuaudit: .*/of\.h:1: left out, not understood: .*named" "$left_name: named, by file and line"
	like "$(cat err)" "^cuaudit: types: 1 of the headers' declarations is left out\$" "$left_name: counted"
}

taken "two in one" "a b" 'int a(void), b(void);'
is "$(sed 1d of.types)" "$(printf 'function\t%s\ti4 int\n' a b)" "two in one: each with what it returns"
taken "variables among them" "a b" 'extern int v, *a(int x), w[sizeof(int)], b(int (*c)(int), int d); static const int n = (3);'
like "$(cat of.types)" "function	a	ptr int \*	i4 x int" "variables among them: each with its own"
taken "attributes" "a b" 'int a(void) __attribute__((pure)), b(int *c) __attribute__((nonnull(1)));' \
	'int v __attribute__((aligned(8)));'
taken "a name in brackets" "a" 'int (a)(int b);'
taken "parameters of functions' types" "a" 'typedef struct { int b; } t;' 'int a(int b(int), int (t), int (*)(void));'
is "$(grep -c 'ptr b [^	]*	ptr arg2 [^	]*	ptr arg3 ' of.types)" 1 "parameters of functions' types: are pointers"
taken "what is defined in the header" "b d e" 'int a(int x) { if (x) { return 1; } return 0; } int b(void);' \
	'struct __attribute__((packed)) s { char c; long d; }; static int c(void) { return 0; }' \
	'struct s *x(void) { return 0; } int d(struct s *a);' 'inline int y(void) { return 0; } int e(void);'
taken "pointers to functions are variables" "a" 'int (*v)(int), (*w[2])(void); typedef int t(int); extern t *x;' 'int a(void);'

left "a pointer to a function is returned" 'void (*named(int n, void (*h)(int)))(int);'
left "a parameter's name in brackets" 'int named(int (a));'
left "attributes that change a type" 'int named(int a __attribute__((vector_size(16))));'
left "an array whose size is a parameter" 'int named(int n, int v[][n]);'
left "another symbol" 'int named(int a) __asm__("other");'
left "a function's type" 'typedef int t(int); t named;'
of 'int a(char a __attribute__((mode(SI))));' 'int b(void), (*c(void))(int);' 'int d(int (d));'
is "$status $(grep -c 'left out, not' err) $(tail -n 1 err)" \
	"0 3 cuaudit: types: 3 of the headers' declarations are left out" "several are counted"
of 'int a(int (a));'
is "$status $(grep -c 'left out, not' err) $(grep -c 'declares no functions' err)" "2 1 1" "nothing else: why is said"

# declares NAME FILE: what functions the compiler itself read in NAME, included by FILE, in declared
declares() {
	rm -f aux
	$CC -x c -w -std=gnu11 -fsyntax-only -aux-info aux "$2" 2>aux.err
	test -s aux && sed -n "s|^/\* \(.*/\)*$1:[0-9]*:[NO]C \*/ extern ||p" aux | sed 's/ *(.*//; s/.*[ *]//' | sort -u >declared
}
of 'int a(void), b(int x);' 'extern int c(char), v;' 'int *d(void), (e)(int);' '__extension__ int f(void); _Noreturn void g(void);' \
	'int h();'
if declares of.h of.h; then
	is "$(sed -n 's/^function	\([^	]*\)	.*/\1/p' of.types)" "$(cat declared)" "the compiler has read the same functions"
else
	skip 1 "$CC has no -aux-info"
fi
for header in stdio stdlib string; do
	echo "#include <$header.h>" >all.h
	path=$($CC -E all.h | sed -n "s/^# [0-9]* \"\(.*\/$header\.h\)\".*/\1/p" | head -n 1)
	timeout 300 "$cuaudit" types --from "$path" >of.types 2>err
	ok "$header.h: read" test "$(grep -c ^function of.types)" -gt 20
	if ! declares $header.h all.h; then
		skip 1 "$CC has no -aux-info"
		continue
	fi
	for name in $(cat declared); do
		grep -q "^function	$name	" of.types || grep -q "left out.*[^a-zA-Z0-9_]$name[^a-zA-Z0-9_]" err || echo "$name"
	done >silent
	is "$(grep -c . declared | sed 's/[0-9][0-9]*[0-9]/many/') $(cat silent)" "many " \
		"$header.h: each of $(grep -c . declared) functions is written, or named"
done
# A compiler that ends who called it.
mkdir "$tmp/scratch"
printf '#!/bin/sh\nkill -s "$END_BY" "$PPID"\n' >"$tmp/cc-that-ends"
chmod 755 "$tmp/cc-that-ends"
printf 'struct one { int a; };\nint one(struct one one);\n' >"$tmp/one.h"
for signal in HUP INT PIPE TERM; do
	status=0
	env CC="$tmp/cc-that-ends" END_BY=$signal TMPDIR="$tmp/scratch" "$cuaudit" types --from "$tmp/one.h" \
		-o "$tmp/one.types" 2>"$tmp/err" || status=$?
	is "$status $(ls -A "$tmp/scratch") $(ls "$tmp/one.types" 2>&1 >/dev/null | wc -l)" "2  1" \
		"ended by SIG$signal: no directory is left, and no file"
done
# What cannot be written, and what nothing would read.
status=0
"$cuaudit" types --from "$tmp/one.h" -o /dev/full >out 2>err || status=$?
is "$status $(cat err)" "2 cuaudit: types: what the headers declare cannot be written: No space left on device" \
	"a full disk"
awk 'BEGIN { for (i = 0; i < 30000; i++) print "int of_many_functions_" i "(int a);" }' >many.h
status=0
"$cuaudit" types --from many.h -o many.types >out 2>err || status=$?
is "$status $(ls many.types 2>&1 >/dev/null | wc -l) $(cat err)" \
	"2 1 cuaudit: types: what these headers declare is longer than 1 MiB, which is refused; give fewer of them" \
	"a file that would be refused is not written"
# A name that the preprocessor writes with a backslash.
printf 'int quoted(int a);\n' >'a "b\c.h'
taken_name="a header's name with a quote"
"$cuaudit" types --from 'a "b\c.h' >of.types 2>err
is "$? $(cat err)" "0 " "$taken_name: without a word"
like "$(cat of.types)" "^function	quoted	" "$taken_name: its functions"

# A header is no output.
printf 'int kept(int a);\n' >kept.h
ln -s kept.h link.h
for output in kept.h ./kept.h "$tmp/kept.h" link.h; do
	status=0
	timeout 300 "$cuaudit" types --from other.h --from kept.h -o "$output" >out 2>err || status=$?
	is "$status $(cat kept.h) $(cat err)" \
		"2 int kept(int a); cuaudit: $output: it is read, and would be written over; choose another name" "a header as output: $output"
done
done_testing
