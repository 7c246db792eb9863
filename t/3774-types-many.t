# SPDX-License-Identifier: Apache-2.0
# Functions of many parameters: all that a call can be asked for is shown, and a file that claims too many harms nobody.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"
test -n "$PERL" || skip_all "no perl"

cuaudit=$top_builddir/bin/cuaudit
seed=${CUAUDIT_TEST_SEED:-$$}
case $(arch) in
x86_64) most=30 ;;
*) most=32 ;;
esac
export CC
cd "$tmp" || exit 1
diag "CUAUDIT_TEST_SEED=$seed"

# many.h: prototypes; many.c: functions, which compare all that they are given; calls.c: calls of them; want: as they
# are printed. The first are of so many integers, the others are drawn, as far as the stack is looked at.
$PERL -e '
my ($most) = splice @ARGV, 0, 1;
srand shift @ARGV;
my @types = ("int", "long", "unsigned char", "double", "float", "char *", "const char *", "memory", "pair");
open my $header, ">", "many.h"; open my $library, ">", "many.c"; open my $calls, ">", "calls.c"; open my $want, ">", "want";
print $header "#pragma once\ntypedef struct { long a[3]; } memory;\ntypedef struct { float a, b; } pair;\n";
print $library "#include <string.h>\n#include \"many.h\"\n";
print $calls "#include \"many.h\"\nint main(void)\n{\n\tint bad = 0;\n";
my @drawn = map { [("int") x $_] } 16, 17, 23, 24, 30, 33, 45;
for (1 .. 120) {
	my ($integers, $vectors, $memory, $texts, @list) = (0, 0, 0, 0);
	my @of = @types[grep { rand() < 0.6 } 0 .. $#types];
	while (@of) {
		my $type = $of[rand @of];
		next if $type eq "const char *" && ++$texts > 3 && (@of > 1 || last);
		$type eq "memory" ? $memory += 3 : $type =~ /double|float|pair/ ? $vectors++ : $integers++;
		last if $memory + ($integers > 6 && $integers - 6) + ($vectors > 8 && $vectors - 8) > 24;
		push @list, $type;
	}
	push @drawn, \@list;
}
for my $n (0 .. $#drawn) {
	my (@params, @values, @shown, @right);
	for my $i (1 .. @{$drawn[$n]}) {
		my $type = $drawn[$n][$i - 1];
		my $number = 1 + int rand 100;
		push @params, "$type p$i";
		push @values, $type eq "memory" ? "(memory){ { $number } }" : $type eq "pair" ? "(pair){ $number }" :
			$type eq "const char *" ? "\"$number\"" : "($type)${number}L";
		push @shown, "p$i = " . ($type =~ /memory|pair/ ? "{...}" : $type eq "const char *" ? "\"$number\"" :
			$type eq "char *" ? sprintf("0x%x", $number) : $number);
		push @right, $type eq "memory" ? "p$i.a[0] == $number" : $type eq "pair" ? "p$i.a == $number" :
			$type eq "const char *" ? "!strcmp(p$i, \"$number\")" : "p$i == ($type)${number}L";
	}
	my $list = join(", ", @params) || "void";
	print $header "int many$n($list);\n";
	print $library "int many$n($list)\n{\n\treturn ", join(" && ", @right, 1), " ? $n : -1;\n}\n";
	print $calls "\tbad += many$n(", join(", ", @values), ") != $n;\n";
	@shown[$most .. $#shown] = ("...") if !grep({ $_ ne "int" } @{$drawn[$n]}) && @shown > $most;
	print $want "many$n(", join(", ", grep { defined } @shown), ") = $n\n";
}
print $calls "\treturn bad;\n}\n";
close $_ or die for $header, $library, $calls, $want;' "$most" "$seed" || bail_out "no functions"
compile -w -shared -fPIC -o libmany.so many.c && compile -w -o calls calls.c -L. -lmany -Wl,-rpath,"$tmp" ||
	bail_out "cannot build"
ok "the program is right by itself" $run_env ./calls
"$cuaudit" types --from many.h >many.types 2>err
is "$(cat err; grep '	\.\.\.$' many.types)" "" "types: all parameters of each, without a word"
diag "parameters: up to $(awk -F '\t' 'NF > most { most = NF } END { print most - 3 }' many.types)"
for how in text=yes "file=$tmp/a.cutrace"; do
	status=0
	audited CUAUDIT_PROVIDERS=libmany.so CUAUDIT_TYPES=many.types CUAUDIT_HOOKS="trace($how)" CUAUDIT_OUTPUT="$tmp/report" \
		./calls >out 2>err || status=$?
	is "$status $(cat err)" "0 " "$how: the program is as right"
done
# shown LIBRARY FILE...: the calls of its functions
shown() {
	shown_library=$1
	shift
	sed -n "s/^.*$shown_library:\([a-z]*[0-9]*(.*) = .*\) <.*/\1/p" "$@"
}
shown libmany.so report*.trace >got
ok "text: each parameter" diff -u want got
"$cuaudit" convert --symbols no --to text a.cutrace >lines
shown libmany.so lines >got
ok "a trace: the same" diff -u want got

# Every format has all of many2's 23, and of many6's 45 as many as there are, and others.
sed -n 's/^many2(\(.*\)) = 2$/\1/p' want | tr ',' '\n' | tr -d ' ' >want.list
is "$(wc -l <want.list | tr -d ' ')" 23 "of 23 parameters"
for format in jsonl csv otlp chrome perfetto; do
	"$cuaudit" convert --symbols no --to $format a.cutrace >of.$format 2>$format.err
done
grep '"libmany.so:many2"' of.jsonl | sed 's/.*"arguments":{\([^}]*\)}.*/\1/' | tr ',' '\n' | tr -d '"' | tr : = >list
ok "JSON: each" diff -u want.list list
like "$(grep '"libmany.so:many6"' of.jsonl)" "\"p$most\":[0-9]*,\"\.\.\.\":\"[?]\"}" "JSON: others behind the last"
sed -n 's/^.*libmany.so:many2,.*"\(p1 = .*\)".*/\1/p' of.csv | tr ',' '\n' | tr -d ' ' >list
ok "CSV: each" diff -u want.list list
$PERL -ne 'for (/"libmany\.so:many2"(.*?)"cuda\.result"/) {
	print "$1=$2\n" while /"cuda\.argument\.(p\d+)","value":\{"intValue":"(\d+)"/g }' of.otlp >list
ok "otlp: each" diff -u want.list list
$PERL -ne 'print "$2\n" while /"libmany\.so:many(2)".*?"arguments":\{([^}]*)\}/g' of.chrome | tr ',' '\n' | tr -d '"' | tr : = >list
ok "chrome: each" diff -u want.list list
if grep -q 'without protobuf-c' perfetto.err; then
	skip 1 "no protobuf-c"
else
	is "$($PERL "$top_srcdir/t/convert/perfetto.pl" of.perfetto 2>err | sed -n 's/^argument arguments[.]p\([0-9]*\) .*/\1/p' | sort -n | tail -n 1)" \
		"$($PERL -ne 'for (/\bp(\d+) = /g) { $m = $_ if $_ > $m } END { print $m }' want)" "perfetto: the last of all"
fi
if "$cuaudit" convert --symbols no --to sqlite -o a.sqlite a.cutrace 2>err && "$PYTHON3" -c 'import sqlite3' 2>>err; then
	"$PYTHON3" -c 'import sqlite3
for row in sqlite3.connect("a.sqlite").execute("""SELECT arguments.name || "=" || arguments.value
    FROM arguments JOIN calls ON arguments.call = calls.id
    WHERE calls.function = "libmany.so:many2" AND arguments.name <> "return" ORDER BY arguments.position"""):
    print(*row)' >list
	ok "sqlite: each" diff -u want.list list
else
	skip 1 "no sqlite3"
fi
if command -v babeltrace2 >which; then
	"$cuaudit" convert --symbols no --to ctf -o a.ctf a.cutrace
	babeltrace2 a.ctf | sed -n 's/.*many2_entry: .*arguments = { \(.*\), not_recorded.*/\1/p' | tr ',' '\n' | tr -d ' ' >list
	ok "ctf: each" diff -u want.list list
else
	skip 1 "no babeltrace2"
fi

# claims NAME: a file says that few, which has three, has NAME parameters of each kind in turn
claims() {
	$PERL -e 'my @of = ("i4 p%d int", "str p%d const char *", "f8 p%d double", "ptr p%d void *", "m24 p%d memory", "m8:f p%d pair");
print "cuaudit-types\t1\nfunction\tfew\ti4 int\ti4 a int\ti4 b int\ti4 c int";
printf "\t$of[$_ % @of]", $_ for 4 .. $ARGV[0];
print "\n";' "$1" >few.types
}
compile -w -shared -fPIC -DLIBRARY -o libfew.so "$top_srcdir/t/providers/edge.c" &&
	compile -w -o edge "$top_srcdir/t/providers/edge.c" "$top_srcdir/t/routes/edge.S" -L. -lfew -Wl,-rpath,"$tmp" ||
	bail_out "cannot build"
for number in 3 16 64 1000; do
	claims $number
	for hooks in 'trace(text=yes)' "trace(file=$tmp/few.cutrace)" 'fault(inject=libfew.so:few:error=7:when=2)' stat,trace; do
		rm -rf report* few.cutrace
		status=0
		audited CUAUDIT_PROVIDERS=libfew.so CUAUDIT_TYPES=few.types CUAUDIT_HOOKS="$hooks" CUAUDIT_OUTPUT="$tmp/report" \
			timeout 300 ./edge >out 2>err || status=$?
		is "$status $(cat out)" "0 37 of 37 are right" "$number claimed, $hooks: the program is well"
		case $hooks in
		*text*) shown libfew.so report*.trace >got ;;
		*few*)
			test ! -e few.cutrace && continue
			"$cuaudit" convert --symbols no --to text few.cutrace >lines
			shown libfew.so lines >got
			;;
		*) continue ;;
		esac
		is "$(grep -cE '^few\(a = 1, b = 2, c = 3(, .*)?\) = 7$' got)" 36 "... and each call is shown"
		is "$(grep -c '^few.*\.\.\.) = ' got)" "$(test $number -le 16 && echo 0 || echo 36)" "... as far as there is something"
	done
