#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Walks the packets of a CTF trace's files, and says how many there are; dies of what is wrong.
use strict;
use warnings;

my ($directory) = @ARGV;
open my $in, '<', "$directory/metadata" or die "$directory/metadata: $!\n";
my $metadata = do { local $/; <$in> };
$metadata =~ m{^/\* CTF 1\.8} or die "not a description of CTF 1.8\n";
$metadata =~ /uuid = "([0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"/ or die "no uuid\n";
(my $uuid = $1) =~ tr/-//d;
my $packets = 0;
for my $path (sort grep { !m{/metadata$} } glob "$directory/*") {
	open my $file, '<:raw', $path or die "$path: $!\n";
	my $data = do { local $/; <$file> };
	my ($at, $last, $number, $lost) = (0, 0, 0, 0);

	while ($at < length $data) {
		my ($magic, $id, $stream, $begin, $end, $content, $size, $count, $discarded) =
			unpack 'V H32 V Q<6', substr $data, $at, 72;

		die "$path: no packet at $at\n" if $magic != 0xc1fc1fc1 || $id ne $uuid || $stream;
		die "$path: packet $number is $count\n" if $count != $number++;
		die "$path: times go back at $at\n" if $begin < $last || $end < $begin;
		die "$path: $content bits of $size\n" if $content != $size || $size % 8;
		die "$path: loses less\n" if $discarded < $lost;
		($last, $lost) = ($end, $discarded);
		$at += $size / 8;
		$packets++;
	}
	die "$path: ends within a packet\n" if $at != length $data;
}
print "packets $packets\n";
