# SPDX-License-Identifier: Apache-2.0
# Parses C declarations out of tokens: functions, types, enumerators, macros.
package Gen::Decl;

use strict;
use warnings;
use Gen::Source;

*fail = \&Gen::Source::fail;

my %WORD = map { $_ => 1 } qw(const volatile unsigned signed int char short
	long float double void _Complex __complex__ __int128 _Atomic __const __volatile__);
my %QUALIFIER = map { $_ => 1 } qw(const volatile extern static inline register
	__inline __inline__ __restrict typedef _Noreturn);
# Words of a type that have the rest of it in brackets.
my $OF = qr/^(?:_Atomic|_BitInt|typeof|__typeof|__typeof__)$/;
my $POINTER = qr/^(?:\*|const|volatile|_Atomic|__restrict|__restrict__|restrict)$/;

# C text of tokens, spaced as our style has it.
sub text {
	my ($out, $last) = ('', '');

	for my $token (@_) {
		my $word = $token->[1];
		my $space = $out ne '' && $word !~ /^[,)\];]$/ &&
			$last !~ /^[(\[~]$/ && !($word =~ /^[\[(]$/ &&
			$last =~ /^[\w)\]]+$/) && $last ne '*';

		$out .= ' ' if $space;
		$out .= $word;
		$last = $word;
	}
	return $out;
}

# Index of the bracket that closes the one at $i.
sub closing {
	my ($tokens, $i) = @_;
	my $depth = 0;

	for (my $k = $i; $k < @$tokens; $k++) {
		next if $tokens->[$k][0] ne 'op';
		$depth++ if $tokens->[$k][1] =~ /^[({\[]$/;
		$depth-- if $tokens->[$k][1] =~ /^[)}\]]$/;
		return $k if $depth == 0;
	}
	fail($tokens->[$i][2], "'$tokens->[$i][1]' is never closed");
}

# Splits tokens at a mark outside of brackets.
sub split_at {
	my ($mark, @tokens) = @_;
	my ($depth, @parts) = (0, []);

	for my $token (@tokens) {
		if ($token->[0] eq 'op') {
			$depth++ if $token->[1] =~ /^[({\[]$/;
			$depth-- if $token->[1] =~ /^[)}\]]$/;
			if ($depth == 0 && $token->[1] eq $mark) {
				push @parts, [];
				next;
			}
		}
		push @{$parts[-1]}, $token;
	}
	return @parts;
}

