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
complain($_->{place}, 'left out, not understood: ' . $_->{text} =~ s/^(.{120}).+/$1.../r) for @{$found->{unread}};
my $unread = @{$found->{unread}};
complain('types', "$unread of the headers' declarations " . ($unread == 1 ? 'is' : 'are') . ' left out') if $unread;
fail($option{headers}[0], 'declares no functions') if !%functions;

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

# Of structures, unions and enumerations by their tags, those that the compiler does not have whole: one that
# a list of parameters is the first to name ends with that list.
sub incomplete {
	my @types = @_;
	my $dir = tempdir(CLEANUP => 1);
	my (%bad, $before);

	# Each of them in a line of its own; a compiler may end after some errors.
	do {
		$before = keys %bad;
		open my $out, '>', "$dir/whole.c" or fail("$dir/whole.c", $!);
		print $out map({ "#include <$_>\n" } @{$option{headers}}),
			map({ "#line $_ \"whole\"\nchar whole${_}[sizeof($types[$_ - 1])];\n" }
			grep { !$bad{$types[$_ - 1]} } 1 .. @types);
		close $out or fail("$dir/whole.c", $!);
		my @command = (split(' ', $option{cc}), '-w', '-std=gnu11',
			map({ "-I$_" } @{$option{include}}), '-fsyntax-only', "$dir/whole.c");
		my $pid = open(my $errors, '-|') // fail(undef, "fork: $!");
		if (!$pid) {
			open STDERR, '>&', \*STDOUT;
			exec @command or exit 127;
		}
		/^whole:(\d+):/ and $bad{$types[$1 - 1]} = 1 while defined($_ = <$errors>);
		close $errors;
	} while (keys %bad > $before);
	return keys %bad;
}

# In which registers the compiler passes a structure: behind "..." it is passed as elsewhere, and the list of what
# is there counts registers. Where there is one of each, the bytes tell which is the first.
my $PASSED = <<'EOC';
#define AGGREGATE(type) (__builtin_classify_type(*(type *)0) >= 12 && __builtin_classify_type(*(type *)0) <= 13)
#if defined(__x86_64__)
struct list { unsigned int general, vector; unsigned char *stack, *saved; };
#define LIST(list) (*(struct list *)(list))
static const char *passed(const struct list *before, const struct list *after, size_t size)
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
struct list { void *stack, *general_end, *vector_end; int general, vector; };
#define LIST(list) (*(struct list *)&(list))
static const char *passed(const struct list *before, const struct list *after, size_t size)
{
	static const char *const of[] = { "", ":f", ":ff", ":fff", ":ffff" };
	int vector = (after->vector - before->vector) / 16;

	return vector || size > 16 ? of[vector] : size > 8 ? ":ii" : ":i";
}
#endif
/* A structure that may be in registers, or an int. */
#define SMALL(type) __typeof__(__builtin_choose_expr(AGGREGATE(type) && sizeof(type) <= 32, *(type *)0, 0))
#define PASSED(number, type) \
	static const char *take_##number(int first, ...) \
	{ \
		struct list before, after; \
		va_list list; \
		va_start(list, first); \
		before = LIST(list); \
		(void)va_arg(list, SMALL(type)); \
		after = LIST(list); \
		va_end(list); \
		return passed(&before, &after, sizeof(type)); \
	} \
	static const char *passed_##number(void) \
	{ \
		static union { unsigned char bytes[32]; long long word; } all; \
		for (int i = 0; i < 32; i++) \
			all.bytes[i] = i + 1; \
		return AGGREGATE(type) && sizeof(type) <= 32 ? take_##number(0, *(SMALL(type) *)&all) : ""; \
	}
EOC

# What the compiler says that each type is, a word of cuaudit-types(5), and each enumerator.
sub compiled {
	my ($names, @types) = @_;
	my $dir = tempdir(CLEANUP => 1);
	my (%kinds, %values);

	open my $out, '>', "$dir/kinds.c" or fail("$dir/kinds.c", $!);
	print $out "#include <stdarg.h>\n#include <stdio.h>\n", map({ "#include <$_>\n" } @{$option{headers}}),
		$PASSED, map({ "PASSED($_, $types[$_])\n" } 0 .. $#types), <<'EOC';
#define KIND(number, type) do { \
	const char *kind = _Generic(*(type *)0, _Bool: "b", char: (char)-1 < 0 ? "i" : "u", \
		signed char: "i", short: "i", int: "i", long: "i", long long: "i", \
		unsigned char: "u", unsigned short: "u", unsigned int: "u", unsigned long: "u", \
		unsigned long long: "u", float: "f", double: "f", const char *: "str", char *: "text", \
		default: __builtin_classify_type(*(type *)0) == 5 ? "ptr" : !AGGREGATE(type) ? "?" : \
			 !sizeof(type) || _Alignof(type) > 8 ? "?m" : "m"); \
	int sized = kind[0] != '?' && kind[1] == '\0'; \
	printf(sized ? "%d %s%zu%s\n" : "%d %s\n", number, kind, sizeof(type), passed_##number()); \
} while (0)
int main(void)
{
EOC
	print $out map({ "\tKIND($_, $types[$_]);\n" } 0 .. $#types),
		map({ "\tprintf(\"%s=%lld\\n\", \"$_\", (long long)$_);\n" } @$names);
	print $out "\treturn 0;\n}\n";
	close $out or fail("$dir/kinds.c", $!);
	system(split(' ', $option{cc}), '-w', '-Wno-psabi', '-std=gnu11', map({ "-I$_" } @{$option{include}}),
		'-o', "$dir/kinds", "$dir/kinds.c") and fail(undef, "$option{cc} cannot compile what the headers declare");
	for my $line (`$dir/kinds`) {
		$kinds{$types[$1]} = $2 if $line =~ /^(\d+) (\S+)$/;
		$values{$1} = $2 if $line =~ /^(\w+)=(-?\d+)$/;
	}
	fail(undef, 'the compiler did not tell all types') if keys %kinds != @types;
	return (\%kinds, \%values);
}

my %types;
for my $function (values %functions) {
	$types{$_->{type}} = 1 for @{$function->{params}};
	$types{$function->{returns}} = 1 if $function->{returns} ne 'void';
}
my %names = map { $_->{name} => 1 } map { @$_ } values %enums;
# A type that has no name, "struct *", is none that another file could say, nor one that ends with a list of parameters.
my %unnamed = map { $_ => 1 }
	grep { /\b(?:struct|union|enum)\b(?! (?!(?:const|volatile|restrict)\b)\w| ?\{)/ } keys %types;
my %tagged = map { ("$_->{kind} $_->{tag}" => 1) } grep { $_->{body} && defined $_->{tag} }
	map { $_->{spec} } @{$found->{types}};
$unnamed{$_} = 1 for incomplete(grep { !$unnamed{$_} && !$tagged{s/^(?:(?:const|volatile) )+//r} &&
	/^(?:(?:const|volatile) )*(?:struct|union|enum) \w+$/ } sort keys %types);
my ($kinds, $values) = compiled([sort keys %names], grep { !$unnamed{$_} } sort keys %types);
$kinds->{$_} = '?' for keys %unnamed;
$kinds->{void} = 'void';

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
print "cuaudit-types\t1\n";
for my $type (sort keys %used) {
	print join("\t", 'enum', $type, map { "$_->{name}=$values->{$_->{name}}" } @{$used{$type}}), "\n";
}
print @lines;
