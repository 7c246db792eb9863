# SPDX-License-Identifier: Apache-2.0
# cuaudit types: headers' functions have names and types, and files that cannot be right are refused.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"
test -n "$PERL" || skip_all "no perl"

here=$top_srcdir/t/types
cuaudit=$top_builddir/bin/cuaudit
export CC
cd "$tmp" || exit 1
compile -w -shared -fPIC -o libcomm.so.2 -Wl,-soname,libcomm.so.2 "$here/comm.c" &&
	compile -w -o uses "$here/uses.c" -L. -l:libcomm.so.2 -Wl,-rpath,"$tmp" || bail_out "cannot build"
$run_env ./uses >native
is "$(cat native)" "0 bad" "the program itself"

# what is written
ok "a header is read" "$cuaudit" types --from "$here/comm.h" --output comm.types
# Members of one floating-point type have a register each there.
test "$($CC -dumpmachine | cut -d - -f 1)" = aarch64 && pair=m8:ff || pair=m8:f
sed "s/m8:f /$pair /" "$here/comm.types" >want.types
ok "its types are as expected" diff -u want.types comm.types
"$cuaudit" types --from "$here/comm.h" >stdout.types
ok "to standard output the same" cmp comm.types stdout.types
mkdir include
printf '#include <inner.h>\n#ifdef __cplusplus\nextern "C" {\n#endif\n%s\n#ifdef __cplusplus\n}\n#endif\n' \
	'inner_t f(enum inner_kind kind), g(void); inner_t h(enum inner_kind);' >outer.h
printf '#pragma once\ntypedef short inner_t; enum inner_kind { INNER = 1 };\n' >include/inner.h
"$cuaudit" types --from outer.h --include include >outer.types
is "$(cat outer.types)" "$(printf 'cuaudit-types\t1\n' && printf 'function\t%b\n' \
	'f\ti2 inner_t\tu4 kind enum inner_kind' 'g\ti2 inner_t' 'h\ti2 inner_t\tu4 arg1 enum inner_kind')" \
	"a header's own functions, and enumerations alone that it declares"
"$cuaudit" types --from include/inner.h --from outer.h --include include >outer.types
like "$(cat outer.types)" "function	h	i2 inner_t	e4 arg1 enum inner_kind" "two headers"
printf '%s\n' 'struct { int a; } one(int b);' 'int two(int a, union { int b; } *c, int d);' \
	'const enum { NONE } three(int a);' 'struct tag { int a; } *four(const struct tag *b);' >unnamed.h
"$cuaudit" types --from unnamed.h >unnamed.types
is "$(cat unnamed.types)" "$(printf '%s\t%s\n' cuaudit-types 1 && printf 'function\t%b\n' \
	'four\tptr struct tag *\tptr b const struct tag *' 'one\t? struct\t...' 'three\t? const enum\t...' \
	'two\ti4 int\ti4 a int\t...')" "what has no name is left out, and nothing else"
ok "and such a file is understood" env CUAUDIT_TYPES=unnamed.types "$cuaudit" run true

# of NAME LINES...: what is written of a header of these lines, in of.types
of() {
	of_name=$1
	shift
	printf '%s\n' "$@" >of.h
	status=0
	timeout 300 "$cuaudit" types --from of.h >of.types 2>err || status=$?
	is "$status $(cat err)" "0 " "$of_name: read, without a word"
}
of "tags that a list of parameters declares" 'struct own { int a; };' 'int a(int a, struct none *b, int c);' \
	'int b(int a, struct { int x; } *b), c(int a);' 'int d(int a, struct gone { int x[9]; } b, int c);' \
	'int e(int a, enum gone_too { GONE } b);' 'int f(int a, const union none b);' 'int g(int a, enum none b);' \
	'int h(int a, struct own { long a[9]; } b);' 'int i(int a, struct with { long a; } *b, int c);' \
	'struct outer { struct inner { long a[4]; } a; };' 'int j(struct inner a, struct outer b, int c);' \
	'struct result { long a[4]; } *k(const struct result *a, struct result b);'
