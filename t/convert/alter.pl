#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Puts into a trace file what t/trace/synth.c does not: a call that had not ended, lost calls, a
# mark with a text that is no UTF-8, another name of the first function.
#
# alter.pl FILE open SITE TICKS [PLACE DEPTH] | lost COUNT | mark TICKS THREAD TEXT | name TEXT
use strict;
use warnings;

my ($path, $what, @values) = @ARGV;
open my $file, '+<:raw', $path or die "$path: $!\n";

sub put {
	my ($offset, $bytes) = @_;

	seek $file, $offset, 0 or die "$path: $!\n";
	print $file $bytes or die "$path: $!\n";
}

sub get {
	my ($offset, $size) = @_;
	my $bytes;

	seek $file, $offset, 0 or die "$path: $!\n";
	read($file, $bytes, $size) == $size or die "$path: ends before $offset\n";
	return $bytes;
}

# See include/cuaudit/trace.h: the header's lost[0], open[0] of a chunk, the first free description.
if ($what eq 'lost') {
	put(120, pack 'Q<', $values[0]);
} elsif ($what eq 'open') {
	my ($last, $thread) = (0);
	my $chunk = unpack 'V', get(32, 4);

	# The last chunk of the first one's thread.
	for (my $at = $chunk; $at < -s $path; $at += $chunk) {
		my ($kind, $of) = unpack 'VV', get($at, 8);

		$thread = $of unless defined $thread;
		$last = $at if $kind == 2 && $of == $thread;
	}
	my ($site, $ticks, $place, $depth) = (@values, 0, 0);

	put($last + 128 + 16 * $place, pack 'Q<VV', $ticks, $site, $depth);
} elsif ($what eq 'mark') {
	my $at = 4096;
	my ($type, $size) = unpack 'VV', get($at, 8);

	while ($type) {
		$at += $size;
		($type, $size) = unpack 'VV', get($at, 8);
	}
	my $text = $values[2] . "\0" x (8 - length($values[2]) % 8);
	put($at, pack 'VVQ<VVa*', 8, 24 + length $text, $values[0], $values[1], 0, $text);
} elsif ($what eq 'name') {
	my $at = 4096;
	my ($type, $size) = unpack 'VV', get($at, 8);
	my $function;

	while ($type) {
		$function = get($at + 8, 120) if $type == 1 && !defined $function;
		$at += $size;
		($type, $size) = unpack 'VV', get($at, 8);
	}
	my $text = "$values[0]\0$values[0]" . "\0" x (8 - (2 * length($values[0]) + 1) % 8);
	put($at, pack 'VVa*a*', 1, 128 + length $text, $function, $text);
} else {
	die "alter.pl: what is $what?\n";
}
close $file or die "$path: $!\n";