done

case $(arch) in
x86_64)
	printf 'cuaudit-types\t1\nfunction\tfew\ti4 int\ti4 a int\ti4 b int\ti4 c int%s\n' \
		"$(printf '\tu8 p%d long' $(seq 4 30))" >few.types
	rm -f report*
	status=0
	audited CUAUDIT_PROVIDERS=libfew.so CUAUDIT_TYPES=few.types CUAUDIT_HOOKS='trace(text=yes)' \
		CUAUDIT_OUTPUT="$tmp/report" timeout 300 ./edge >out 2>err || status=$?
	is "$status $(cat out)" "0 37 of 37 are right" "30 claimed: the program is well"
	like "$(shown libfew.so report*.trace | sed -n 4p)" "p6 = [0-9]*$(printf ', p%d = 0' $(seq 7 30))\) = 7\$" \
		"what is behind the end of the stack is nothing"
	;;
*) skip 2 "no call at the end of a stack" ;;
esac

# What nobody could place, behind 16 and more: it ends what is known.
ints=$(seq -s ', ' -f 'int p%g' 20)
printf '%s\n' 'typedef struct { __int128 a; } wide;' "int a($ints, long double y, int z);" "int b($ints, wide y, int z);" \
	"int c($ints, ...);" >odd.h
"$cuaudit" types --from odd.h >odd.types
is "$(sed 1d odd.types)" "$(for name in a b c; do
	printf 'function\t%s\ti4 int' $name
	printf '\ti4 p%s int' $(seq 20)
	printf '\t...\n'
done)" "long double, __int128 and others behind 20 parameters"

# Damaged traces: where parameters behind the 16th begin may be anything.
is "$($PERL -e '
undef $/;
open my $in, "<", "a.cutrace"; binmode $in; my $good = <$in>;
srand 1;
my ($bad, @at) = (0);
push @at, pos($good) while $good =~ /(?<=p\d\d int\n)\0/g;
for my $turn (1 .. 60) {
	my $text = $good;
	my $at = $at[rand @at];
	substr($text, $at + int rand 40, 1) = chr int rand 256 for 1 .. 1 + rand 8;
	open my $out, ">", "damaged.cutrace"; binmode $out; print $out $text; close $out;
	system("$ARGV[0] convert --symbols no --to jsonl damaged.cutrace >/dev/null 2>&1");
	$bad++ if $? & 127 || $? >> 8 > 2;
}
print scalar(@at) > 4 ? "many" : scalar(@at), " $bad";' "$cuaudit")" "many 0" "... end no reader"
done_testing