is "$(cat of.types)" "$(printf '%s\t%s\n' cuaudit-types 1 && printf 'function\t%b\n' \
	'a\ti4 int\ti4 a int\tptr b struct none *\ti4 c int' 'b\ti4 int\ti4 a int\t...' 'c\ti4 int\ti4 a int' 'd\ti4 int\ti4 a int\t...' \
	'e\ti4 int\ti4 a int\t...' 'f\ti4 int\ti4 a int\t...' 'g\ti4 int\ti4 a int\t...' \
	'h\ti4 int\ti4 a int\t...' 'i\ti4 int\ti4 a int\tptr b struct with *\ti4 c int' \
	'j\ti4 int\tm32 a struct inner\tm32 b struct outer\ti4 c int' \
	'k\tptr struct result *\tptr a const struct result *\tm32 b struct result')" \
	"only what is passed by value by such a tag is not known"
of "more of them than a compiler reports at once" $(seq 60 | sed 's/.*/int f&(struct s& a);/')
is "$(grep -c '^function	f[0-9]*	i4 int	\.\.\.$' of.types)" 60 "... all of them"
of "no prototype" 'int old();' 'int comment(/** none */);' 'int none(void);'
is "$(sed 1d of.types)" "$(printf 'function\t%b\n' 'comment\ti4 int\t...' 'none\ti4 int' 'old\ti4 int\t...')" \
	"without a prototype nothing is known of parameters"
nested="struct s { $(printf 'struct { %.0s' $(seq 3000)) int a; $(seq -f '} m%g;' 3000 | tr '\n' ' ') };"
echo "$nested" >nested.h
if $CC -x c -std=gnu11 -fsyntax-only nested.h >build.out 2>&1; then
	of "3000 structures, each in the next" "$nested" 'int f(struct s *a);'
	is "$(sed 1d of.types)" 'function	f	i4 int	ptr a struct s *' "... and a function behind them"
else
	like "$(cat build.out)" "nest|depth" "the compiler nests fewer structures"
	ok "... so that there is nothing to read" test -s build.out
fi

# faulty MESSAGE NAME ARGUMENTS...: the command ends with status 2, says MESSAGE, and writes nothing
faulty() {
	faulty_message=$1
	faulty_name=$2
	shift 2
	status=0
	"$cuaudit" types "$@" --output none.types >out 2>err || status=$?
	is "$status $(ls none.types 2>&1 | grep -c 'No such')" "2 1" "$faulty_name: status, and no file"
	like "$(cat err)" "$faulty_message" "$faulty_name: and why"
}
faulty 'types takes headers' "no header"
faulty 'no.h: No such file' "a header that is not there" --from no.h
echo 'enum { ONE };' >empty.h
faulty 'declares no functions' "no functions" --from empty.h
echo 'missing_t f(int a);' >broken.h
faulty 'cannot compile' "an unknown type" --from broken.h
echo 'int f(int a' >broken.h
faulty 'never closed|without an end' "half a declaration" --from broken.h
faulty 'inner.h' "an include that is not found" --from outer.h

