# SPDX-License-Identifier: Apache-2.0
# Runs the C preprocessor over a toolkit's headers; gives tokens with places.
package Gen::Source;

use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

# Headers of other projects that the toolkit's headers include: the names
# needed of each, in words of our own. guard: what the real header defines.
our @STANDINS = (
	{ header => 'GL/gl.h', guard => '__gl_h_', text => <<'EOT' },
typedef unsigned int GLenum;
typedef unsigned int GLuint;
EOT
	{ header => 'EGL/egl.h', guard => '__egl_h_', text => <<'EOT' },
typedef int EGLint;
EOT
	{ header => 'EGL/eglext.h', guard => '__eglext_h_', text => <<'EOT' },
typedef void *EGLImageKHR;
typedef void *EGLStreamKHR;
typedef void *EGLSyncKHR;
EOT
	{ header => 'vdpau/vdpau.h', guard => '_VDPAU_H', text => <<'EOT' },
typedef uint32_t VdpDevice;
typedef uint32_t VdpOutputSurface;
typedef uint32_t VdpVideoSurface;
typedef int VdpGetProcAddress(VdpDevice, uint32_t, void **);
EOT
);

# The toolkit's headers, and those whose typedefs tell versions.
our @HEADERS = qw(cuda.h cudaProfiler.h cudaGL.h cudaEGL.h cudaVDPAU.h);
our @VERSIONS = qw(cudaTypedefs.h cudaProfilerTypedefs.h cudaGLTypedefs.h
	cudaEGLTypedefs.h cudaVDPAUTypedefs.h);

# What each message begins with.
our $BEFORE = '';

# Says what is wrong and where.
sub complain {
	my ($place, $message) = @_;

	print STDERR $BEFORE, defined $place ? "$place: " : basename($0) . ': ',
		"$message\n";
}

# The same, then ends the script.
sub fail {
	complain(@_);
	exit 1;
}

# Runs a command: its status, the lines it prints, and those of its errors.
sub run {
	my (@command) = @_;

	open my $errors, '+>', undef or fail(undef, "no temporary file: $!");
	my $pid = open(my $in, '-|') // fail(undef, "fork: $!");
	if (!$pid) {
		no warnings 'exec';
		$ENV{LC_ALL} = 'C';
		open STDERR, '>&', $errors;
		exec @command or print STDERR "$!\n";
		exit 127;
	}
	my @lines = <$in>;

	close $in;
	my $status = $?;

	seek $errors, 0, 0;
	return ($status, \@lines, [<$errors>]);
}

# Ends the script by the first of a compiler's errors.
sub fail_compiler {
	my ($compiler, $errors) = @_;
	my ($first) = (grep({ /\berror:/ } @$errors), @$errors, 'nothing is said');

	chomp $first;
	fail(undef, "$compiler cannot compile what the headers declare: " . $first =~ tr/\x00-\x1f\x7f/?/r);
}

# Writes the stand-ins under dir.
sub write_standins {
	my ($dir) = @_;

	for my $standin (@STANDINS) {
		my $path = "$dir/$standin->{header}";

		make_path(dirname($path));
		open my $out, '>', $path or fail($path, $!);
		print $out "#ifndef $standin->{guard}\n",
			"#define $standin->{guard} 1\n#include <stdint.h>\n",
			$standin->{text}, "#endif\n";
		close $out or fail($path, $!);
	}
}

# The preprocessor's lines that stem from the wanted headers:
# [text, "file:line", base name of the file]. own: without the stand-ins.
sub lines_of {
	my ($option, @defines) = @_;
	my $dir = tempdir(CLEANUP => 1);
	my %wanted = map { basename($_) => 1 }
		@{$option->{headers}}, @{$option->{versions}};
	my ($file, $number, @lines) = ('', 0);

	write_standins($dir) if !$option->{own};
	open my $all, '>', "$dir/all.c" or fail("$dir/all.c", $!);
	print $all $option->{own} ? '' : "#include <vdpau/vdpau.h>\n",
		map { "#include <$_>\n" } @{$option->{headers}},
		@{$option->{versions}};
	close $all or fail("$dir/all.c", $!);
	my @command = (split(' ', $option->{cc}), '-x', 'c', '-std=gnu11',
		'-E', '-C', '-dD', @defines, "-I$dir",
		map({ "-I$_" } @{$option->{include}}), "$dir/all.c");
	my ($status, $printed, $errors) = run(@command);

	fail_compiler($option->{cc}, $errors) if $status;
	for my $text (@$printed) {
		if ($text =~ /^# (\d+) "(.*)"/) {
			($number, $file) = ($1, $2);
			$file =~ s/\\([0-7]{3}|.)/length $1 > 1 ? chr oct $1 : $1/ge;
			next;
		}
		push @lines, [$text, "$file:$number", basename($file)]
			if $wanted{basename($file)};
		$number++;
	}
	return \@lines;
}

# Tokens: [kind, text, place, header]; kind is id, num, str, op, doc (a
# comment before a declaration) or define ("NAME value").
sub tokens_of {
	my ($lines) = @_;
	my $text = join '', map { $_->[0] } @$lines;
	my ($line, @tokens) = (0);

	while (1) {
		my ($kind, $at) = ('', $line);

		if ($text =~ /\G\n/gc) {
			$line++;
			next;
		} elsif ($text =~ m{\G(?:[ \t\f\r]+|//[^\n]*)}gc) {
			next;
		} elsif ($text =~ m{\G(/\*.*?\*/)}gcs) {
			$kind = $1 =~ m{^/\*[*!](?!<)} ? 'doc' : '';
		} elsif ($text =~ /\G#([^\n]*)/gc) {
			my $directive = $1;

			push @tokens, ['define', $1, @{$lines->[$at]}[1, 2]]
				if $directive =~ /^\s*define\s+(\w+(?:\s.*)?)$/;
			next;
		} elsif ($text =~ /\G([A-Za-z_]\w*)/gc) {
			$kind = 'id';
		} elsif ($text =~ /\G(\d[\w.]*)/gc) {
			$kind = 'num';
		} elsif ($text =~ /\G("(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)*')/gc) {
			$kind = 'str';
		} elsif ($text =~ /\G(<<|>>|\.\.\.|[^\w\s])/gc) {
			$kind = 'op';
		} else {
			last;
		}
		my $found = $1;

		$line += ($found =~ tr/\n//);
		push @tokens, [$kind, $found, @{$lines->[$at]}[1, 2]] if $kind;
	}
	return \@tokens;
}

1;
