#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Walks a Perfetto trace by its wire format and says what is in it, "KEY VALUE" a line, as a
# viewer would see it: slices per track by time, interned names resolved, flows in pairs.
use strict;
use warnings;

my %counts = map { $_ => 0 } qw(packets processes threads begins ends unfinished instants launches
	counters flows unpaired unresolved clocks wrong);
my (%results, %slices, %held, %peak, @texts, %arguments);

sub fail { die "perfetto.pl: @_\n" }

sub varint {
	my ($data, $at) = @_;
	my ($value, $shift) = (0, 0);

	while (1) {
		fail("a number is cut off at $$at") if $$at >= length $$data;
		my $byte = ord substr $$data, $$at++, 1;
		$value |= ($byte & 127) << $shift;
		return $value if $byte < 128;
		$shift += 7;
		fail("a number is too long at $$at") if $shift > 63;
	}
}

# The fields of a message: number => its values in their order.
sub fields {
	my ($data) = @_;
	my ($at, %fields) = (0);

	while ($at < length $data) {
		my $tag = varint(\$data, \$at);
		my $type = $tag & 7;
		my $value;

		fail("field 0") unless $tag >> 3;
		if ($type == 0) {
			$value = varint(\$data, \$at);
		} elsif ($type == 1) {
			$value = unpack 'Q<', substr $data, $at, 8;
			$at += 8;
		} elsif ($type == 2) {
			my $size = varint(\$data, \$at);

			fail("a field is cut off at $at") if $size > length($data) - $at;
			$value = substr $data, $at, $size;
			$at += $size;
		} else {
			fail("a field of type $type");
		}
		push @{ $fields{ $tag >> 3 } }, $value;
	}
	return \%fields;
}

sub one { my ($fields, $number) = @_; return $fields->{$number} ? $fields->{$number}[0] : undef }

my (%state, %events, %tracks, %out, %into);

# name(SEQUENCE, TABLE, IID): what it stands for in that sequence.
sub name {
	my ($sequence, $table, $iid) = @_;
	my $text = $state{$sequence}{$table}{$iid};

	$counts{unresolved}++ unless defined $text;
	return defined $text ? $text : '?';
}

sub intern {
	my ($sequence, $data) = @_;
	my %tables = (1 => 'categories', 2 => 'events', 3 => 'annotations', 29 => 'strings');

	for my $number (keys %tables) {
		for my $entry (@{ $data->{$number} || [] }) {
			my $fields = fields($entry);

			fail("a name given twice") if exists
				$state{$sequence}{ $tables{$number} }{ one($fields, 1) };
			$state{$sequence}{ $tables{$number} }{ one($fields, 1) } = one($fields, 2);
		}
	}
}

sub track {
	my ($data) = @_;
	my $uuid = one($data, 1);
	my $parent = one($data, 5);

	fail("track $uuid is there twice") if $tracks{$uuid};
	fail("track $uuid is below none") if defined $parent && !$tracks{$parent};
	$tracks{$uuid} = { name => one($data, 2), parent => $parent };
	if (defined one($data, 3)) {
		my $process = fields(one($data, 3));

		$counts{processes}++;
		$tracks{$uuid}{pid} = one($process, 1);
		print "process ", one($process, 1), " ", one($process, 6), ": ",
			join(' ', @{ $process->{2} || [] }), "; ", join(', ', @{ $process->{8} || [] }), "\n";
	}
	if (defined one($data, 4)) {
		my $thread = fields(one($data, 4));

		$counts{threads}++;
		fail("a thread of another process") if one($thread, 1) != $tracks{$parent}{pid};
		print "thread ", one($thread, 2), " ", one($thread, 5), "\n";
	}
	$tracks{$uuid}{counter} = fields(one($data, 8)) if defined one($data, 8);
}

# The annotations of an event, as name => value; those of arguments as arguments.NAME.
sub annotations {
	my ($sequence, $prefix, $list, $all) = @_;

	for my $entry (@$list) {
		my $fields = fields($entry);
		my $name = $prefix . name($sequence, 'annotations', one($fields, 1));

		if ($fields->{11}) {
			annotations($sequence, "$name.", $fields->{11}, $all);
		} elsif (defined one($fields, 17)) {
			$all->{$name} = name($sequence, 'strings', one($fields, 17));
		} else {
			my ($value) = grep { defined } map { one($fields, $_) } 3, 4, 5, 6, 7;

			fail("$name is empty") unless defined $value;
			fail("$name is there twice") if exists $all->{$name};
			$all->{$name} = $value;
		}
	}
}

