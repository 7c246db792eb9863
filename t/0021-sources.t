# SPDX-License-Identifier: Apache-2.0
# What every file begins with, and what none of them holds.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
cd "$top_srcdir" || exit 99

# The project's own text files of one of these names.
sources() {
	find analysis audit demo examples export hooks include m4 maint man print sim t tables tools tracefile util bootstrap configure.ac Makefile.am ! -name '*.pb-c.*' \
		\( -name '*.[chS]' -o -name '*.cc' -o -name '*.def' -o -name '*.am' -o -name '*.ac' \
		-o -name '*.m4' -o -name '*.map' -o -name '*.sh' -o -name '*.t' -o -name '*.pl' \
		-o -name '*.pm' -o -name '*.proto' -o -name '*.[1357]' -o -name bootstrap -o -name summary \
		-o -name run \) -type f
}

# unmarked FILE...: those without the licence in their first three lines.
unmarked() {
	for file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2\.0' || echo "$file"
	done
}

list=$(sources | grep -v '\.map$' | sort)
ok "there are sources" test "$(printf '%s\n' "$list" | wc -l)" -gt 60
is "$(unmarked $list)" "" "each file names its licence"
echo 'int x;' >"$tmp/x.c"
is "$(unmarked "$tmp/x.c")" "$tmp/x.c" "one that does not is found"

# Names of driver functions outside comments.
cat >"$tmp/names.pl" <<'END'
my $table = shift @ARGV;
my %known;
open my $in, '<', $table or die "$table: $!\n";
while (<$in>) {
	$known{$1} = 1 if /^CUAPI\(\d+, (\w+),/;
}
close $in;
die "$table: no rows\n" if keys %known < 600;
undef $/;
for my $file (@ARGV) {
	open my $in, '<', $file or die "$file: $!\n";
	my $text = <$in>;
	close $in;
	$text =~ s{/\*.*?\*/}{}gs;
	$text =~ s{//[^\n]*}{}g;
	while ($text =~ /\b(cu[A-Z]\w*)/g) {
		print "$file: $1\n" if $known{$1};
	}
}
END
names() {
	$PERL "$tmp/names.pl" include/cuaudit/driver_api.def "$@"
}
is "$(names $(find analysis audit export hooks print tables tools tracefile util include -name '*.[chS]'))" "" \
	"no driver function is named in C"
printf '/* cuInit */\nint (*f)(unsigned) = cuMemAlloc_v2;\n' >"$tmp/x.c"
is "$(names "$tmp/x.c")" "$tmp/x.c: cuMemAlloc_v2" "one that is is found"

# typed FILE...: numbers that assembly is given by hand. Those of notes are ELF's.
typed() {
	grep -nE '^#[ 	]*define[ 	]+[A-Za-z_]+[ 	]+[(]*-?[0-9]' /dev/null "$@" | grep -v '#define NOTES_'
}
is "$(typed $(find audit hooks -name '*.S' -o -name '*_arch.h') include/internal/asm.h)" "" \
	"what assembly has to know of C is said by the compiler"
echo '#define FRAME_SIZE 752' >"$tmp/x.S"
is "$(typed "$tmp/x.S")" "$tmp/x.S:1:#define FRAME_SIZE 752" "one that is typed is found"

is "$(grep -lE 'TO[D]O|FIX[M]E' $list)" "" "nothing is left to do"
is "$(awk '/[ \t]$/ { print FILENAME ":" FNR }' $(printf '%s\n' "$list" |
	grep -v '^t/gen/'))" "" "no line ends in white space"

if test -e .git && git ls-files >"$tmp/files" 2>"$tmp/err" && test -s "$tmp/files"; then
	is "$(grep -E '(^|/)(Makefile(\.in)?|configure|aclocal\.m4|.*\.(o|so|log|trs|tar\.gz|cache))$|^(build|build-aux|autom4te\.cache)/' \
		"$tmp/files")" "" "no generated file is committed"
else
	skip 1 "no git checkout"
fi
done_testing
