# SPDX-License-Identifier: Apache-2.0
# Writes cuda_types.h, driver_enums.def and driver_structs.def.
package Gen::Types;

use strict;
use warnings;
use Gen::Decl;
use Gen::Overrides;
use Gen::Source;

*declaration = \&Gen::Decl::declaration;

# The names by which a declaration can be called: typedef names, then tag.
sub names_of {
	my ($type) = @_;

	return ($type->{typedef} ? map { $_->{name} // () }
		grep { $_->{before} eq '' && !$_->{params} }
		@{$type->{decls}} : (), $type->{spec}{tag} // ());
}

# { typedef name => what it stands for }, for comparing types.
sub typedefs {
	my ($types) = @_;
	my %names;

	for my $type (grep { $_->{typedef} } @$types) {
		my $spec = $type->{spec};
		my ($first) = names_of($type);

		for my $decl (@{$type->{decls}}) {
			next if $decl->{params} || !defined $decl->{name};
			$names{$decl->{name}} = $spec->{kind} &&
				!defined $spec->{tag} ? $first :
				declaration($spec, $decl, '');
		}
	}
	return \%names;
}

sub is_flagset {
	my ($self, $name) = @_;

	return defined Gen::Overrides::lookup($self->{overrides}{flagset}, $name);
}

sub enum_lines {
	my ($self, $type) = @_;
	my @names = names_of($type);
	my $flags = grep { $self->is_flagset($_) } @names;

	return map { [$_->{name}, $_->{value} < 0 || !($flags || $_->{hex}) ?
		$_->{value} : sprintf('0x%x', $_->{value})] }
		@{$type->{spec}{enumerators}};
}

sub member_lines {
	my ($indent, $members) = @_;
	my @lines;

	for (my $i = 0; $i < @$members; $i++) {
		my ($spec, $decl) = @{$members->[$i]}{qw(spec decl)};
		my $tail = declaration({ words => [] }, $decl, $decl->{name} // '');
		my $align = $spec->{align} ?
			"__attribute__((aligned($spec->{align}))) " : '';

		if (!$spec->{body}) {
			push @lines, $indent . $align . declaration($spec,
				$decl, $decl->{name}) . ";\n";
			next;
		}
		push @lines, "$indent@{$spec->{words}} {\n",
			member_lines("$indent\t", $spec->{members}),
			$tail =~ /\S/ ? "$indent}$tail;\n" : "$indent};\n";
	}
	return @lines;
}

# The C text of one declaration that is no enumeration: those are $ENUMS.
sub type_lines {
	my ($self, $type) = @_;
	my $spec = $type->{spec};
	my $typedef = $type->{typedef} ? 'typedef ' : '';
	my @names = map { declaration({ words => [] }, $_, $_->{name}) }
		@{$type->{decls}};

	s/^ // for @names;
	if (!$spec->{body}) {
		my $line = $typedef . join(' ', @{$spec->{words}}) .
			(@names ? ' ' . join(', ', @names) : '') . ";\n";

		$line =~ s/(.{20,70}[,(]) ?/$1\n\t/ if length $line > 80;
		return $line;
	}
	return ($typedef . join(' ', @{$spec->{words}}) . " {\n",
		member_lines("\t", $spec->{members}),
		'}', (@names ? ' ' . join(', ', @names) : ''), ";\n");
}

# Macros that stand for a number or a handle.
sub macro_lines {
	my ($self, $header) = @_;
	my @lines;

	for my $macro (@{$self->{macros}}) {
		my ($name, $value) = @{$macro}{qw(name value)};

		next if $macro->{header} ne $header || $name !~ /^CU(?:DA)?_/ ||
			$name eq 'CUDA_VERSION';
		$value =~ s{/\*.*}{};
		$value =~ s/\s+$//;
		next if $value !~ /^(?:-?\w+|\(-?\w+\)|\(\((?:void\s?\*|CU\w+)\)\s?-?\w+\))$/;
		push @lines, length "#define $name $value" > 80 ?
			"#define $name \\\n\t$value\n" :
			"#define $name $value\n";
	}
	return @lines;
}

# What guards each header against being read twice.
sub guard_of {
	my ($self, $header) = @_;

	for my $macro (@{$self->{macros}}) {
		return $macro->{name} if $macro->{header} eq $header;
	}
	return undef;
}

sub standins {
	my @lines;

	for my $standin (@Gen::Source::STANDINS) {
		push @lines, "\n#if CUAUDIT_TYPES_OWN && !defined($standin->{guard})\n",
			$standin->{text},
			"#endif\n";
	}
	return @lines;
}

my $ENUMS = <<'EOT';
#define ENUM(type) typedef enum type##_enum {
#define FLAGSET(type) ENUM(type)
#define ENUMERATOR(type, name, value) name = value,
#define ENUM_END(type) } type;
#define ENUM_ALIAS(alias, type)
#include <cuaudit/driver_enums.def>
#undef ENUM
#undef FLAGSET
#undef ENUMERATOR
#undef ENUM_END
#undef ENUM_ALIAS

EOT

# The types of one header: those everyone sees, then those that the header
# shows in its internal mode only. Beside somebody's <cuda.h> no other header's.
sub header_lines {
	my ($self, $header) = @_;
	my $guard = $self->guard_of($header) or return;
	my (@all, @internal);

	for my $type (grep { $_->{header} eq $header && !$_->{spec}{enumerators} }
		      @{$self->{types}}) {
		my @lines = $self->type_lines($type);
		my ($name) = (map({ $_->{name} // () } @{$type->{decls}}),
			names_of($type));

		if (($name // '') eq 'CUuuid') {
			@lines = ("#ifndef CU_UUID_HAS_BEEN_DEFINED\n",
				"#define CU_UUID_HAS_BEEN_DEFINED\n", @lines,
				"#endif\n");
		}
		unshift @lines, "\n" if $type->{spec}{body};
		push @{$self->{public}{$name} ? \@all : \@internal}, @lines;
	}
	my @macros = $self->macro_lines($header);

	unshift @macros, "\n" if @macros && @all;
	push @all, @macros;
	unshift @all, $ENUMS if $header eq $self->{headers}[0];
	my $own = $header eq $self->{headers}[0] ? "#ifndef $guard" :
		"#if CUAUDIT_TYPES_OWN && !defined($guard)";

	return (@all ? ("\n$own\n\n", @all, "\n#endif\n") : (),
		@internal ? ("\n#if !defined($guard) || ",
		"!defined(__CUDA_API_VERSION_INTERNAL)\n", @internal,
		"\n#endif\n") : ());
}

sub cuda_types {
	my ($self) = @_;
	my @lines = map { $self->header_lines($_) } @{$self->{headers}};
	my $text = join '', <<'EOT', standins(), @lines, <<'EOT2';
/* SPDX-License-Identifier: Apache-2.0 */
/* The types of the driver's functions, for use where <cuda.h> is not. */
/*
 * Generated by maint/driver-api.pl from the toolkit's headers; do not
 * edit. Where the compiler finds a <cuda.h>, its types are used, whether it
 * is included before this, after it or not at all; CUAUDIT_OWN_TYPES, defined
 * by programs that never include it, forbids that.
 */
#ifndef CUAUDIT_CUDA_TYPES_H
#define CUAUDIT_CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if !defined(CUAUDIT_OWN_TYPES) && defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#endif

/* CUAUDIT_TYPES: the CUDA_VERSION whose types these are. */
#ifdef __cuda_cuda_h__
#define CUAUDIT_TYPES CUDA_VERSION
#define CUAUDIT_TYPES_OWN 0
#if CUAUDIT_TYPES < 11040
#error "cuaudit needs the <cuda.h> of CUDA 11.4 or newer, or -DCUAUDIT_OWN_TYPES"
#endif
#else
#define CUAUDIT_TYPES @VERSION@
#define CUAUDIT_TYPES_OWN 1
#endif

#ifdef __cplusplus
extern "C" {
#endif
EOT

#ifdef __cplusplus
}
#endif
#endif
EOT2
	my ($version) = map { $_->{value} } grep { $_->{name} eq 'CUDA_VERSION' }
		@{$self->{macros}};

	$text =~ s/\@VERSION\@/$version/;
	$text =~ s/\n\n\n+/\n\n/g;
	return $text;
}

# [alias, name] for typedefs of one name to another of %$known.
sub aliases {
	my ($self, $known) = @_;
	my @aliases;

	for my $type (@{$self->{types}}) {
		my $spec = $type->{spec};
		my $to = $spec->{body} ? (names_of($type))[0] :
			$known->{$spec->{words}[-1] // ''};

		next if !$type->{typedef} || !defined $to || !$known->{$to};
		for my $name (names_of($type)) {
			next if $name eq $to || ($spec->{tag} // '') eq $name;
			$known->{$name} = $to;
			push @aliases, [$name, $to];
		}
	}
	return @aliases;
}

sub enums {
	my ($self) = @_;
	my (%known, @lines);

	for my $type (grep { $_->{spec}{enumerators} } @{$self->{types}}) {
		my ($name) = names_of($type) or next;
		my $kind = $self->is_flagset($name) ? 'FLAGSET' : 'ENUM';

		$known{$_} = $name for names_of($type);
		push @lines, "\n$kind($name)\n", map({
			"ENUMERATOR($name, $_->[0], $_->[1])\n" }
			$self->enum_lines($type)), "ENUM_END($name)\n";
	}
	my @aliases = map { "ENUM_ALIAS($_->[0], $_->[1])\n" }
		$self->aliases(\%known);

	return join '', <<'EOT', @lines, @aliases ? "\n" : (), @aliases;
/* SPDX-License-Identifier: Apache-2.0 */
/* The enumerations of the driver's functions, with their values. */
/*
 * Generated by maint/driver-api.pl from the toolkit's headers; do not
 * edit.
 *
 * ENUM(type) or FLAGSET(type), whose values are sums of bits
 * ENUMERATOR(type, name, value), in the headers' order
 * ENUM_END(type)
 * ENUM_ALIAS(alias, type), another name of the same type
 */
EOT
}

# FIELD lines of members, structures by value opened.
sub field_lines {
	my ($self, $struct, $prefix, $members) = @_;
	my @lines;

	for my $member (@$members) {
		my ($spec, $decl) = @{$member}{qw(spec decl)};
		my $name = $decl->{name};
		my $path = $prefix . ($name // '');
		my $plain = $decl->{before} eq '' && $decl->{after} eq '';
		my $inner = $plain ? $spec->{members} //
			$self->{members}{join ' ', @{$spec->{words}}} : undef;

		if ($inner) {
			push @lines, $self->field_lines($struct,
				defined $name ? "$path." : $prefix, $inner);
		} else {
			my $type = declaration($spec, $decl, '');

			push @lines, "FIELD($struct, $type, $path)\n";
		}
	}
	return @lines;
}

sub structs {
	my ($self) = @_;
	my (%known, @lines);

	for my $type (@{$self->{types}}) {
		my $spec = $type->{spec};
		my @names = names_of($type);

		if ($spec->{members}) {
			$known{$_} = $names[0] for @names;
			$self->{members}{$_} = $spec->{members} for @names;
			push @lines, "\nSTRUCT($names[0])\n",
				$self->field_lines($names[0], '',
				$spec->{members}), "STRUCT_END($names[0])\n";
		} elsif ($type->{typedef} &&
			 $self->{members}{$spec->{words}[-1] // ''}) {
			$self->{members}{$_} =
				$self->{members}{$spec->{words}[-1]}
				for grep { $_ ne ($spec->{tag} // '') } @names;
		}
	}
	my @aliases = map { "STRUCT_ALIAS($_->[0], $_->[1])\n" }
		$self->aliases(\%known);

	return join '', <<'EOT', @lines, @aliases ? "\n" : (), @aliases;
/* SPDX-License-Identifier: Apache-2.0 */
/* The structures behind the driver's parameters, field by field. */
/*
 * Generated by maint/driver-api.pl from the toolkit's headers; do not
 * edit.
 *
 * STRUCT(type), a structure or a union
 * FIELD(type, field's type, path), structures by value opened, for offsetof
 * STRUCT_END(type)
 * STRUCT_ALIAS(alias, type), another name of the same type
 */
EOT
}

sub new {
	my ($class, %self) = @_;

	return bless { %self, members => {} }, $class;
}

1;