# typed [VARIABLE=VALUE...]: the program, its report in report
typed() {
	status=0
	rm -f report*
	audited CUAUDIT_PROVIDERS='libcomm.so.*' CUAUDIT_TYPES="${types-comm.types}" CUAUDIT_OUTPUT="$tmp/report" \
		timeout 300 env "$@" ./uses >out 2>err || status=$?
	is "$status $(cat out)" "0 0 bad" "the program is well"
}
# calls: name and arguments of each in its report, without what is different in each run
calls() {
	sed -n 's/^.*libcomm\.so\.2:\(comm[A-Za-z]*(.*)\)\( = .*\)* <.*/\1\2/p' \
		report* | sed 's/values = 0x[0-9a-f]*/values = ADDRESS/'
}
typed CUAUDIT_HOOKS='trace(text=yes)'
is "$(calls)" "$(cat "$here/calls")" "text: names, numbers, enumerators, strings as far as they are there"
typed CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace)"
"$cuaudit" convert --symbols no --to text a.cutrace >report
is "$(calls)" "$(cat "$here/calls")" "a trace has the same"
"$cuaudit" convert --symbols no --bare --to text a.cutrace >report
is "$(calls)" "$(sed 's/(.*) =/(...) =/; s/^\(comm\(End\|Version\)\)(...)/\1()/' "$here/calls")" "and without arguments the same results"
"$cuaudit" convert --symbols no --to jsonl a.cutrace >lines
like "$(cat lines)" '"arguments":\{"comm":null,"ranks":2,"rank":1,"config":null\}' "JSON: numbers and addresses"
like "$(cat lines)" '"arguments":\{"arg1":"0xc0","format":"abc...","...":"[?]"\}' "JSON: strings"
like "$(cat lines)" '"result":"\\"lost\\"","arguments":\{"result":"commLost"\}' "JSON: a text that was returned"
like "$(cat lines)" '"type":99,"op":"commOpLast",' "JSON: enumerators, and what is none"
like "$(cat lines)" '"small":-1,"byte":255,"word":-2,"number":4000000000,"wide":-5,"flag":true,' "JSON: signs"
like "$(cat lines)" '"first":2.5,"second":0.5,"count":2,"more":null\}' "JSON: what vector registers had, beside a result in one"
"$cuaudit" convert --symbols no --to csv a.cutrace >lines
like "$(cat lines)" 'factor = 1.5, by = -0.25, name = ""s"", after = 9' "CSV: the same"
like "$(cat lines)" ',"""a \\""text\\"", of.ntwo lines""",,"which = 1",' "CSV: a text that was returned"
like "$(cat lines)" '"send = 0x1000, receive = NULL, count = 4096, type = commFloat, op = commSum, comm = 0xc0, ' "CSV"
sed -n 's/^.*) = //p' "$here/calls" | grep -v returned | sort -u >results
# has FORMAT: each result of calls is in the lines that were found in FORMAT
has() {
	ok "$1: has each result" test "$(cat results)" = "$(sort -u of.format)"
}
"$cuaudit" convert --symbols no --to otlp a.cutrace |
	$PERL -ne 'while (/"cuda.result","value":\{"stringValue":("(?:[^"\\]|\\.)*")/g) { print eval($1), "\n" }' >of.format
has otlp
"$cuaudit" convert --symbols no --to chrome a.cutrace |
	$PERL -ne 'if (/"result":("(?:[^"\\]|\\.)*")/) { $_ = eval $1; print "$_\n" if $_ ne "returned" }' >of.format
has chrome
if "$cuaudit" convert --symbols no --to perfetto a.cutrace >a.pftrace 2>err || ! grep -q 'without protobuf-c' err; then
	$PERL "$top_srcdir/t/convert/perfetto.pl" a.pftrace 2>err >perfetto
	sed -n 's/^result \(.*\) [0-9]*$/\1/p' perfetto | grep . >of.format
	has perfetto
	is "$(sed -n 's/^argument arguments[.][.][.][.] //p' perfetto)" 5 "perfetto: what is behind ... of five calls"
else
	skip 2 "no protobuf-c"
fi
if "$cuaudit" convert --symbols no --to sqlite -o a.sqlite a.cutrace 2>err && "$PYTHON3" -c 'import sqlite3' 2>>err; then
	"$PYTHON3" -c 'import sqlite3
for value, in sqlite3.connect("a.sqlite").execute("SELECT value FROM arguments WHERE name = ?", ("return",)):
    print(value)' >of.format
	has sqlite
	is "$("$PYTHON3" -c 'import sqlite3
print(*sqlite3.connect("a.sqlite").execute("SELECT count(*) FROM call WHERE result IS NOT NULL").fetchone())')" 0 \
		"sqlite: a result that is no CUresult is none there"
else
	skip 2 "no sqlite3"
fi
"$cuaudit" convert --symbols no --to ctf -o a.ctf a.cutrace
if command -v babeltrace2 >babel; then
	babeltrace2 a.ctf >out
	sed -n 's/^.*_exit: .*arguments = { return = \(.*\), not_recorded.*/\1/p; s/^.*_exit: .*arguments = { return = "\(.*\)" } }$/\1/p' out |
		sed 's/0x0/NULL/; s/ABC$/abc/' | grep -v text >of.format
	sed 's/^"\(.*\)"$/\1/' results | grep -v text | sort -u >given && mv given results
	has ctf
else
	skip 1 "no babeltrace2"
fi

# What is behind "..." is said to be there, of five calls of commLog; behind 16 parameters, of commMany, nothing is.
for format in jsonl csv otlp chrome; do
	"$cuaudit" convert --symbols no --to $format a.cutrace >of.$format
