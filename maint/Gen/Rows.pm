# SPDX-License-Identifier: Apache-2.0
# Makes the rows of driver_api.def out of parsed headers.
package Gen::Rows;

use strict;
use warnings;
use Gen::Overrides;
use Gen::Source;

*fail = \&Gen::Source::fail;

# symbol -> (base, variant, flavour)
sub name_parts {
	my ($symbol) = @_;

	$symbol =~ /^(\w+?)(?:_v(\d+))?(?:_(ptds|ptsz))?$/;
	return ($1, $2 // 1, uc($3 // 'none'));
}

# The cuGetProcAddress versions in PFN_ typedef names, ascending:
# { base => { NONE => [...], PT => [...] } }.
sub versions {
	my ($types) = @_;
	my %found;

	for my $type (@$types) {
		my ($decl) = @{$type->{decls}};
		my $name = $decl ? $decl->{name} // '' : '';

		next if $name !~ /^PFN_(\w+?)_v(\d{4,})(?:_(ptds|ptsz))?$/;
		$found{$1}{$3 ? 'PT' : 'NONE'}{$2} = 1;
	}
	for my $base (values %found) {
		$_ = [sort { $a <=> $b } keys %$_] for values %$base;
	}
	return \%found;
}

# The version with which cuGetProcAddress answers symbol, 0 for never: the
# k-th plain version of a base is variant k; a per-thread one stands beside
# the plain variant that its version would choose.
sub version_of {
	my ($versions, $base, $variant, $flavour) = @_;
	my $plain = $versions->{$base}{NONE} // [];

	return $plain->[$variant - 1] // 0 if $flavour eq 'NONE';
	for my $version (@{$versions->{$base}{PT} // []}) {
		my $chosen = grep { $_ <= $version } @$plain;

		return $version if ($chosen || 1) == $variant;
	}
	return 0;
}

# What the comments say of parameters: { symbol or base => { name => text } }.
sub documented {
	my ($functions) = @_;
	my %text;

	for my $function (map { $functions->{$_} } sort keys %$functions) {
		my ($base) = name_parts($function->{name});
		my $doc = $function->{doc} // next;

		$doc =~ s/^\s*\*+ ?//mg;
		for my $part (split /(?=[\\@](?:param|return|sa|note)\b)/, $doc) {
			next if $part !~ /^[\\@]param(\[[\w,]+\])?\s+(\w+)\s*-?\s*(.*)/s;
			my ($how, $name, $words) = ($1 // '', $2, $3);

			$words =~ s/\n\s*\n.*//s;
			$words =~ s/\s+/ /g;
			$text{$function->{name}}{$name} //= "$how$words";
			$text{$base}{$name} //= "$how$words";
		}
	}
	return \%text;
}

# The direction a comment's first words tell, or undef.
sub direction_said {
	my ($words) = @_;

	return { in => 'IN', out => 'OUT' }->{$1} // 'INOUT'
		if $words =~ /^\[([\w,]+)\]/;
	return 'OUT' if $words =~ /^(?:The )?(?:Returned|Returns)\b/i;
	return 'OUT' if $words =~ /^(?:Pointer to (?:a )?(?:the )?
		(?:returned|newly)|(?:Pointer|Location|Address|Buffer)\s[^.]*
		\b(?:to\s(?:store|return|write)|to\sbe\s(?:returned|filled))\b|
		Pointer\sfor\sthe\soutput)/ix;
	return undef;
}

sub direction {
	my ($self, $function, $param) = @_;
	my ($base) = name_parts($function->{name});
	my $name = $param->{name};
	my $said = Gen::Overrides::lookup($self->{overrides}{dir},
			"$function->{name}.$name") //
		Gen::Overrides::lookup($self->{overrides}{dir}, "$base.$name");

	return $said if defined $said;
	return 'VAL' if !$param->{pointer};
	return 'IN' if $param->{const};
	my $words = $self->{documented}{$function->{name}}{$name} //
		$self->{documented}{$base}{$name} // '';

	$said = direction_said($words) // ($name =~ /_out$/ ? 'OUT' : undef);
	return $said if defined $said;
	fail($param->{place}, "$function->{name}: no direction for parameter " .
		"'$name' ($param->{type}); decide it in the overrides");
}

sub classes_of {
	my ($self, $function, $base) = @_;
	my %found = map { $_->[0] => 1 }
		grep { $base =~ $_->[1] } @{$self->{classes}};

	fail($function->{place}, "$function->{name}: in no class")
		if !%found && @{$self->{classes}};
	return join('|', sort keys %found) || 0;
}

# A row's text without "CUAPI(id, ".
sub row_text {
	my ($self, $function) = @_;
	my ($base, $variant, $flavour) = name_parts($function->{name});
	my $version = version_of($self->{versions}, $base, $variant, $flavour);
	my $hdr = Gen::Overrides::lookup($self->{overrides}{hdr},
		$function->{name}) // ($version || $self->{cuda_version});
	my @params = map { sprintf 'P(%s, %s, %s)',
		$self->direction($function, $_), $_->{type}, $_->{name} }
		@{$function->{params}};

	fail($function->{place}, "$function->{name}: returns " .
		"'$function->{result}'") if $function->{result} ne 'CUresult';
	return join(', ', $function->{name}, $base, $version, $variant,
		$flavour, $hdr, $self->classes_of($function, $base),
		scalar @params, join(' SEP ', @params)) . ')';
}

# A type with the typedefs resolved, for comparison.
sub resolved {
	my ($self, $type) = @_;
	my $names = $self->{typedefs};
	my $again = 1;

	while ($again) {
		$again = 0;
		$type =~ s/(?<!struct )(?<!union )(?<!enum )\b(\w+)\b/
			defined $names->{$1} && $names->{$1} ne $1 ?
			do { $again = 1; $names->{$1} } : $1/ge;
	}
	$type =~ s/\bunsigned(?! (?:int|char|short|long))/unsigned int/g;
	$type =~ s/\s*\*\s*/ * /g;
	$type =~ s/\s+$//;
	return $type;
}

# Old rows of the file: [{ id, symbol, text, types }].
sub read_rows {
	my ($path) = @_;
	my @rows;

	open my $in, '<', $path or return [];
	while (my $line = <$in>) {
		next if $line !~ /^CUAPI\(/;
		$line =~ /^CUAPI\((\d+), ((\w+), .*\))$/ or
			fail("$path:$.", 'cannot read this row');
		my ($id, $text, $symbol) = ($1, $2, $3);

		fail("$path:$.", "id $id where " . @rows . ' is due')
			if $id != @rows;
		my ($params) = $text =~ /(P\(.*\))\)$/;
		my @types = map { /^P\(\w+, (.*), \w+\)$/ ? $1 : () }
			split / SEP /, $params // '';

		push @rows, { symbol => $symbol, text => $text,
			types => \@types };
	}
	close $in;
	return \@rows;
}

# The rows of the file: [{ symbol, base, hdr, params => [{ direction, type,
# name }] }].
sub parsed_rows {
	my ($path) = @_;
	my @rows;

	for my $row (@{read_rows($path)}) {
		my @columns = split /, /, $row->{text}, 9;
		my @params = map { /^P\((\w+), (.*), (\w+)\)$/ ?
			{ direction => $1, type => $2, name => $3 } : () }
			split / SEP /, substr $columns[8], 0, -1;

		push @rows, { symbol => $columns[0], base => $columns[1],
			hdr => $columns[5], params => \@params };
	}
	return \@rows;
}

sub check_unchanged {
	my ($self, $row, $function) = @_;
	my @new = map { $_->{type} } @{$function->{params}};
	my @old = @{$row->{types}};

	fail($function->{place}, "$row->{symbol}: prototype changed: " .
		@new . ' parameters, the table has ' . @old) if @new != @old;
	for my $i (0 .. $#new) {
		next if $self->resolved($new[$i]) eq $self->resolved($old[$i]);
		fail($function->{params}[$i]{place}, "$row->{symbol}: " .
			"prototype changed: parameter " . ($i + 1) .
			" is '$new[$i]', the table has '$old[$i]'");
	}
}

# All rows: the old ones kept as they are, new ones appended by name. With
# refresh the old ones keep their ids only.
sub rows {
	my ($self, $functions, $path, $refresh) = @_;
	my $rows = read_rows($path);
	my %have;

	for my $row (@$rows) {
		my $function = $functions->{$row->{symbol}} or next;

		$have{$row->{symbol}} = 1;
		my $changed = defined Gen::Overrides::lookup(
			$self->{overrides}{changed}, $row->{symbol});

		$self->check_unchanged($row, $function) if !$changed;
		$row->{text} = $self->row_text($function)
			if $changed || $refresh;
	}
	for my $symbol (sort keys %$functions) {
		push @$rows, { symbol => $symbol,
			text => $self->row_text($functions->{$symbol}) }
			if !$have{$symbol};
	}
	return map { "CUAPI($_, $rows->[$_]{text}\n" } 0 .. $#$rows;
}

sub new {
	my ($class, %self) = @_;

	$self{versions} = versions($self{types});
	$self{documented} = documented($self{functions});
	return bless \%self, $class;
}

1;
