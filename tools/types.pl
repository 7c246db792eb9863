#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Prints a file of types, cuaudit-types(5), of the functions that C headers declare.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../maint";
use File::Basename qw(basename);
use File::Spec;
use File::Temp qw(tempdir);
use Gen::Decl;
use Gen::Source;
use Gen::Types;

*fail = \&Gen::Source::fail;
*complain = \&Gen::Source::complain;
$Gen::Source::BEFORE = 'cuaudit: ';

# What is in directories of ours goes where a signal ends this, too.
for my $name (grep { ($SIG{$_} // '') ne 'IGNORE' } qw(HUP INT PIPE TERM)) {
	$SIG{$name} = sub {
		File::Temp::cleanup();
		$SIG{$name} = 'DEFAULT';
		kill $name, $$;
	};
}

my %option = (cc => $ENV{CC} || 'cc', own => 1, headers => [], versions => [], include => []);

while (@ARGV) {
	my $word = shift @ARGV;
	my $value = shift @ARGV;

	push @{$option{$word eq '-I' ? 'include' : 'headers'}}, File::Spec->rel2abs($value);
}
for my $header (@{$option{headers}}) {
	fail($header, $!) if !-r $header;
	fail($header, 'is no file') if !-f _;
}

my $found = Gen::Decl::parse(Gen::Source::tokens_of(Gen::Source::lines_of(\%option)),
	wanted => qr/./, lenient => 1);
my $typedefs = Gen::Types::typedefs($found->{types});
my %functions = %{$found->{function}};

# The enumeration of each name of it.
my %enums;
for my $type (grep { $_->{spec}{enumerators} } @{$found->{types}}) {
	for my $name (Gen::Types::names_of($type)) {
		$enums{$name} = $type->{spec}{enumerators};
		$enums{"enum $name"} = $type->{spec}{enumerators};
	}
}

# The enumeration that a type is, undef for none.
sub enum_of {
	my ($type) = @_;

	$type =~ s/\b(?:const|volatile) //g;
	for (my $depth = 0; $depth < 16 && !$enums{$type} && defined $typedefs->{$type}; $depth++) {
		$type = $typedefs->{$type};
	}
	return $enums{$type};
}

my $dir = tempdir(CLEANUP => 1);

# Compiles the headers, what comes before, and the lines that %$lines has for its keys. What the compiler refuses of
# these is left out, and returned by its key; it may end after some errors.
sub refused {
	my ($before, $lines, @arguments) = @_;
	my @keys = sort keys %$lines;
	my @command = (split(' ', $option{cc}), '-w', '-Wno-psabi', '-std=gnu11', map({ "-I$_" } @{$option{include}}),
		@arguments, "$dir/types.c");
	my %refused;

	while (1) {
		my $known = keys %refused;

		open my $out, '>', "$dir/types.c" or fail("$dir/types.c", $!);
		print $out "#include <stdarg.h>\n#include <stdio.h>\n", map({ "#include <$_>\n" } @{$option{headers}}), $before,
			map({ "#line $_ \"types\"\n$lines->{$keys[$_ - 1]}\n" } grep { !$refused{$keys[$_ - 1]} } 1 .. @keys);
		close $out or fail("$dir/types.c", $!);
		my ($status, undef, $errors) = Gen::Source::run(@command);

		return keys %refused if !$status;
		for my $line (@$errors) {
			$refused{$keys[$1 - 1]} = 1
				if $line =~ /^types:(\d+):(?:\d+:)? (?:(?:fatal )?error:|note: in expansion of macro)/;
		}
		Gen::Source::fail_compiler($option{cc}, $errors) if keys %refused == $known;
	}
}

# In which registers the compiler passes a structure: behind "..." it is passed as elsewhere, and the list of what
# is there counts registers. Where there is one of each, the bytes tell which is the first.
my $KIND = <<'EOC';
#define CUAUDIT_AGGREGATE(type) \
	(__builtin_classify_type(*(type *)0) >= 12 && __builtin_classify_type(*(type *)0) <= 13)
#if defined(__x86_64__)
struct cuaudit_list { unsigned int general, vector; unsigned char *stack, *saved; };
#define CUAUDIT_LIST(list) (*(struct cuaudit_list *)(list))
static const char *cuaudit_passed(const struct cuaudit_list *before, const struct cuaudit_list *after, size_t size)
{
	static const char *const of[3][3] = { { "", ":f", ":ff" }, { ":i", ":if" }, { ":ii" } };
	unsigned int general = (after->general - before->general) / 8, vector = (after->vector - before->vector) / 16;
	const unsigned char *word = before->saved + before->general;
	int second = 0;

	if (general != 1 || vector != 1)
		return of[general][vector];
	for (int i = 0; i < 8; i++)
		second += (word[i] == i + 9) - (word[i] == i + 1);
	return second > 0 ? ":fi" : ":if";
}
#elif defined(__aarch64__)
struct cuaudit_list { void *stack, *general_end, *vector_end; int general, vector; };
#define CUAUDIT_LIST(list) (*(struct cuaudit_list *)&(list))
static const char *cuaudit_passed(const struct cuaudit_list *before, const struct cuaudit_list *after, size_t size)
{
	static const char *const of[] = { "", ":f", ":ff", ":fff", ":ffff" };
	int vector = (after->vector - before->vector) / 16;

	return vector || size > 16 ? of[vector] : size > 8 ? ":ii" : ":i";
}
#endif
/* A structure that may be in registers, or an int. */
#define CUAUDIT_SMALL(type) \
	__typeof__(__builtin_choose_expr(CUAUDIT_AGGREGATE(type) && sizeof(type) <= 32, *(type *)0, 0))
/* The type has a name of ours, as theirs may be the name of a variable here. */
#define CUAUDIT_KIND(number, type) \
	typedef __typeof__(type) cuaudit_type_##number; \
	CUAUDIT_KIND_OF(number, cuaudit_type_##number)
#define CUAUDIT_KIND_OF(number, type) \
	static const char *cuaudit_take_##number(int first, ...) \
	{ \
		struct cuaudit_list before, after; \
		va_list list; \
		va_start(list, first); \
		before = CUAUDIT_LIST(list); \
		(void)va_arg(list, CUAUDIT_SMALL(type)); \
		after = CUAUDIT_LIST(list); \
		va_end(list); \
		return cuaudit_passed(&before, &after, sizeof(type)); \
	} \
	static const char *cuaudit_passed_##number(void) \
	{ \
		static union { unsigned char bytes[32]; long long word; } all; \
		for (int i = 0; i < 32; i++) \
			all.bytes[i] = i + 1; \
		return CUAUDIT_AGGREGATE(type) && sizeof(type) <= 32 ? \
			cuaudit_take_##number(0, *(CUAUDIT_SMALL(type) *)&all) : ""; \
	} \
	static void __attribute__((constructor)) cuaudit_kind_##number(void) \
	{ \
		const char *kind = _Generic(*(type *)0, _Bool: "b", char: (char)-1 < 0 ? "i" : "u", \
			signed char: "i", short: "i", int: "i", long: "i", long long: "i", \
			unsigned char: "u", unsigned short: "u", unsigned int: "u", unsigned long: "u", \
			unsigned long long: "u", float: "f", double: "f", const char *: "str", char *: "text", \
			default: __builtin_classify_type(*(type *)0) == 5 ? "ptr" : !CUAUDIT_AGGREGATE(type) ? "?" : \
				 !sizeof(type) || _Alignof(type) > 8 ? "?m" : "m"); \
		int sized = kind[0] != '?' && kind[1] == '\0'; \
		printf(sized ? "%d %s%zu%s\n" : "%d %s\n", number, kind, sizeof(type), cuaudit_passed_##number()); \
	}
#define CUAUDIT_VALUE(name) \
	static void __attribute__((constructor)) cuaudit_value_##name(void) \
	{ \
		printf("%s=%lld\n", #name, (long long)name); \
	}
#undef main
int main(int argc, char **argv)
{
	return 0;
}
EOC

# What the compiler says that each type is, a word of cuaudit-types(5), and each enumerator.
sub compiled {
	my ($names, @types) = @_;
	my (%lines, %kinds, %values);

	$lines{$types[$_]} = "CUAUDIT_KIND($_, $types[$_])" for 0 .. $#types;
	$lines{"= $_"} = "CUAUDIT_VALUE($_)" for @$names;
	# What functions with bodies there refer to is nowhere.
	delete @lines{refused($KIND, \%lines, '-ffunction-sections', '-fdata-sections', '-Wl,--gc-sections',
		'-o', "$dir/types")};
	for my $line (`$dir/types`) {
		$kinds{$types[$1]} = $2 if $line =~ /^(\d+) (\S+)$/;
		$values{$1} = $2 if $line =~ /^(\w+)=(-?\d+)$/;
	}
	fail(undef, 'the compiler did not tell all types') if keys(%kinds) + keys(%values) != keys %lines;
	return (\%kinds, \%values);
}

# A line of C that is right if the compiler has read a function as we have: by its type or, where that cannot be
# said, of its types those that can.
sub agreed {
	my ($function, $unnamed) = @_;
	my @types = map { $_->{type} } @{$function->{params}};
	my @all = ($function->{returns}, @types);

	return '_Static_assert(1' . join('', map { " + sizeof($_)" } grep { !$unnamed->{$_} } @all) . ', "");'
		if $function->{hidden} || grep { $unnamed->{$_} } @all;
	push @types, '...' if $function->{variadic};
	push @types, 'void' if !@types && !$function->{unknown};
	return "_Static_assert(__builtin_types_compatible_p(__typeof__($function->{name}), " .
		"$function->{returns} (" . join(', ', @types) . ')), "");';
}

# The types of a function.
sub types_of {
	my ($function) = @_;

	return grep { $_ ne 'void' } $function->{returns}, map { $_->{type} } @{$function->{params}};
}

# Where a declaration is, as it is sorted.
sub line_of {
	my ($declaration) = @_;

	return $declaration->{place} =~ s/(\d+)$/sprintf '%09d', $1/er;
}

my %types = map { $_ => 1 } map { types_of($_) } values %functions;
my %names = map { $_->{name} => 1 } map { @$_ } values %enums;
# A type that has no name, "struct *", is none that another file could say, nor one that ends with a list of parameters.
my %unnamed = map { $_ => 1 }
	grep { /\b(?:struct|union|enum)\b(?! (?!(?:const|volatile|restrict)\b)\w| ?\{)/ } keys %types;
my %tagged = map { ("$_->{kind} $_->{tag}" => 1) } grep { $_->{body} && defined $_->{tag} }
	map { $_->{spec} } @{$found->{types}};
# One that a list of parameters is the first to name ends with that list.
$unnamed{$_} = 1 for refused('', { map { ($_ => "_Static_assert(sizeof($_) + 1, \"\");") }
	grep { !$unnamed{$_} && !$tagged{s/^(?:(?:const|volatile) )+//r} &&
	/^(?:(?:const|volatile) )*(?:struct|union|enum) \w+$/ } keys %types }, '-fsyntax-only');
my @left = @{$found->{unread}};
push @left, delete @functions{refused(join('', map { "#undef $_\n" } keys %functions),
	{ map { ($_ => agreed($functions{$_}, \%unnamed)) } keys %functions }, '-fsyntax-only')};
%types = map { $_ => 1 } map { types_of($_) } values %functions;
my ($kinds, $values) = compiled([sort keys %names], grep { !$unnamed{$_} } sort keys %types);
$kinds->{$_} = '?' for keys %unnamed;
$kinds->{void} = 'void';
push @left, delete @functions{grep { grep { !$kinds->{$_} } types_of($functions{$_}) } keys %functions};
complain($_->{place}, 'left out, not understood: ' . $_->{text} =~ s/^(.{120}).+/$1.../r)
	for sort { line_of($a) cmp line_of($b) } @left;
complain('types', @left . " of the headers' declarations " . (@left == 1 ? 'is' : 'are') . ' left out') if @left;
fail($option{headers}[0], 'declares no functions' . (@left ? ' that are understood' : '')) if !%functions;

# The word of a type, e4 where its values have names. What is written through a char * may be no text yet; what is
# returned is.
sub kind_of {
	my ($type, $result) = @_;
	my $kind = $kinds->{$type} eq 'text' ? $result ? 'str' : 'ptr' : $kinds->{$type};

	# More than the page knows is nothing that is passed.
	$kind = '?' if $kind eq '?m' || $kind =~ /^m(\d+)/ && $1 > 65535;
	$kind =~ s/^[iu]/e/ if $kind =~ /^[iu][48]/ && enum_of($type);
	return $kind;
}

my (%used, @lines);
for my $name (sort keys %functions) {
	my $function = $functions{$name};
	my @fields = ('function', $name, kind_of($function->{returns}, 1) . " $function->{returns}");
	# A result in memory takes a register that others would have; of this one nobody knows.
	my $hidden = $unnamed{$function->{returns}} ||
		$kinds->{$function->{returns}} =~ /^\??m/ && kind_of($function->{returns}) eq '?';
	my $open = $function->{variadic} || $function->{unknown} || $hidden;

	for my $param ($hidden ? () : @{$function->{params}}) {
		my $kind = $param->{own} && $param->{type} !~ /\*/ ? '?' : kind_of($param->{type});

		# Nobody knows where those behind it are.
		if ($kind eq '?') {
			$open = 1;
			last;
		}
		push @fields, "$kind $param->{name} $param->{type}";
		$used{$param->{type}} = enum_of($param->{type}) if $kind =~ /^e/;
	}
	$used{$function->{returns}} = enum_of($function->{returns}) if kind_of($function->{returns}) =~ /^e/;
	push @lines, join("\t", @fields, $open ? '...' : ()) . "\n";
}
for my $type (reverse sort keys %used) {
	unshift @lines, join("\t", 'enum', $type, map { "$_->{name}=$values->{$_->{name}}" }
		grep { defined $values->{$_->{name}} } @{$used{$type}}) . "\n";
}
my $text = join '', "cuaudit-types\t1\n", @lines;
fail('types', 'what these headers declare is longer than 1 MiB, which is refused; give fewer of them')
	if length $text > 1 << 20;
print $text and close STDOUT or fail('types', "what the headers declare cannot be written: $!");
