# SPDX-License-Identifier: Apache-2.0
# Reads what people decided: the files `overrides` and `classes`.
package Gen::Overrides;

use strict;
use warnings;
use File::Basename qw(dirname);
use Gen::Source;

*fail = \&Gen::Source::fail;

sub lines {
	my ($path, $each) = @_;

	open my $in, '<', $path or fail($path, $!);
	while (my $line = <$in>) {
		chomp $line;
		$line =~ s/\s*#.*//;
		$each->($line, "$path:$.") if $line =~ /\S/;
	}
	close $in;
}

sub glob_to_regex {
	my ($glob) = @_;

	return join '.*', map { quotemeta } split /\*/, $glob, -1;
}

# `word(key) = value` lines: { word => [[regex, value, key], ...] }.
sub overrides {
	my ($path) = @_;
	my %word = map { $_ => [] } qw(changed dir flagset hdr moves);

	lines($path, sub {
		my ($line, $place) = @_;

		$line =~ /^(\w+)\(([\w.*]+)\)(?:\s*=\s*(\w+))?$/ && $word{$1}
			or fail($place, "cannot read '$line'");
		my ($word, $key, $value) = ($1, $2, $3);
		my $regex = glob_to_regex($key);

		fail($place, "'$value' is no direction") if $word eq 'dir' &&
			$value !~ /^(?:VAL|IN|OUT|INOUT|ADDR)$/;
		push @{$word{$word}}, [qr/^$regex$/, $value // 1, $key];
	});
	return \%word;
}

# The same for `shapes`, whose values are words.
sub shapes {
	my ($path) = @_;
	my %word = map { $_ => [] } qw(flags handle len macros string when words);

	lines($path, sub {
		my ($line, $place) = @_;

		$line =~ /^(\w+)\(([\w.*]+)\)(?:\s*=\s*(\S.*?))?\s*$/ && $word{$1}
			or fail($place, "cannot read '$line'");
		my ($word, $key, $value) = ($1, $2, $3);
		my $regex = glob_to_regex($key);

		push @{$word{$word}}, [qr/^$regex$/, $value // 1, $key];
	});
	return \%word;
}

# The value of the last line that names key; a key without '*' wins.
sub lookup {
	my ($list, $key) = @_;
	my $value;

	for my $entry (@$list) {
		return $entry->[1] if $entry->[2] eq $key;
		$value = $entry->[1] if $key =~ $entry->[0];
	}
	return $value;
}

# A regex of the first arguments of MACRO(...) in a table, names or "globs", of which a `!` takes away again; its
# path begins where `classes` is.
sub first_arguments {
	my ($path, $table, $macro, $place) = @_;
	my (%found, %but);

	open my $in, '<', dirname($path) . "/$table" or fail($place, "$table: $!");
	while (my $line = <$in>) {
		next if $line !~ /^$macro\("?(!?)([\w*]+)"?,/;
		($1 ? \%but : \%found)->{glob_to_regex($2)} = 1;
	}
	close $in;
	fail($place, "no $macro(...) in $table") if !%found;
	my $but = join '|', sort keys %but;
	return (%but ? "(?!(?:$but)\$)" : '') . '(?:' . join('|', sort keys %found) . ')';
}

# `CLASS regex` and `CLASS @table MACRO` lines: [[class, regex], ...].
sub classes {
	my ($path) = @_;
	my @classes;

	lines($path, sub {
		my ($line, $place) = @_;

		$line =~ /^([A-Z]+)\s+(?:@(\S+)\s+(\w+)|([^@\s]\S*))$/ or
			fail($place, "cannot read '$line'");
		my ($class, $table, $macro, $regex) = ($1, $2, $3, $4);

		$regex //= first_arguments($path, $table, $macro, $place);
		push @classes, [$class, qr/^(?:$regex)$/];
	});
	return \@classes;
}

1;
