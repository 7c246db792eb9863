# SPDX-License-Identifier: Apache-2.0
# Says what facts.def has not taken from the table: rows.pl FACTS-DEF IRRELEVANT DRIVER-API-DEF CUDA-TYPES-H
use strict;
use warnings;

my ($def, $irrelevant, $api, $types) = @ARGV;
my (%space, %left_out, %rows, %spaces, %handle);

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
	} elsif ($macro eq 'SPACE') {
		# A reserved range has the type of an address, which comes first.
		$space{$second} //= $first if $second ne 'void';
	} elsif ($macro eq 'KIND') {
		$spaces{$first} = /, (\w+), \w+\)$/ && $1 eq 'RESERVED' ? 'MEMORY' : $1;
	} elsif ($macro =~ /^(?:ALLOCATES|SIZED|SHOWS|FREES|CLAIMS|ASKS|SAME_CONTEXT)$/) {
		$macro = 'ALLOCATES' if $macro eq 'SIZED';
		$rows{$first}{$macro}{$second // ''} = 1;
		# Parameters by name: the handle, and behind a SIZED one's form its size.
		push @{ $handle{$first} }, /^\w+\(\w+, \w+, (\w+)/ if $macro =~ /^(?:ALLOCATES|FREES|CLAIMS)$/;
		push @{ $handle{$first} }, /, (\w+)\)$/ if /^SIZED/;
	}
}

for (lines($irrelevant)) {
	$left_out{$1} = 1 if /^(\w+) /;
}

# What a function of this base gives, by spaces.
sub gives {
	my ($base, $space) = @_;
	return 1 if $left_out{$base};
	my $row = $rows{$base} or return 0;
	return 1 if $row->{SHOWS}{$space};
	return grep { ($spaces{$_} // '') eq $space } keys %{ $row->{ALLOCATES} // {} };
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
	for my $name (@{ $handle{$base} // [] }) {
		print "$symbol has no parameter $name\n" unless $parameters =~ /, $name\)/;
	}
	print "$symbol takes something\n"
		if $handles && !$rows{$base} && !$left_out{$base} && $symbol =~
			/Close|Destroy|Detach|Disconnect|Free|Release|Reset|Unbind|Unload|Unmap|Unregister/;
}
for my $base (sort(keys %rows, grep { /^cu/ } keys %left_out)) {
	print "$base is in no row\n" unless $known{$base};
}
for (lines($types)) {
	next unless /^typedef (?:struct \w+ \*|unsigned long long |cuuint64_t |unsigned int )(CU\w+);/;
	my $type = $1;
	(my $later = $type) =~ s/_v\d$//;
	print "$type is a handle of no space\n"
		unless $space{$type} || $space{$later} || $left_out{$type};
}
