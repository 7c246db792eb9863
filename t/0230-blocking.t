# SPDX-License-Identifier: Apache-2.0
# tables/blocking.def against the functions there are, and the class BLOCKING against it.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

def=$top_srcdir/tables/blocking.def
api=$top_srcdir/include/cuaudit/driver_api.def

cat >"$tmp/rows.pl" <<'END'
# rows.pl DEF API: what is wrong with either.
use strict;
use warnings;

my ($def, $api) = map { open my $in, '<', $_ or die "$_: $!\n"; local $/; <$in> } @ARGV;
my (%when, %row, %has, %symbols, %wanted);
my $comments = join ' ', $def =~ m{/\*(.*?)\*/}gs;
# Of what is put into a stream these have none: they ask, set or begin.
my $asks = qr/^cuStream(Get|Set|Copy|Query|IsCapturing|EndCapture|UpdateCapture|BeginCapture)/;
my $takes = qr/^cu(Mem|Array|Mipmapped|Module|Library|Func|Ctx|GreenCtx|DevicePrimaryCtx|DeviceGraph|Ipc)
	(?!\w*(Get|Retain|Stream))\w*(Alloc|Free(?!Node)|Create|Destroy|Load(?!ingMode|ed)|Unload|Register|Unregister|OpenMem|
	CloseMem|Release|Reset(?!Persisting)|Trim|Synchronize)/x;

$when{$1}++ while $def =~ /^WHEN\((\w+), "[^"]+"\)$/mg;
while ($def =~ /^BLOCKS\((.*)$/mg) {
	my $text = $1;
	if ($text !~ /^(\w+), (\w+), "(?:API|GUIDE|MEASURED|as cu)[^"]*"\)$/) {
		print "no row: $text\n";
		next;
	}
	print "$1: no such when: $2\n" if !$when{$2};
	print "$1: $2 twice\n" if $row{$1}{$2}++;
}
while ($api =~ /^CUAPI\(\d+, (\w+), (\w+), \d+, \d+, \w+, \d+, ([A-Z|]+), \d+, (.*)\)$/mg) {
	my ($symbol, $base, $classes, $params) = ($1, $2, $3, $4);
	my %class = map { $_ => 1 } split /\|/, $classes;

	$has{$base} = 1;
	print "$symbol: in the class, not in the table\n" if $class{BLOCKING} && !$row{$base};
	print "$symbol: in the table, not in the class\n" if !$class{BLOCKING} && $row{$base};
	print "$symbol: in \%sync, not in \%blocking\n" if $class{SYNC} && !$class{BLOCKING};
	my $stream = $params =~ /P\(VAL, CUstream, /;
	print "$symbol: LEGACY without a stream\n" if $row{$base} && $row{$base}{LEGACY} && !$stream &&
		$params !~ /CUlaunchConfig/ && $symbol !~ /^cu(Memcpy|Memset|Launch(Grid)?$)/;
	$wanted{$base} = 1 if $stream && $base !~ $asks || $params =~ /\bvoid \*, \w+Host\b/ ||
		$base =~ $takes;
}
for my $base (sort keys %row) {
	print "$base: no such function\n" if !$has{$base};
}
my @named = map { s/\*/\\w*/gr } $comments =~ /\b(cu[A-Z][\w*]*)/g;
for my $base (sort keys %wanted) {
	print "$base: no row, and no reason\n" if !$row{$base} && !grep { $base =~ /^$_$/ } @named;
}
END
wrong() {
	$PERL "$tmp/rows.pl" "$@" || echo "rows.pl: status $?"
}

is "$(wrong "$def" "$api")" "" "table and class are the same set, and each function is decided"

{
	cat "$api"
	cat <<'END'
CUAPI(9000, cuWidgetAsync, cuWidgetAsync, 14000, 1, NONE, 14000, MISC, 1, P(VAL, CUstream, hStream))
CUAPI(9001, cuMemFreeAll, cuMemFreeAll, 14000, 1, NONE, 14000, MEMORY, 1, P(VAL, CUdeviceptr, dptr))
CUAPI(9002, cuMemFree_v3, cuMemFree, 14000, 3, NONE, 14000, MEMORY, 1, P(VAL, CUdeviceptr, dptr))
CUAPI(9003, cuWidgetWait, cuWidgetWait, 14000, 1, NONE, 14000, SYNC, 0, )
CUAPI(9004, cuWidgetBlock, cuWidgetBlock, 14000, 1, NONE, 14000, BLOCKING, 0, )
END
} >"$tmp/api.def"
is "$(wrong "$def" "$tmp/api.def")" "cuMemFree_v3: in the table, not in the class
cuWidgetWait: in %sync, not in %blocking
cuWidgetBlock: in the class, not in the table
cuMemFreeAll: no row, and no reason
cuWidgetAsync: no row, and no reason" "new functions are found"

sed -e '/^BLOCKS(cuGraphLaunch,/d' -e 's/^BLOCKS(cuFuncLoad, LOADING/BLOCKS(cuFuncLoad, LAODING/' \
	-e 's/^\(BLOCKS(cuMemFree,.*, \)"[^"]*"/\1""/' -e 's/^BLOCKS(cuMemUnmap,/BLOCKS(cuMemUnamp,/' \
	"$def" >"$tmp/blocking.def"
printf '%s\n' 'BLOCKS(cuMemAlloc, ALLOC, "API")' 'BLOCKS(cuInit, LEGACY, "API")' >>"$tmp/blocking.def"
is "$(wrong "$tmp/blocking.def" "$api" | sort -u)" "cuFuncLoad: no such when: LAODING
cuGraphLaunch: in the class, not in the table
cuGraphLaunch: no row, and no reason
cuGraphLaunch_ptsz: in the class, not in the table
cuInit: LEGACY without a stream
cuInit: in the table, not in the class
cuMemAlloc: ALLOC twice
cuMemFree: in the class, not in the table
cuMemFree: no row, and no reason
cuMemFree_v2: in the class, not in the table
cuMemUnamp: no such function
cuMemUnmap: in the class, not in the table
no row: cuMemFree, FREE, \"\")" "what is wrong in the table is found"

# Each version and flavour of a function is in the class, as selectors have it.
cuaudit=$top_builddir/bin/cuaudit
is "$("$cuaudit" list -q functions %blocking | sort)" \
	"$(sed -n 's/^BLOCKS(\(cu[A-Za-z0-9]*\),.*/\1/p' "$def" | sort -u |
	while read -r base; do
		sed -n "s/^CUAPI([0-9]*, \([A-Za-z0-9_]*\), $base, .*/\1/p" "$api"
	done | sort)" "%blocking takes all of them"
is "$("$cuaudit" list -q functions '%sync,!%blocking' 2>&1 | grep -c '^cu[A-Z]')" 0 "... and all of %sync"
done_testing