# Takes declaration specifiers off @$tokens:
# { words, kind (struct union enum), tag, body (tokens), align }.
sub specifiers {
	my ($tokens) = @_;
	my %spec = (words => []);
	my $named = 0;

	while (@$tokens) {
		my ($kind, $word, $place) = @{$tokens->[0]};

		last if $kind ne 'id';
		if ($word =~ /^(?:_Alignas|__declspec)$/) {
			my $end = closing($tokens, 1);
			my @taken = splice @$tokens, 0, $end + 1;

			$spec{align} = text(@taken[2 .. $#taken - 1])
				if $word eq '_Alignas';
		} elsif ($word =~ /^(?:struct|union|enum)$/) {
			shift @$tokens;
			@spec{qw(kind place)} = ($word, $place);
			$spec{tag} = (shift @$tokens)->[1]
				if @$tokens && $tokens->[0][0] eq 'id';
			if (@$tokens && $tokens->[0][1] eq '{') {
				my $end = closing($tokens, 0);
				my @body = splice @$tokens, 0, $end + 1;

				$spec{body} = [@body[1 .. $#body - 1]];
			}
			push @{$spec{words}}, $word, $spec{tag} // ();
			$named = 1;
		} elsif ($word =~ $OF && @$tokens > 1 && $tokens->[1][1] eq '(') {
			push @{$spec{words}}, text(splice @$tokens, 0, closing($tokens, 1) + 1);
			$named = 1;
		} elsif ($WORD{$word} || $QUALIFIER{$word}) {
			shift @$tokens;
			push @{$spec{words}}, $word
				if $WORD{$word} || $word eq 'volatile';
			$named = 1 if $WORD{$word} &&
				$word !~ /^(?:const|volatile|_Atomic|__const|__volatile__)$/;
		} else {
			last if $named;
			shift @$tokens;
			push @{$spec{words}}, $word;
			$named = 1;
		}
	}
	return \%spec;
}

# Those outside of brackets.
sub outer {
	my $depth = 0;

	return grep {
		$depth-- if $_->[0] eq 'op' && $_->[1] =~ /^[)}\]]$/;
		my $out = $depth == 0;
		$depth++ if $_->[0] eq 'op' && $_->[1] =~ /^[({\[]$/;
		$out;
	} @_;
}

# Without brackets around a name alone, of what is no parameter.
sub unwrapped {
	my (@tokens) = @_;
	my $at = 0;

	$at++ while $at < @tokens && $tokens[$at][1] =~ $POINTER;
	splice @tokens, $at, 3, $tokens[$at + 1]
		if $at + 2 < @tokens && $tokens[$at][1] eq '(' && $tokens[$at + 1][0] eq 'id' &&
			$tokens[$at + 2][1] eq ')';
	return @tokens;
}

# One declarator: { name, place, before, after, params }. The declaration is
# "<specifiers> before name after"; params is set for functions. unread: there is
# more to it, so that it may be a function's that is not what it looks like.
sub declarator {
	my (@tokens) = @_;
	my ($at, $group, %decl) = (0);

	# Brackets around pointers, and pointers within them.
	for (; $at < @tokens; $at++) {
		if ($tokens[$at][1] eq '(' && $at + 1 < @tokens && $tokens[$at + 1][1] eq '*') {
			$group //= $at;
		} elsif ($tokens[$at][1] !~ $POINTER) {
			last;
		}
	}
	my $end = defined $group ? closing(\@tokens, $group) - $at : -1;
	my @before = splice @tokens, 0, $at;

	if (@tokens && $tokens[0][0] eq 'id') {
		@decl{qw(name place)} = @{shift @tokens}[1, 2];
		$end-- if defined $group;
	}
	my @after = splice @tokens, 0, $end + 1;

	$decl{indirect} = 1 if defined $group;
	# It returns a pointer to a function.
	$decl{unread} = 1 if @after && $after[0][1] eq '(';
	if (@tokens && $tokens[0][1] eq '(') {
		my $end = closing(\@tokens, 0);

		$decl{params} = [@tokens[1 .. $end - 1]];
		$decl{unread} = 1 if !defined $decl{name};
		$decl{unread} = 1 if grep { $_->[0] eq 'id' } outer(@tokens[$end + 1 .. $#tokens]);
	} else {
		$decl{unread} ||= grep { $_->[1] eq '(' } outer(@{(split_at('=', @tokens))[0]});
	}
	$decl{before} = text(@before);
	$decl{after} = text(@after, @tokens);
	$decl{array} = 1 if @tokens && $tokens[0][1] eq '[';
	return \%decl;
}

# "type name": the declaration of name, or the bare type for name ''.
sub declaration {
	my ($spec, $decl, $name) = @_;
	my $type = join ' ', @{$spec->{words}};
	my $space = $decl->{before} eq '' && $name eq '' &&
		$decl->{after} eq '' ? '' : ' ';

	return $type . $space . $decl->{before} . $name . $decl->{after};
}

# The parameters of a function: [{ type, name, place, pointer, const, own }]. $lenient:
# one may have no name, and "..." may follow them. own: the type is declared in the list.
sub parameters {
	my ($function, $lenient, @tokens) = @_;
	my @params;

	return [] if !@tokens || (@tokens == 1 && $tokens[0][1] eq 'void');
	for my $part (split_at(',', @tokens)) {
		my @rest = @$part;
		my $place = @rest ? $rest[0][2] : undef;

		last if $lenient && @rest && $rest[0][1] eq '...';
		my $spec = specifiers(\@rest);
		my $decl = declarator(@rest);
		my $number = @params + 1;

		$decl->{name} //= "arg$number" if $lenient;
		fail($place, "$function: parameter $number has no name")
			if !defined $decl->{name};
		my $array = $decl->{after} =~ s/^(\[(?:[^][]|(?1))*\])//;
		my $pointer = $decl->{before} =~ /\*/ && !$decl->{indirect} || $array;

		# An array parameter is a pointer to its elements, which may be arrays.
		if ($array && $decl->{after} =~ /^\[/) {
			$decl->{before} .= '(*';
			$decl->{after} = ")$decl->{after}";
			$decl->{indirect} = 1;
		} elsif ($array) {
			$decl->{before} .= '*';
		}
		if ($lenient && is_function($decl)) {
			# So is a function's, to that.
			$decl->{before} .= '(*';
			$decl->{after} = ")$decl->{after}";
			$decl->{indirect} = 1;
		}
		my $type = declaration($spec, $decl, '');

		$type = "__typeof__($type)" if $decl->{indirect};
		push @params, { type => $type, name => $decl->{name},
			place => $decl->{place}, pointer => $pointer,
			own => defined $spec->{body},
			const => scalar($type =~ /^const / &&
				$type !~ /\*.*\*/) };
	}
	return \@params;
}

# The value of a constant expression over earlier enumerators.
sub evaluate {
	my ($values, @tokens) = @_;
	my $code = '';

	for my $token (@tokens) {
		my ($kind, $word, $place) = @$token;

		if ($kind eq 'id') {
			fail($place, "'$word' has no value here")
				if !defined $values->{$word};
			$code .= "($values->{$word})";
		} elsif ($kind eq 'num') {
			$word =~ s/[uUlL]+$//;
			fail($place, "'$word' is no integer")
				if $word !~ /^(?:0x[0-9a-fA-F]+|\d+)$/;
			$code .= $word;
		} elsif ($word =~ /^(?:[-+*|&~()]|<<|>>)$/) {
			$code .= $word;
		} else {
			fail($place, "'$word' in a constant expression");
		}
	}
	my $value = eval $code;

	fail($tokens[0][2], "bad constant expression: $@") if !defined $value;
	return $value;
}

# The enumerators of a body: [{ name, value, hex }]; without values, the names alone.
sub enumerators {
	my ($values, @tokens) = @_;
	my ($next, @list) = (0);

	for my $part (split_at(',', grep { $_->[0] =~ /^(?:id|num|op)$/ } @tokens)) {
		my ($name, $equals, @value) = @$part or next;

		$next = evaluate($values, @value) if @value && $values;
		$values->{$name->[1]} = $next if $values;
		push @list, { name => $name->[1], value => $next,
			hex => scalar(@value && $value[0][1] =~ m{^0x}i) };
		$next++;
	}
	return \@list;
}

# The members of a struct or union: [{ spec, decl, members }].
sub members {
	my (@tokens) = @_;
	my @list;

	for my $part (split_at(';', grep { $_->[0] =~ /^(?:id|num|op)$/ } @tokens)) {
		my @rest = @$part or next;
		my $spec = specifiers(\@rest);

		$spec->{members} = members(@{$spec->{body}})
			if $spec->{body} && $spec->{kind} ne 'enum';
		for my $one (@rest ? split_at(',', @rest) : []) {
			push @list, { spec => $spec, decl => declarator(@$one) };
		}
	}
	return \@list;
}

# How what has a body begins.
my $INLINE = qr/^(?:static|(?:extern )?(?:inline|__inline|__inline__))\b/;

# Whether what has a body is a function: it has it behind its parameters.
sub defines {
	my ($at) = grep { $_[$_][1] eq '{' } 0 .. $#_;
	my @outer = defined $at ? outer(@_[0 .. $at - 1]) : ();

	return @outer > 2 && $outer[-1][1] eq ')' && $outer[-3][0] eq 'id' &&
		$outer[-3][1] !~ /^(?:_Alignas|__declspec)$/;
}

# Without attributes, which no type here shows, and what else is for the compiler alone.
sub unattributed {
	my ($tokens) = @_;
	my @out;

	for (my $i = 0; $i < @$tokens; $i++) {
		my ($word, $next) = map { $_->[1] } @$tokens[$i, $i + 1 < @$tokens ? $i + 1 : $i];

		if ($word =~ /^__attribute(?:__)?$/ && $next eq '(') {
			$i = closing($tokens, $i + 1);
		} elsif ($word eq '[' && $next eq '[') {
			$i = closing($tokens, $i);
		} elsif ($word ne '__extension__') {
			push @out, $tokens->[$i];
		}
	}
	return \@out;
}

sub is_function {
	my ($decl) = @_;

	return $decl->{params} && !$decl->{indirect};
}

# Whether a parameter is of a tag that nobody else sees, as its list is the first to name it.
sub is_hidden {
	my ($tags, $param) = @_;

	return $param->{own} || grep { !$tags->{$_} } $param->{type} =~ /\b((?:struct|union|enum) \w+)/g;
}

sub take_function {
	my ($found, $doc, $header, $spec, $decl, $text) = @_;
	my $name = $decl->{name};
	my $old = $found->{function}{$name};

	return if $name !~ $found->{wanted} || $old && !defined $doc;
	my @params = grep { $_->[0] ne 'doc' } @{$decl->{params}};
	my $list = parameters($name, $found->{lenient}, @params);

	$found->{function}{$name} = {
		name => $name, place => $decl->{place}, text => $text,
		header => $header,
		doc => $doc // ($old ? $old->{doc} : undef),
		result => join(' ', @{$spec->{words}}),
		returns => declaration($spec, { before => $decl->{before},
			after => '' }, ''),
		variadic => scalar(grep { $_->[1] eq '...' } @params),
		unknown => !@params,	# no prototype, before C23
		params => $list, hidden => scalar(grep { is_hidden($found->{tags}, $_) } @$list) };
}

# Adds what one declaration says to the result.
sub take {
	my ($found, $doc, @tokens) = @_;
	my ($place, $header) = @{$tokens[0]}[2, 3];
	my $typedef = $tokens[0][1] eq 'typedef';

	return if $tokens[0][1] =~ /^(?:_Static_assert|static_assert|asm|__asm__)$/;
	my $text = text(@tokens);
	my $spec = specifiers(\@tokens);
	$found->{tags}{"$spec->{kind} $spec->{tag}"} = 1 if defined $spec->{tag};
	my @decls = @tokens ? map { declarator(unwrapped(@$_)) } split_at(',', @tokens) : ();

	if ($spec->{body}) {
		if ($spec->{kind} eq 'enum') {
			$spec->{enumerators} = enumerators(
				$found->{lenient} ? undef : $found->{values},
				@{$spec->{body}});
		} elsif (!$found->{lenient}) {
			$spec->{members} = members(@{$spec->{body}});
		}
	}
	for my $decl (grep { defined $_->{name} } @decls) {
		# Of a function's type, perhaps.
		my $last = $spec->{words}[-1] // '';

		$decl->{unread} = 1 if !$typedef && $decl->{before} eq '' && !$decl->{array} &&
			$found->{prototypes}{$last};
		$found->{prototypes}{$decl->{name}} = 1 if $typedef && is_function($decl);
	}
	if (!$typedef && grep { $_->{unread} || is_function($_) } @decls) {
		for my $decl (@decls) {
			if ($decl->{unread}) {
				push @{$found->{unread}}, { place => $place, text => $text };
			} elsif (is_function($decl)) {
				take_function($found, $doc, $header, $spec, $decl, $text);
			}
		}
		return;
	}
	push @{$found->{types}}, { spec => $spec, decls => \@decls,
		typedef => $typedef, header => $header, place => $place };
}

# Everything the tokens declare: { function => {name => ...}, types => [...],
# macros => [...], values => {...}, unread => [{ place, text }] }. wanted: names of functions; lenient:
# parameters may have no names, enumerators get no values, structures no members.
sub parse {
	my ($tokens, %option) = @_;
	my %found = (function => {}, types => [], macros => [], values => {}, unread => [],
		wanted => qr/^cu/, %option);
	my ($depth, $doc, @pending) = (0);

	for my $token (@{unattributed($tokens)}) {
		my ($kind, $word, $place, $header) = @$token;

		if ($kind eq 'define') {
			my ($name, $value) = split ' ', $word, 2;

			push @{$found{macros}}, { name => $name,
				value => $value // '', place => $place,
				header => $header };
			next;
		}
		if ($kind eq 'doc') {
			$doc = $word if !@pending;
			next;
		}
		if ($kind eq 'op') {
			$depth++ if $word =~ /^[({\[]$/;
			$depth-- if $word =~ /^[)}\]]$/;
		}
		my $body = $word eq '}' && $depth == 0 &&
			(text(@pending) =~ $INLINE || $found{lenient} && defines(@pending) ||
			$pending[0][1] eq '{');	# behind parameters as before C90

		if ($depth == 0 && ($word eq ';' || $body)) {
			take(\%found, $doc, @pending) if @pending && !$body;
			@pending = ();
			undef $doc;
			next;
		}
		push @pending, $token;
	}
	fail($pending[0][2], 'declaration without an end') if @pending;
	return \%found;
}

1;
