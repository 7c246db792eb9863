# SPDX-License-Identifier: Apache-2.0
# Says what leak.def has not taken from the table: rows.pl LEAK-DEF DRIVER-API-DEF CUDA-TYPES-H
use strict;
use warnings;

my ($def, $api, $types) = @ARGV;
my (%space, %left_out_type, %rows, %spaces);

sub lines {
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	my @lines = <$in>;
	close $in;
	return @lines;
}

for (lines($def)) {
	next unless /^([A-Z_]+)\((\w+)(?:, (\w+))?/;
	my ($macro, $first, $second) = ($1, $2, $3);
	if ($macro eq 'TYPE') {
		$space{$first} = $second;
	} elsif ($macro eq 'LEFT_OUT_TYPE') {
		$left_out_type{$first} = 1;
	} elsif ($macro eq 'KIND') {
		# A reserved range has the type of an address.
		$spaces{$first} = /, (\w+)\)$/ && $1 eq 'RESERVED' ? 'MEMORY' : $1;
	} elsif ($macro ne 'SPACE') {
		$rows{$first}{$macro}{$second // ''} = 1;
	}
}

# What a function of this base gives, by spaces.
sub gives {
	my ($base, $space) = @_;
	my $row = $rows{$base} or return 0;
	return 1 if $row->{LEFT_OUT} || $row->{SHOWS}{$space};
	return grep { ($spaces{$_} // '') eq $space }
		map { keys %{ $row->{$_} // {} } } qw(GIVES GIVES_AT OWNS);
}

my %known;
for (lines($api)) {
	next unless /^CUAPI\(\d+, (\w+), (\w+), .*?, \d+, (.*)\)$/;
	my ($symbol, $base, $parameters) = ($1, $2, $3);
	my $handles = 0;

	$known{$base} = 1;
	while ($parameters =~ /\bP\((\w+), ([^,]+), (\w+)\)/g) {
		my ($direction, $type, $name) = ($1, $2, $3);
		(my $plain = $type) =~ s/const |[ *]//g;
		my $space = $space{$plain};
		$handles++ if $space || $name eq 'dev' || $type eq 'void *' && $direction eq 'ADDR';
		next unless $direction =~ /OUT/;
		# Where a graph was wrong.
		next if $name =~ /^p?hErrorNode/;
		print "$symbol gives a $plain: $name\n" if $space && !gives($base, $space);
		print "$symbol gives an address: $name\n"
			if $type eq 'void **' && $direction eq 'OUT' && !gives($base, 'HOST');
	}
	print "$symbol takes something\n"
		if $handles && !$rows{$base} && $symbol =~
			/Close|Destroy|Detach|Disconnect|Free|Release|Reset|Unbind|Unload|Unmap|Unregister/;
}
for my $base (sort keys %rows) {
	print "$base is in no row\n" unless $known{$base};
}
for (lines($types)) {
	next unless /^typedef (?:struct \w+ \*|unsigned long long |cuuint64_t |unsigned int )(CU\w+);/;
	my $type = $1;
	(my $later = $type) =~ s/_v\d$//;
	print "$type is a handle of no space\n"
		unless $space{$type} || $space{$later} || $left_out_type{$type};
}