done
like "$(cat of.jsonl)" '"o":15,"p":16,"q":17}' "JSON: the 17th parameter"
like "$(cat of.jsonl)" '"format":"rank %d","...":"[?]"}' "JSON: others, of a variadic function"
unlike "$(grep -v 'commLog' of.jsonl)" '"\.\.\."' "JSON: and none where all are known"
like "$(cat of.csv)" ' o = 15, p = 16, q = 17"' "CSV: the 17th parameter"
like "$(cat of.csv)" 'format = ""rank %d"", \.\.\."' "CSV: others"
is "$(grep -o '"cuda.argument....","value":{"stringValue":"?"}' of.otlp | grep -c .)" 5 "otlp: others"
is "$(grep -c '"...":"?"' of.chrome)" 5 "chrome: others"
test ! -e a.sqlite || is "$("$PYTHON3" -c 'import sqlite3
print(*sqlite3.connect("a.sqlite").execute("SELECT count(*), max(value) FROM arguments WHERE name = ?", ("...",)).fetchone())')" \
	"5 ?" "sqlite: others"
test ! -s babel || like "$(cat out)" 'commMany_entry: .* p = 16, q = 17, not_recorded = "" ' "ctf: the 17th parameter"

# answered FUNCTION ACTION RESULT: what is printed where a hook answers with 7
answered() {
	rm -f report* a.cutrace
	for how in text=yes "file=$tmp/a.cutrace"; do
		audited CUAUDIT_PROVIDERS='libcomm.so.*' CUAUDIT_TYPES=comm.types CUAUDIT_OUTPUT="$tmp/report" \
			CUAUDIT_HOOKS="fault(inject=libcomm.so.2:$1:$2=7),trace($how)" ./uses >out 2>err
	done
	like "$(cat report*.trace)" "$1\(.*\) = $3 <" "$1, $2: printed"
	like "$("$cuaudit" convert --symbols no --to text a.cutrace)" "$1\(.*\) = $3 .*<" "$1, $2: and in a trace"
}
answered commWide error 7
answered commWide result -8589934585
answered commSame error 0x7
answered commMean error '[?]'
answered commMean result 1.5
answered commHalf error '[?]'
answered commReduce error 7
answered commReduce result 7
answered commText error 0x7
typed CUAUDIT_HOOKS='fault(inject=libcomm.so.2:commEnd:error=0),trace(text=yes)'
like "$(cat report*)" 'commReduce\(send = 0x1000' "two hooks"
rm -f report*
audited CUAUDIT_PROVIDERS='libcomm.so.*' CUAUDIT_TYPES=comm.types CUAUDIT_OUTPUT="$tmp/report" \
	CUAUDIT_HOOKS='fault(inject=libcomm.so.2:commScale:error=0)' ./uses >out 2>err
like "$(cat report* err)" 'commScale\(factor = 1.5, by = -0.25, name = "s", after = 9\) is not called but returns commOk' \
	"fault: what vector registers hold"
rm -f report*
audited CUAUDIT_PROVIDERS='libcomm.so.*' CUAUDIT_TYPES=comm.types CUAUDIT_OUTPUT="$tmp/report" \
	CUAUDIT_HOOKS='fault(inject=libcomm.so.2:commReduce:error=commLost:when=1),trace(text=yes)' ./uses >out 2>err
like "$(cat report*.trace)" 'commReduce\(send = 0x1000, .* = commLost <skipped>' "fault: an answer by its name"
like "$(cat report*.fault err)" 'commReduce.* is not called but returns commLost$' "fault: which is printed"
# injects NAME MESSAGE: the program is not started
injects() {
	status=0
	CUAUDIT_PROVIDERS='libcomm.so.*' CUAUDIT_TYPES=comm.types CUAUDIT_HOOKS="fault(inject=$1)" "$cuaudit" run ./uses \
		>out 2>err || status=$?
	is "$status $(cat out)" "2 " "$1: the program is not started"
	like "$(cat err)" "$2" "$1: and why"
}
injects libcomm.so.2:commReduce:error=commLots "not 'commLots'; did you mean commLost[?]"
injects libcomm.so.2:commReduce:error=commFloat "not 'commFloat'"
injects cuInit:error=commLost "not 'commLost'"
for hooks in stat trace,stat 'trace(args=no)' coverage; do
	typed CUAUDIT_HOOKS="$hooks"