sub event {
	my ($sequence, $time, $data) = @_;
	my $type = one($data, 9);
	my $uuid = one($data, 11);
	my %all;

	fail("an event without a time") unless $time;
	fail("an event on no track") unless $tracks{$uuid};
	name($sequence, 'categories', $_) for @{ $data->{3} || [] };
	annotations($sequence, '', $data->{4} || [], \%all);
	$arguments{$_}++ for grep { /^arguments\./ } keys %all;
	$out{$_}++ for @{ $data->{47} || [] };
	$into{$_}++ for @{ $data->{48} || [] };
	my $text = defined one($data, 10) ? name($sequence, 'events', one($data, 10)) : one($data, 23);
	push @{ $events{$uuid} }, { time => $time, type => $type, name => $text, all => \%all,
		value => one($data, 30) };
	if ($type == 3) {
		$counts{ $data->{48} ? 'launches' : 'instants' }++;
		push @texts, $text unless $data->{48};
	}
}

sub packet {
	my ($data) = @_;
	my $sequence = one($data, 10) or fail("a packet of no sequence");
	my $flags = one($data, 13) || 0;

	$counts{packets}++;
	if ($flags & 1) {
		fail("a sequence begins twice") if $state{$sequence};
		$state{$sequence} = { clock => one(fields(one($data, 59)), 58) };
	}
	fail("a sequence that has not begun") if $flags & 2 && !$state{$sequence};
	if (defined one($data, 6)) {
		my $snapshot = fields(one($data, 6));

		# CLOCK_REALTIME is 1, and is the one that the picture is by.
		$counts{clocks}++;
		fail("not by CLOCK_REALTIME") if one($snapshot, 2) != 1;
	}
	intern($sequence, fields(one($data, 12))) if defined one($data, 12);
	track(fields(one($data, 60))) if defined one($data, 60);
	if (defined one($data, 11)) {
		fail("not by CLOCK_REALTIME") if $state{$sequence}{clock} != 1;
		event($sequence, one($data, 8), fields(one($data, 11)));
	}
}

sub by_time { my @order = sort { $_[$a]{time} <=> $_[$b]{time} || $a <=> $b } 0 .. $#_;
	return map { $_[$_] } @order }

# A track's slices as a viewer makes them of beginnings and ends.
sub slices {
	my ($uuid) = @_;
	my @stack;

	for my $event (by_time(@{ $events{$uuid} })) {
		if ($event->{type} == 1) {
			$counts{begins}++;
			$slices{ $event->{name} }++;
			push @stack, $event;
		} elsif ($event->{type} == 2) {
			my $begin = pop @stack or fail("an end without a beginning on $uuid");
			my $result = $event->{all}{result};

			$counts{ends}++;
			$results{$result}++;
			$counts{ns} += $event->{time} - $begin->{time};
			$counts{wrong}++ unless $begin->{all}{library} && $begin->{all}{caller} =~
				/^\Q$begin->{all}{library}\E\+0x/ && $begin->{all}{correlation};
		} elsif ($event->{type} == 4) {
			fail("a count on no counter") unless $tracks{$uuid}{counter};
			$counts{counters}++;
			$held{$uuid} = $event->{value};
			$peak{$uuid} = $event->{value} if $event->{value} > ($peak{$uuid} || 0);
		}
	}
	$counts{unfinished} += @stack;
}

open my $in, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
my $file = do { local $/; <$in> };
my $trace = fields($file);
fail("not a Perfetto trace") if join(',', keys %$trace) ne '1';
packet(fields($_)) for @{ $trace->{1} };
slices($_) for sort { $a <=> $b } keys %events;
$counts{flows} = keys %out;
$counts{unpaired} = grep { ($out{$_} || 0) != 1 || ($into{$_} || 0) != 1 } keys %out, keys %into;
$counts{held} = 0;
$counts{held} += $_ for values %held;
$counts{peak} += $_ for 0, values %peak;
print "$_ $counts{$_}\n" for sort keys %counts;
print "result $_ $results{$_}\n" for sort keys %results;
print "slice $_ $slices{$_}\n" for sort keys %slices;
print "argument $_ $arguments{$_}\n" for sort keys %arguments;
print "track $tracks{$_}{name}\n" for grep { $tracks{$_}{name} } sort { $a <=> $b } keys %tracks;
print "text $_\n" for @texts;
