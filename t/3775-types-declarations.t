# SPDX-License-Identifier: Apache-2.0
# cuaudit types: what compilers take in a declaration harms no other one of the header, and is written or named.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test -n "$PERL" || skip_all "no perl"

cuaudit=$top_builddir/bin/cuaudit
export CC
cd "$tmp" || exit 1
printf '#include <%s.h>\n' stdarg stddef stdint complex >includes.h
echo 'int good(int a);' >>includes.h
good='good	i4 int	i4 a int'
cp includes.h mixed.h
echo "$good" >mixed.want
number=0
left=0

# types_of HEADER: status, and functions with their types in written, messages in err. How lists of arguments are passed
# is of the architecture.
types_of() {
	status=0
	rm -f of.types
	timeout 300 "$cuaudit" types --from "$1" -o of.types 2>err || status=$?
	test ! -e of.types || sed -n 's/^function	//p' of.types |
		sed 's/[a-z0-9]* \(v [_a-z]*va_list\)$/KIND \1/' | LC_ALL=C sort >written
}
# takes DECLARATION FUNCTION...: what is written of it. Those that are left out are named left, the others bad.
takes() {
	declaration=$1
	shift
	{ cat includes.h && printf '%s\n' "$declaration"; } >one.h
	if ! $CC -std=gnu11 -w -fsyntax-only -x c one.h 2>build.out; then
		refuses "$declaration"
		return
	fi
	number=$((number + 1))
	names=$(echo "$declaration" | grep -c 'left[0-9]*\(;\|(\)')
	left=$((left + names))
	types_of one.h
	is "$status $(grep -c '^cuaudit: .*one.h:6: left out, not understood: .*left' err) $(grep -vc 'left out' err)" \
		"0 $names 0" "$declaration: named is what is left out"
	is "$(cat written)" "$(printf '%s\n' "$@" "$good" | LC_ALL=C sort)" "... and written all else"
	printf '%s\n' "$declaration" | sed "s/\(bad\|left\)/\1${number}x/g" >>mixed.h
	printf '%s\n' "$@" | sed "s/^bad/bad${number}x/" >>mixed.want
}
# refuses DECLARATION: so does the compiler
refuses() {
	{ cat includes.h && printf '%s\n' "$1"; } >one.h
	types_of one.h
	is "$status $(grep -c . err) $(grep -c 'one.h:.* error: ' err)" "2 1 1" "$1: the compiler's first error, in a line"
	ok "... and no file" test ! -e of.types
}

takes 'int bad(float _Complex z);' 'bad	i4 int	...'
takes 'int bad(double complex z, int b);' 'bad	i4 int	...'
takes 'int bad(int b[][3]);' 'bad	i4 int	ptr b __typeof__(int (*)[3])'
takes 'int bad(int b[2][3]);' 'bad	i4 int	ptr b __typeof__(int (*)[3])'
takes 'int bad(int a __attribute__((unused)));' 'bad	i4 int	i4 a int'
takes 'int bad(__attribute__((unused)) int a);' 'bad	i4 int	i4 a int'
takes 'int bad(int a [[maybe_unused]]);' 'bad	i4 int	i4 a int'
takes 'int bad(_Float16 h);' 'bad	i4 int	...'
takes 'int bad(__int128 z);' 'bad	i4 int	...'
takes 'int bad(int n, int v[n]);' 'bad	i4 int	i4 n int	ptr v int *'
takes 'int bad(const int c[static 4]);' 'bad	i4 int	ptr c const int *'
takes 'int bad(struct undefined s);' 'bad	i4 int	...'
takes 'int bad(struct {int a;} *s);' 'bad	i4 int	...'
takes 'int bad(union {int a; float b;} u);' 'bad	i4 int	...'
takes 'int bad(enum {P=1, Q} e);' 'bad	i4 int	...'
takes 'int bad(int (*cb)(int, void*), void *u);' 'bad	i4 int	ptr cb __typeof__(int (*)(int, void *))	ptr u void *'
takes 'int bad(int cb(int));' 'bad	i4 int	ptr cb __typeof__(int (*)(int))'
takes 'int bad(void (*(*cb)(int))(void));' 'bad	i4 int	ptr cb __typeof__(void (*(*)(int))(void))'
takes 'int bad(int *restrict const volatile p);' 'bad	i4 int	ptr p int *restrict const volatile'
takes 'int bad(register int a);' 'bad	i4 int	i4 a int'
takes 'int bad(char *(*p)[3]);' 'bad	i4 int	ptr p __typeof__(char *(*)[3])'
takes 'int bad(__typeof__(int) a);' 'bad	i4 int	i4 a __typeof__(int)'
takes 'int bad(_Atomic int a);' 'bad	i4 int	i4 a _Atomic int'
takes 'int bad(_Atomic(int) a);' 'bad	i4 int	i4 a _Atomic(int)'
takes 'int bad(unsigned a, long unsigned int b, long long signed c);' \
	'bad	i4 int	u4 a unsigned	u8 b long unsigned int	i8 c long long signed'