done

# functions that are in no file
grep -v 'commReduce' comm.types >less.types
types=less.types
typed CUAUDIT_HOOKS='trace(text=yes)'
like "$(calls)" 'commReduce\(0x1000, 0x0, 0x1000, 0x7, 0x0, 0xc0, \.\.\.\)' "words"
like "$(calls)" 'commInit\(comm = NULL, ranks = 2' "and names beside them"
types="$tmp/less.types:outer.types:"
typed CUAUDIT_HOOKS='trace(text=yes)'
like "$(calls)" 'commInit\(comm = NULL, ranks = 2' "several files"
# Each size of a structure that is passed in memory, by itself on the stack before what else is there.
{
	for words in 3 4 5; do
		echo "struct words$words { long word[$words]; };"
		echo "int behind$words(struct words$words own, int a, int b, int c, int d, int e, int f, int g, int h);"
	done
} >behind.h
{
	echo '#include "behind.h"'
	sed -n 's/^\(int behind.*\);$/\1 { return a + b + c + d + e + f + g + h + (int)own.word[2]; }/p' behind.h
} >behind.c
{
	echo '#include "behind.h"'
	echo 'int main(void) { return 0'
	for words in 3 4 5; do
		echo "+ behind$words((struct words$words){ { 91, 92, 93 } }, 1, 2, 3, 4, 5, 6, 7, 8)"
	done
	echo '!= 3 * (93 + 36); }'
} >behind-main.c
compile -shared -fPIC -o libbehind.so behind.c && compile -o behind behind-main.c -L. -lbehind -Wl,-rpath,"$tmp" &&
	"$cuaudit" types --from behind.h >behind.types || bail_out "cannot build"
rm -f report*
audited CUAUDIT_PROVIDERS=libbehind.so CUAUDIT_TYPES=behind.types CUAUDIT_HOOKS='trace(text=yes)' \
	CUAUDIT_OUTPUT="$tmp/report" ./behind >out 2>err || status=$?
is "$(sed -n 's/^.*libbehind\.so:\(behind.(.*)\) = .*/\1/p' report*)" "$(for words in 3 4 5; do
	echo "behind$words(own = {...}, a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8)"
done)" "what is on the stack behind a structure"

# refused NAME MESSAGE [FILES]: not understood, and the program is not started
refused() {
	status=0
	CUAUDIT_PROVIDERS='libcomm.so.*' CUAUDIT_TYPES="${3-bad.types}" "$cuaudit" run ./uses >out 2>err || status=$?
	is "$status $(cat out)" "2 " "$1: the program is not started"
	like "$(cat err)" "CUAUDIT_TYPES: .*: $2" "$1: and why"
}
# bad NAME MESSAGE LINES...: each a line of a file
bad() {
	bad_name=$1
	bad_message=$2
	shift 2
	printf '%b\n' "$@" >bad.types
	refused "$bad_name" "$bad_message"
}
head='cuaudit-types\t1'
refused "no such file" "it is not there|no such file|No such file" none.types
: >bad.types
refused "empty" "ends within a line"
bad "another file" "line 1 is not a file of types" '#include <stdio.h>'
bad "another version" "line 1 is of another version" 'cuaudit-types\t2'
bad "another line" "line 2 has a line that is none of" "$head" 'fuction\tf\tvoid void'
bad "no result" "line 2 has a function without a result" "$head" 'function\tf'
bad "no name" "line 2 has a function without a name" "$head" 'function\t2f\tvoid void'
bad "a kind" "line 3 has a type of a kind" "$head" 'function\tf\tvoid void' 'function\tg\tvoid void\ti3 a int'
bad "a size" "line 2 has a type of a kind" "$head" 'function\tf\tvoid void\ti99999999999999999999 a int'
bad "a parameter" "line 2 has a parameter that is not KIND NAME TYPE" "$head" 'function\tf\tvoid void\ti4 a'
bad "behind all" 'line 2 has parameters behind "\.\.\."' "$head" 'function\tf\tvoid void\t...\ti4 a int'
bad "an enumerator" "line 2 has an enumerator" "$head" 'enum\te\tA=x'
bad "no enumeration" "names an enumeration that it does not have" "$head" 'function\tf\te4 e'
bad "a function twice" "has a function twice" "$head" 'function\tf\tvoid void' 'function\tg\tvoid void' 'function\tf\ti4 int'
bad "an enumeration twice" "has an enumeration twice" "$head" 'enum\te\tA=1' 'enum\te\tA=1'
bad "control characters" "line 2 has a parameter that is not" "$head" 'function\tf\tvoid void\ti4 a in\033[31mt'
printf "$head\nfunction\tf\tvoid void" >bad.types
refused "cut short" "ends within a line"
printf "$head\nfunction\tf\0\tvoid void\n" >bad.types
refused "a NUL" "holds a NUL"
{ printf "$head\n"; yes 'enum	e	A=1' | head -n 100000; } >bad.types
refused "huge" "is longer than 1 MiB"
refused "a directory" "" .
refused "twice in two files" "has commEnd, as a file before it does" comm.types:less.types
refused "too many" "is one of more than 16" "$(seq 17 | sed 's/.*/none&.types/' | while read -r name; do
	printf "$head\nfunction\t%s\tvoid void\n" "${name%.types}" >"$name"
	printf '%s:' "$name"
