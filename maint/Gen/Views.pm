# SPDX-License-Identifier: Apache-2.0
# Writes driver_args.def: rows in types that the header at hand may lack.
package Gen::Views;

use strict;
use warnings;
use Gen::Source;

*fail = \&Gen::Source::fail;

my $OLDEST = 11040;

# The type said without any name that a header older than the row lacks: tags
# of structures may be named before they are declared, enumerations not.
sub plain_type {
	my ($shapes, $type) = @_;
	my ($bare, $depth) = Gen::Shapes::peeled($type);
	my $struct = $shapes->{structs}{$bare};
	my $enum = $shapes->{enums}{$bare};
	my $const = $type =~ /^const /;
	my $plain = $shapes->resolved($bare);

	if ($struct && $depth) {
		$plain = defined $struct->{tag} ?
			"$struct->{kind} $struct->{tag}" : 'void';
	} elsif ($struct) {
		my $words = $shapes->said('words', $bare) // fail($shapes->{path},
			"no words($bare), a structure by value; decide it here");

		$plain = $words ? "struct cuaudit_words_$words" : $bare;
	} elsif ($enum) {
		$plain = $enum->{negative} ? 'int' : 'unsigned int';
	} elsif ($bare =~ /__typeof__/ || $plain !~ /^(?:(?:struct|union) |unsigned|
			int|char|short|long|float|double|void|size_t|u?int\d+_t)/x) {
		$plain = $depth ? 'void' : '__typeof__(void (*)(void))';
	}
	$plain =~ s/\s+$//;
	$plain = $const ? $plain =~ /\*$/ ? "${plain}const" : "const $plain" : $plain
		if $depth;
	return $plain . ($depth ? ($plain =~ /\*$/ ? '' : ' ') . '*' x $depth : '');
}

# A line of the table, each type as say() has it.
sub line {
	my ($row, $say) = @_;
	my @params = map { "P($_->{direction}, " . $say->($_->{type}) .
		", $_->{name})" } @{$row->{params}};

	return "VIEW_NONE($row->{symbol})\n" if !@params;
	return "VIEW($row->{symbol}, " . join(' SEP ', @params) . ")\n";
}

# The rows, those of other headers than the main one and those newer than any
# that is read in both ways. The tags the plain types name come first, outside
# of any parameter list.
sub text {
	my ($shapes, $rows, $headers, $main) = @_;
	my (%group, %tags, @lines);

	for my $row (@$rows) {
		my $header = $headers->{$row->{symbol}} // $main;

		push @{$group{$header ne $main ? 'OWN' :
			$row->{hdr} > $OLDEST ? $row->{hdr} : 0}}, $row;
	}
	for my $since ((sort { $a <=> $b } grep { $_ ne 'OWN' } keys %group),
			grep { $_ eq 'OWN' } keys %group) {
		my @named = map { line($_, sub { $_[0] }) } @{$group{$since}};

		if (!$since) {
			push @lines, "\n", @named;
			next;
		}
		my @plain = map { line($_, sub { plain_type($shapes, $_[0]) }) }
			@{$group{$since}};

		for (@plain) {
			$tags{$1} = 1 while /\b((?:struct|union) (?!cuaudit_)\w+)/g;
		}
		push @lines, "\n#if " . ($since eq 'OWN' ? 'CUAUDIT_TYPES_OWN' :
			"CUAUDIT_TYPES >= $since") . "\n", @named, "#else\n",
			@plain, "#endif\n";
	}
	return join '', map({ "TAG($_)\n" } sort keys %tags), @lines;
}

1;