takes 'int bad(struct tag {int a;} s);' 'bad	i4 int	...'
refuses 'int bad(_Alignas(16) int a);'
takes 'int bad(int size_t);' 'bad	i4 int	i4 size_t int'
takes '_Complex double bad(void);' 'bad	? _Complex double'
takes 'const char *const bad(void);' 'bad	str const char *const'
takes 'void *(bad)(int);' 'bad	ptr void *	i4 arg1 int'
takes 'int __attribute__((noinline)) bad(int);' 'bad	i4 int	i4 arg1 int'
takes 'extern int bad(int) __attribute__((deprecated("x, y)")));' 'bad	i4 int	i4 arg1 int'
takes 'int bad(va_list v);' 'bad	i4 int	KIND v va_list'
takes 'int bad(__builtin_va_list v);' 'bad	i4 int	KIND v __builtin_va_list'
takes 'int bad(wchar_t *w);' 'bad	i4 int	ptr w wchar_t *'
takes 'int bad(int a), bad2(int b);' 'bad	i4 int	i4 a int' 'bad2	i4 int	i4 b int'
takes 'static inline int bad(int a) { return a; } int bad3(int);' 'bad3	i4 int	i4 arg1 int'
takes '_Static_assert(1, "; int x("); int bad(int);' 'bad	i4 int	i4 arg1 int'
takes '_Noreturn void bad(int);' 'bad	void void	i4 arg1 int'
takes 'int bad(long double a, int b);' 'bad	i4 int	...'
takes 'typedef int v4 __attribute__((vector_size(16))); int bad(v4 a);' 'bad	i4 int	...'
takes 'typedef int fn(int); int bad(fn f); fn left4;' 'bad	i4 int	ptr f fn'

takes 'int bad(int (*(*a)[3])(int), int (*b[2])(int), int (*c[2])[3], int d[2][sizeof(int[4])], char *e[2][3]);' \
	"bad	i4 int	ptr a __typeof__(int (*(*)[3])(int))	ptr b __typeof__(int (**)(int))	ptr c __typeof__(int (**)[3])	$(:
		)ptr d __typeof__(int (*)[sizeof(int[4])])	ptr e __typeof__(char *(*)[3])"
takes 'int bad(int *_Atomic a);' 'bad	i4 int	ptr a int *_Atomic'
takes 'int left(a, b) int a; long b; { return a; } int bad(int);' 'bad	i4 int	i4 arg1 int'
takes 'int bad(int a) { int helper(int); return helper(a); } int bad2(int a);' 'bad2	i4 int	i4 a int'
takes 'extern int v; int *w = &v; void (*(*x)(int))(void), *(*y[2])(int), (*z)(void); int bad(int);' \
	'bad	i4 int	i4 arg1 int'
takes 'struct list { int a : 3; }; typedef struct { union { float f; }; } before; int bad(struct list *l, before b);' \
	'bad	i4 int	ptr l struct list *	m4:f b before'
takes 'enum { PASSED = 1, KIND }; int passed(int); int main(int argc, char **argv);' \
	'main	i4 int	i4 argc int	ptr argv char **' 'passed	i4 int	i4 arg1 int'
takes 'enum fwd; int bad(enum fwd *e, const volatile char *const *volatile *p, unsigned __int128);' \
	'bad	i4 int	ptr e enum fwd *	ptr p const volatile char *const *volatile *	...'
takes '__extension__ typedef struct { _Alignas(8) char c; } al; __asm__(""); int bad(al a, float _Complex);' \
	'bad	i4 int	m8:i a al	...'
takes 'int bad(struct later *p); struct later { int a; }; int bad2(struct later p);' \
	'bad	i4 int	ptr p struct later *' 'bad2	i4 int	m4:i p struct later'
takes 'struct [[deprecated]] s { int a; }; int bad([[maybe_unused]] struct s a, int b [[maybe_unused]] [3]) [[a::b]];' \
	'bad	i4 int	m4:i a struct s	ptr b int *'
takes '[[gnu::pure]] int bad(void); __typeof__(int) bad2(void); unsigned __int128 bad3(void);' \
	'bad	i4 int' 'bad2	i4 __typeof__(int)' 'bad3	? unsigned __int128'
takes "enum { OPEN = '(', QUOTE = '\\'' }; static inline int f(int c) { return c == '}' || c == '\"'; } int bad(int);" \
	'bad	i4 int	i4 arg1 int'
takes 'int bad(int a); int left(int (a));' 'bad	i4 int	i4 a int'
takes 'int bad(int a); int left(__attribute__((mode(DI))) char a);' 'bad	i4 int	i4 a int'
takes 'int bad(int a); int left(int n, int v[][n]);' 'bad	i4 int	i4 a int'
takes 'int bad(int a); int left(int a) __asm__("other");' 'bad	i4 int	i4 a int'
refuses 'int bad(int a); none left(int a);'

types_of mixed.h
is "$status $(grep -c 'left out, not understood: .*left[0-9]*x' err) $(grep -vc 'mixed.h:[0-9]*: left out, not' err)" \
	"0 $left 1" "all $number in a header: each that is left out is named"
is "$(tail -n 1 err)" "cuaudit: types: $left of the headers' declarations are left out" "... and counted"
LC_ALL=C sort mixed.want >want
ok "... and the others are written as alone" diff -u want written
done_testing