done)"

# without the command
types=bad.types
printf "$head\nfunction\n" >bad.types
typed CUAUDIT_HOOKS='trace(text=yes)'
like "$(cat err)" "CUAUDIT_TYPES: bad.types: line 2 .*; arguments of its functions are printed as words" "said"
like "$(calls)" 'commReduce\(0x1000, ' "and done"
status=0
audited CUAUDIT_STRICT=1 CUAUDIT_PROVIDERS='libcomm.so.*' CUAUDIT_TYPES=bad.types ./uses >out 2>err || status=$?
is "$status" 85 "strict: the process ends"

# doctor
CUAUDIT_DRIVER=sim CUAUDIT_PROVIDERS='libcomm.so.*' CUAUDIT_TYPES=comm.types "$cuaudit" doctor ./uses >out 2>err
like "$(cat out)" "^ok       CUAUDIT_TYPES=comm.types: .*: 19 functions\$" "doctor: how many functions there are types of"
like "$(cat out)" "^ok       CUAUDIT_PROVIDERS takes $tmp/libcomm.so.2, of whose 19 functions " "doctor: a library that is taken"
unlike "$(cat out)" 'is one of CUAUDIT_PROVIDERS' "doctor: and not that none is, whichever is the last"
CUAUDIT_DRIVER=sim CUAUDIT_PROVIDERS='libother.so.*' "$cuaudit" doctor ./uses >out 2>err
like "$(cat out)" "^warning  no library that .*/uses is linked with is one of CUAUDIT_PROVIDERS, libother.so" "doctor: none"
CUAUDIT_DRIVER=sim "$cuaudit" doctor ./uses >out 2>err
is "$(grep -c CUAUDIT_PROVIDERS out)" 0 "doctor: nothing without them"

# damaged traces
cp a.cutrace damaged.cutrace
is "$($PERL -e '
undef $/;
open my $in, "<", "a.cutrace"; binmode $in; my $good = <$in>;
srand 1;
my ($bad, @at) = (0);
push @at, pos($good) while $good =~ /(?=function\tcomm|enum\tcomm)/g;
for my $turn (1 .. 120) {
	my $text = $good;
	my $at = $at[rand @at] + int rand(80) - 24;
	substr($text, $at, 1) = chr int rand 256;
	open my $out, ">", "damaged.cutrace"; binmode $out; print $out $text; close $out;
	system("$ARGV[0] convert --symbols no --to jsonl damaged.cutrace >/dev/null 2>&1");
	$bad++ if $? & 127 || $? >> 8 > 2;
}
print scalar(@at) > 10 ? "many" : "few", " $bad";' "$cuaudit")" "many 0" "damaged types in a trace end no reader"

# the page
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$top_srcdir/man/cuaudit-types.5" | grep -v '^\.' >page.types
ok "the page's example is a file of types" env CUAUDIT_TYPES=page.types "$cuaudit" run true
for kind in i u b e f ptr str m void '[?]'; do
	like "$(grep '^\.It Cm' "$top_srcdir/man/cuaudit-types.5" | tr -d ',\\&')" " $kind( |\$)" \
		"the page has $kind"
done
done_testing
