# SPDX-License-Identifier: Apache-2.0
# Structures by value: what is beside them is shown as it was passed, of functions that are drawn at random.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"
test -n "$PERL" || skip_all "no perl"

cuaudit=$top_builddir/bin/cuaudit
seed=${CUAUDIT_TEST_SEED:-$$}
export CC
cd "$tmp" || exit 1
diag "CUAUDIT_TEST_SEED=$seed"

cat >structures.h <<'EOF'
#ifndef STRUCTURES_H
#define STRUCTURES_H
typedef struct { char a; } one;
typedef struct { float a; } single;
typedef struct { float a, b; } pair;
typedef struct { float a, b, c; } three;
typedef struct { float a, b, c, d; } four;
typedef struct { double a, b; } two;
typedef struct { double a, b, c, d; } doubles;
typedef struct { int a; double b; } mixed;
typedef struct { double a; char b; } other;
typedef struct { float a; int b; float c; } within;
typedef struct { long a, b; } longs;
typedef struct { unsigned int x, y, z; } dim3;
typedef struct { long a[3]; } memory;
typedef struct { char a[17]; } bytes;
typedef struct __attribute__((packed)) { char a; double b; } packed;
typedef union { float a; int b; } either;
typedef struct { struct { float a[2]; } b; union { int c; float d; } e; } nested;
#include "drawn.h"
#endif
EOF
# drawn.h: prototypes; drawn.c: functions, which return what is there; calls.c: calls of them; want: as they are printed
$PERL -e '
srand shift @ARGV;
my @structures = qw(one single pair three four two doubles mixed other within longs dim3 memory bytes packed either nested);
my @numbers = ("int", "double", "float", "unsigned char", "long", "char *");
my %words = (memory => 3, bytes => 3, doubles => 4);
my %same = map { $_ => 1 } @numbers;
open my $header, ">", "drawn.h"; open my $library, ">", "drawn.c"; open my $calls, ">", "calls.c"; open my $want, ">", "want";
print $library "#include \"structures.h\"\n";
print $calls "#include <string.h>\n#include \"structures.h\"\nint main(void)\n{\n\tint bad = 0;\n";
for my $n (1 .. 150) {
	my $returns = $n % 3 ? "long" : $structures[rand @structures];
	my ($words, @params, @values, @shown) = (0);
	for my $i (1 .. 1 + rand 15) {
		my $type = rand() < 0.5 ? $structures[rand @structures] : $numbers[rand @numbers];
		# So many of the stack are looked at.
		last if ($words += $words{$type} // 2 - ($same{$type} // 0)) > 24;
		my $number = 1 + int rand 100;
		push @params, "$type p$i";
		push @values, !$same{$type} ? "($type){ 0 }" : $type eq "char *" ? "(char *)${number}L" : "($type)$number";
		push @shown, "p$i = " . (!$same{$type} ? "{...}" : $type eq "char *" ? sprintf("0x%x", $number) : $number);
	}
	my $last = (grep { $params[$_] =~ /^(?:int|long|double|float|unsigned char) / } 0 .. $#params)[-1];
	my $answer = defined $last ? "(long)p" . ($last + 1) : "7";
	my $number = defined $last ? $shown[$last] =~ s/.*= //r : 7;
	my $list = join(", ", @params);
	print $header "$returns drawn$n($list);\n";
	print $library "$returns drawn$n($list)\n{\n", $returns eq "long" ? "\treturn $answer;\n}\n" :
		"\t$returns all;\n\t__builtin_memset(&all, (int)$answer, sizeof(all));\n\treturn all;\n}\n";
	my $call = "drawn$n(" . join(", ", @values) . ")";
	print $calls $returns eq "long" ? "\tbad += $call != $number;\n" :
		"\t{ $returns all = $call; bad += *(char *)&all != $number; }\n";
	print $want "drawn$n(", join(", ", @shown), ") = ", $returns eq "long" ? $number : "{...}", "\n";
}
print $calls "\treturn bad;\n}\n";
close $_ or die for $header, $library, $calls, $want;' "$seed" || bail_out "no functions"
compile -w -shared -fPIC -o libdrawn.so drawn.c && compile -w -o calls calls.c -L. -ldrawn -Wl,-rpath,"$tmp" ||
	bail_out "cannot build"
ok "the program is right by itself" ./calls
"$cuaudit" types --from structures.h --from drawn.h >drawn.types 2>err
is "$(cat err)" "" "types: without a word"
is "$(grep -c '^function	drawn' drawn.types)" 150 "types: all functions"
is "$(grep '	\.\.\.$' drawn.types)" "" "types: all parameters of each are known"
for how in text=yes "file=$tmp/a.cutrace"; do
	status=0
	audited CUAUDIT_PROVIDERS=libdrawn.so CUAUDIT_TYPES=drawn.types CUAUDIT_HOOKS="trace($how)" CUAUDIT_OUTPUT="$tmp/report" \
		./calls >out 2>err || status=$?
	is "$status $(cat err)" "0 " "$how: the program is as right"
done
shown() {
	sed -n 's/^.*libdrawn\.so:\(drawn.*\) <.*/\1/p' "$@"
}
shown report*.trace >got
ok "text: what was passed" diff -u want got
"$cuaudit" convert --symbols no --to text a.cutrace >lines
shown lines >got
ok "a trace: the same" diff -u want got

# What nobody could place: it ends what is known, and is never taken for something.
cat >odd.h <<'EOF'
typedef struct { __int128 a; } wide;
typedef struct { long double a; } extended;
typedef struct { } nothing;
typedef struct { char a[70000]; } huge;
typedef struct __attribute__((aligned(32))) { int a[8]; } aligned;
int a(int x, wide y, int z);
int b(int x, extended y, int z);
int c(int x, nothing y, int z);
int d(int x, huge y, int z);
int e(int x, aligned y, int z);
aligned f(int x);
huge g(int x);
int h(int x, long double y, int z);
EOF
"$cuaudit" types --from odd.h >odd.types
is "$(sed 1d odd.types)" "$(printf 'function\t%s\ti4 int\ti4 x int\t...\n' a b c d e
	printf 'function\t%s\t? %s\t...\n' f aligned g huge
	printf 'function\th\ti4 int\ti4 x int\t...\n')" "what is not known, and all behind it, is left open"
ok "and such a file is understood" env CUAUDIT_TYPES=odd.types "$cuaudit" run true

for kind in m m16:x m16: m8:ii m40:fffff m16:iif m0:i i4:i 'm16:i f'; do
	printf 'cuaudit-types\t1\nfunction\tf\tvoid void\t%s a t\n' "$kind" >bad.types
	status=0
	CUAUDIT_TYPES=bad.types "$cuaudit" run true 2>err || status=$?
	is "$status $(grep -c 'line 2 has a ' err)" "2 1" "'$kind' is refused"
done
for kind in m24 m1:i m12:if m16:ff m8:ff m12:fff m16:ffff m32:ffff; do
	printf 'cuaudit-types\t1\nfunction\tf\tvoid void\t%s a t\n' "$kind" >good.types
	ok "$kind is understood" env CUAUDIT_TYPES=good.types "$cuaudit" run true
done
done_testing
