# SPDX-License-Identifier: Apache-2.0
# Tells what a C type's values are, and what is behind its pointers.
package Gen::Shapes;

use strict;
use warnings;
use Gen::Overrides;
use Gen::Rows;
use Gen::Source;
use Gen::Types;

*fail = \&Gen::Source::fail;
*names_of = \&Gen::Types::names_of;

# Integer parameters named so may be the length of an array beside them.
my $LENGTH = qr/(?i:num|count|len|size|rank)|^nb?[A-Z]/;
my $UNSIGNED = qr/^(?:unsigned|size_t$|uint\d+_t$)/;
my $INTEGER = qr/^(?:unsigned|int|char|short|long|size_t$|u?int\d+_t$)/;

# The type without the const before or after it, and how many pointers deep.
sub peeled {
	my ($type) = @_;
	my $depth = $type =~ /\(/ ? 0 : $type =~ tr/*//;

	$type =~ s/\bconst\b//g;
	$type =~ s/\*//g if $depth;
	$type =~ s/^\s+|\s+$//g;
	return ($type, $depth);
}

sub said {
	my ($self, $word, @keys) = @_;

	for my $key (@keys) {
		my $value = Gen::Overrides::lookup($self->{shapes}{$word}, $key);

		return $value if defined $value;
	}
	return undef;
}

sub resolved {
	my ($self, $type) = @_;

	return Gen::Rows::resolved($self, $type);
}

# The macro call for a value of a type: INT(int), NAMED(CUlimit, CUlimit) ...
sub value {
	my ($self, $type) = @_;
	my ($bare, $depth) = peeled($type);
	my $handle = $self->said('handle', $bare);
	my $known = $self->{enums}{$bare};

	return 'HEX(void *)' if $depth;
	return "HANDLE($bare, $handle)" if defined $handle;
	return "NAMED($bare, $known->{name})" if $known;
	return "STRUCT($self->{structs}{$bare}{name})" if $self->{structs}{$bare};
	return "HEX($bare)" if $bare =~ /^CUdeviceptr/;
	my $plain = $self->resolved($bare);

	return "REAL($bare)" if $plain =~ /^(?:float|double)$/;
	return 'HEX(void *)' if $plain !~ $INTEGER || $plain =~ /\*/;
	return ($plain =~ $UNSIGNED ? 'UINT' : 'INT') . "($bare)";
}

# The keys under which people may speak of a parameter.
sub keys_of {
	my ($symbol, $base, $name) = @_;

	return ("$symbol.$name", "$base.$name");
}

sub flag_value {
	my ($self, $value, @keys) = @_;
	my $set = $self->said('flags', @keys) // return $value;
	my ($known) = map { $self->{enums}{$_} // $self->{sets}{$_} // () }
		split ' ', $set;

	fail($self->{path}, "flags($keys[0]): no enumeration '$set'") if !$known;

	$value =~ /^U?INT\((.*)\)$/ or
		fail($self->{path}, "flags($keys[0]): no integer");
	return "NAMED($1, $known->{name})";
}

# One parameter: S(how, value, length).
sub parameter {
	my ($self, $row, $index) = @_;
	my ($symbol, $base, $params) = @{$row}{qw(symbol base params)};
	my $param = $params->[$index];
	my @keys = keys_of($symbol, $base, $param->{name});
	my ($bare, $depth) = peeled($param->{type});
	my $inner = $param->{type};

	if (!$depth || $param->{direction} eq 'VAL') {
		return 'S(VALUE, ' . $self->flag_value(
			$self->value($param->{type}), @keys) . ', 0)';
	}
	return 'S(ADDRESS, HEX(void *), 0)' if $param->{direction} eq 'ADDR';
	my $length = $self->said('len', @keys);
	my ($other) = grep { defined $length && $params->[$_]{name} eq $length }
		0 .. $#$params;

	fail($self->{path}, "len($keys[0]): no parameter '$length'")
		if defined $length && $length !~ /^\d+$/ && !defined $other;
	return 'S(STRING, HEX(void *), 0)' if $depth == 1 && $bare eq 'char' &&
		($param->{type} =~ /^const / || $self->said('string', @keys));
	$inner =~ s/\*[^*]*$//;
	if ($depth == 1 && $bare =~ /^(?:void|char)$/) {
		return 'S(ADDRESS, HEX(void *), 0)' if !defined $other;
		return "S(DATA, BYTE(char), $other)";
	}
	my $value = $depth == 2 && $inner =~ /^const char\b/ ? 'TEXT(char *)' :
		$self->flag_value($self->value($inner), @keys);

	return "S(ARRAY, $value, $other)" if defined $other;
	return 'S(ADDRESS, HEX(void *), 0)' if ($length // '') eq '0';
	return "S(FIXED, $value, $length)" if defined $length;
	if (!defined $length) {
		my @counts = grep { $_->{name} =~ $LENGTH && $_ != $param &&
			$_->{type} !~ /\bchar\b/ && (peeled($_->{type}))[1] <= 1 &&
			$self->value((peeled($_->{type}))[0]) =~ /^U?INT/ }
			@$params;

		fail($self->{path}, "$symbol: no length for parameter " .
			"'$param->{name}' beside '$counts[0]{name}'; decide it here")			if @counts;
	}
	return "S(FIXED, $value, 1)";
}

# Members of a structure, those of unions where people said when they hold.
sub members {
	my ($self, $struct, $prefix, $members, $cases, $union) = @_;
	my (@lines, $left);

	for my $member (@$members) {
		my ($spec, $decl) = @{$member}{qw(spec decl)};
		my $name = $decl->{name} // '';
		my $path = "$prefix$name";
		my $bare = join ' ', @{$spec->{words}};
		my @cases = @$cases;

		next if $name =~ /^_?(?:reserved|pad|oversize|internal_padding)/ ||
			!defined $decl->{name} && !$spec->{members};
		if ($union) {
			my $said = $self->said('when', "$struct.$path");

			if (!defined $said) {
				$left = 1;
				next;
			}
			my ($field, @values) = split ' ', $said;

			@cases = map { "WHEN($struct, $field, $_)" } @values
				if $field ne 'always';
		}
		my $plain = $decl->{before} eq '' && $decl->{after} eq '';
		my $inner = $plain ? $spec->{members} ?
			{ kind => $spec->{kind}, members => $spec->{members} } :
			$self->{structs}{$bare} : undef;

		if (!$inner) {
			push @lines, map { $self->member($struct, $prefix, $spec,
				$decl, $_) } @cases;
			next;
		}
		my ($more, $open) = $self->members($struct,
			$name eq '' ? $prefix : "$path.", $inner->{members},
			\@cases, $inner->{kind} eq 'union');

		push @lines, @$more;
		$left ||= $open;
	}
	return (\@lines, $left);
}

sub member {
	my ($self, $struct, $prefix, $spec, $decl, $when) = @_;
	my $path = "$prefix$decl->{name}";
	my $bare = join ' ', @{$spec->{words}};
	my $key = "$struct.$path";
	my $pointer = $decl->{before} =~ /\*/;
	my $array = $decl->{after} =~ /^\s*\[/;
	my $length = $self->said('len', $key);
	my $value = $pointer || $decl->{indirect} ? 'HEX(void *)' :
		$array && $bare =~ /^(?:const )?(?:unsigned )?char$/ ? "BYTE($bare)" :
		$self->flag_value($self->value($bare), $key);

	if ($pointer && $self->said('string', $key)) {
		$value = 'TEXT(char *)';
	} elsif ($pointer && defined $length) {
		$bare = $bare =~ /^const (.*)/ ? $1 : $bare;
		return sprintf "MEMBER_ARRAY(%s, %s, %s, %s, %s)\n", $struct,
			$path, $self->flag_value($self->value($bare), $key),
			$when, "$prefix$length";
	}
	return "MEMBER($struct, $path, $value, $when)\n";
}

# The lines of driver_params.def after its head: nobody needs all its macros.
sub text {
	my ($self, $rows) = @_;
	my @macros = ('HANDLE_KIND(word)', 'FLAGSET(type)',
		'ENUMERATOR(type, name, value)', 'ENUM_END(type)', 'SHAPE(type)',
		'MEMBER(type, path, value, when)',
		'MEMBER_ARRAY(type, path, value, when, length)',
		'SHAPE_END(type, partial)', 'PARAMS(symbol, nparams, shapes)');
	my @names = map { /^(\w+)/ } @macros;
	my @lines = map { "#ifndef $names[$_]\n#define $macros[$_]\n#endif\n" }
		0 .. $#names;
	my %words;

	push @lines, "\n";
	$words{$_->[1]} = 1 for @{$self->{shapes}{handle}};
	push @lines, map({ "HANDLE_KIND($_)\n" } sort keys %words), "\n";
	for my $set (sort keys %{$self->{sets}}) {
		push @lines, "FLAGSET($set)\n", map({
			"ENUMERATOR($set, $_->[0], $_->[1])\n" }
			@{$self->{sets}{$set}{macros}}), "ENUM_END($set)\n\n";
	}
	for my $name (@{$self->{order}}) {
		my $struct = $self->{structs}{$name};
		my ($members, $left) = $self->members($name, '',
			$struct->{members}, ['ALWAYS'], $struct->{kind} eq 'union');

		push @lines, "SHAPE($name)\n", @$members,
			"SHAPE_END($name, " .
			($left || !@$members ? 1 : 0) . ")\n\n";
	}
	for my $row (@$rows) {
		my @shapes = map { $self->parameter($row, $_) }
			0 .. $#{$row->{params}};

		push @lines, "PARAMS($row->{symbol}, " . @shapes . ', ' .
			join(' SEP ', @shapes) . ")\n";
	}
	push @lines, "\n", map { "#undef $_\n" } @names;
	return join '', @lines;
}

# Enumerations made of macros: `macros(NAME) = GLOB`.
sub macro_sets {
	my ($self) = @_;
	my %sets;

	for my $entry (@{$self->{shapes}{macros}}) {
		my ($name, $glob) = @{$entry}[2, 1];
		my $regex = Gen::Overrides::glob_to_regex($glob);
		my @macros = map { $_->{value} =~ /^(0x[0-9a-fA-F]+|\d+)\b/ ?
			[$_->{name}, $1] : () }
			grep { $_->{name} =~ /^$regex$/ } @{$self->{macros}};

		fail($self->{path}, "macros($name): no macro '$glob'") if !@macros;
		$sets{$name} = { name => $name, macros => \@macros };
	}
	return \%sets;
}

sub new {
	my ($class, %self) = @_;
	my $self = bless { %self, enums => {}, structs => {}, order => [] }, $class;

	for my $type (@{$self->{types}}) {
		my $spec = $type->{spec};
		my @names = names_of($type);
		my $from = $spec->{words}[-1] // '';

		if ($spec->{enumerators}) {
			my $flags = grep { defined Gen::Overrides::lookup(
				$self->{overrides}{flagset}, $_) } @names;
			my $negative = grep { $_->{value} < 0 }
				@{$spec->{enumerators}};

			$self->{enums}{$_} = { name => $names[0], flags => $flags,
				negative => $negative } for @names;
		} elsif ($spec->{members}) {
			push @{$self->{order}}, $names[0];
			$self->{structs}{$_} = { name => $names[0],
				kind => $spec->{kind}, tag => $spec->{tag},
				members => $spec->{members} } for @names;
		} elsif ($type->{typedef}) {
			for my $table (@{$self}{qw(enums structs)}) {
				$table->{$_} = $table->{$from} for
					grep { $table->{$from} && $_ ne
					($spec->{tag} // '') } names_of($type);
			}
		}
	}
	for my $text (map { $_->{text} } @Gen::Source::STANDINS) {
		$self->{typedefs}{$2} = $1 while
			$text =~ /^typedef (\w[\w ]* \**)(\w+);$/mg;
	}
	$self->{sets} = $self->macro_sets;
	return $self;
}

1;
