# SPDX-License-Identifier: Apache-2.0
# check.pl FILE: what a page's data says, one "KEY VALUE" a line, once it makes sense as a whole.
# It ends with 1 and one line on stderr where something does not agree with something else.
use strict;
use warnings;
use Digest::SHA 'sha256_base64';
use JSON::PP;

my ($path) = @ARGV;

sub wrong {
	print STDERR "$path: @_\n";
	exit 1;
}

open my $in, '<:raw', $path or wrong($!);
my $page = do { local $/; <$in> };
close $in;

# The page: two scripts, of which one is data, and no way out.
my @scripts = $page =~ m{<script[^>]*>}g;
wrong("scripts: @scripts")
	if "@scripts" ne '<script type="application/json" id="data"> <script>';
my ($data) = $page =~ m{<script type="application/json" id="data">\n(.*?)\n</script>}s
	or wrong('no data');
my ($script) = $page =~ m{<script>(.*?)</script>}s or wrong('no script');
my ($style) = $page =~ m{<style>(.*?)</style>}s or wrong('no style');
my ($policy) = $page =~ m{<meta http-equiv="Content-Security-Policy" content="([^"]*)">}
	or wrong('no policy');
wrong("policy: $policy") if $policy ne "default-src 'none'; style-src 'sha256-" .
	sha256_base64($style) . "='; script-src 'sha256-" . sha256_base64($script) .
	"='; base-uri 'none'; form-action 'none'";
wrong('the policy comes after a script') if index($page, $policy) > index($page, '<script');
wrong("< in the data: $1") if $data =~ /(<.{0,20})/;
my @links = grep { $_ ne 'http://www.w3.org/2000/svg' } $script =~ m{(\w+://[^"'\s]*)}g;
wrong("links: @links") if @links;
wrong("loads: $1") if $page =~ m{(<(?:link|img|iframe|object|embed|base)\b|\@import|url\()};

my $all = eval { JSON::PP->new->utf8->decode($data) } or wrong("no JSON: $@");
my $timeline = $all->{timeline};
my %count = (rows => 0, complete => 0, shown => 0, text => 0);

# Bins as export/html/bins.h has them.
sub bins {
	my ($row) = @_;
	my ($at, $calls, @last) = (0, 0, (0) x 8);
	my @numbers = @{$row->{bins}};
	while (@numbers) {
		if ($numbers[0] < 0) {
			$at -= shift @numbers;
			next;
		}
		@last = splice @numbers, 0, 8;
		wrong('a bin broken off') if @last != 8;
		$at++;
		$calls += $last[7];
		for (0, 2, 4) {
			wrong("function $last[$_]") if $last[$_] >= @{$timeline->{functions}};
		}
		my $share = $last[1] + $last[3] + $last[5] + $last[6];
		wrong("$share % of a bin, of $row->{threads} threads") if $share > 104;
	}
	wrong("$at of $timeline->{bins} bins") if $at != $timeline->{bins};
	return $calls;
}

# Repeated bins have their calls, too.
sub calls_in_bins {
	my ($row) = @_;
	my ($calls, @last) = (0, (0) x 8);
	my @numbers = @{$row->{bins}};
	while (@numbers) {
		if ($numbers[0] < 0) {
			$calls -= $last[7] * shift @numbers;
			next;
		}
		@last = splice @numbers, 0, 8;
		$calls += $last[7];
	}
	return $calls;
}

my %column = (start => $timeline->{length} + 1, duration => $timeline->{length} + 1,
	function => scalar @{$timeline->{functions}}, caller => scalar @{$timeline->{callers}},
	depth => 65536, kernel => @{$timeline->{kernels}} + 1);
for my $row (@{$timeline->{rows}}) {
	my $shown = $row->{shown};
	$count{rows}++;
	$count{complete} += $row->{complete} ? 1 : 0;
	$count{shown} += $shown->{count};
	for my $key (keys %column) {
		my $values = $shown->{$key} or next;
		wrong("$key: " . @$values . " of $shown->{count}") if @$values != $shown->{count};
		for (@$values) {
			wrong("$key $_") if $_ < 0 || $_ >= $column{$key};
		}
	}
	if ($row->{complete}) {
		wrong("$shown->{count} of $row->{calls} calls") if $shown->{count} != $row->{calls};
		$count{ns} += $_ for @{$shown->{duration} // []};
		my $start = 0;
		$start += $_ for @{$shown->{start} // []};
		$count{last_start} = $start if $start > ($count{last_start} // 0);
	} else {
		bins($row);
		my $calls = calls_in_bins($row);
		wrong("$calls of $row->{calls} calls in bins") if $calls != $row->{calls};
	}
	$count{text} += @{$shown->{text} // []};
	my %result = @{$shown->{result}};
	my @failed = grep {
		my $name = $timeline->{functions}[($shown->{function} // [])->[$_] // 0];
		$result{$_} != 600 || $name !~ /Query/;
	} sort { $a <=> $b } keys %result;
	wrong("failed: @{$shown->{failed}}") if "@failed" ne "@{$shown->{failed}}";
	$count{failed} += @failed;
}
wrong("$count{shown} calls shown, not $timeline->{shown}") if $count{shown} != $timeline->{shown};

# Ranges as export/html/timeline_ranges.c writes them.
my @ranges = @{$timeline->{ranges}};
my ($ranges, $started, $unfinished) = (0, 0, 0);
while (my ($process, $row, $start, $took, $text, $flags, $colour) = splice @ranges, 0, 7) {
	wrong("range of row $row") if $row >= @{$timeline->{rows}} || $row < -1 || ($row < 0) != ($flags >> 8 == 3) ||
		($row >= 0 && $timeline->{rows}[$row]{process} != $process);
	wrong("range $start $took") if $start < 0 || $took < 0 || $start + $took > $timeline->{length};
	wrong("range of text $text") if $text >= @{$timeline->{rangeTexts}};
	$ranges++;
	$started += $row < 0;
	$unfinished += $flags >> 2 & 1;
}
wrong("a text of a range is long") if grep { length > 200 } @{$timeline->{rangeTexts}};

# Each table adds up to the same.
for my $table (@{$all->{tables}}) {
	my ($total) = grep { $table->{columns}[$_] =~ /^time Total$/ } 0 .. $#{$table->{columns}};
	my $width = @{$table->{columns}};
	for (@{$table->{rows}}) {
		wrong("$table->{id}: a row of " . @$_) if @$_ != $width;
	}
	next if !defined $total || $table->{cut} || $table->{id} =~ /^(kernels|copies|waits)$/ ||
		($table->{id} eq 'ranges' && !@{$table->{rows}});
	my ($ns, $calls) = (0, 0);
	for (@{$table->{rows}}) {
		$ns += $_->[$total];
		$calls += $_->[$total + 1];
	}
	# What a site adds to a row is rounded by itself.
	my $rounded = 100 * $all->{totals}{processes};
	wrong("$table->{id}: $calls calls of $ns ns") if $calls != $all->{totals}{calls} ||
		abs($ns - $all->{totals}{total_ns}) > $rounded;
}
for my $i (0 .. $#{$all->{histograms}}) {
	my %counts = @{$all->{histograms}[$i]};
	my ($functions) = grep { $_->{id} eq 'functions' } @{$all->{tables}};
	my ($calls, $least, $most) = (0, @{$functions->{rows}[$i]}[5, 9]);
	my @floors = sort { $a <=> $b } keys %counts;
	$calls += $_ for values %counts;
	wrong("histogram $i: $calls calls") if $calls != $functions->{rows}[$i][2];
	wrong("histogram $i: from $floors[0] to $floors[-1], not $least to $most")
		if $floors[0] > $least || $least > $floors[0] * 1.2 + 1 ||
		$floors[-1] > $most || $most > $floors[-1] * 1.2 + 1;
}

my ($kernels) = grep { $_->{id} eq 'kernels' } @{$all->{tables}};
my $launches = 0;
$launches += $_->[2] for @{$kernels->{rows}};
my %named = map { $_->[0] => 1 } @{$kernels->{rows}};
for (@{$timeline->{kernels}}) {
	wrong("kernel $_ in the timeline alone") if !$named{$_} && !$kernels->{cut};
}
# Of some calls only: their sum, and what the title says of its times.
my ($innermost) = grep { $_->{id} eq 'ranges' } @{$all->{tables}};
my $in_ranges = 0;
$in_ranges += $_->[2] for @{$innermost->{rows}};
print "ranges $ranges\nstarted $started\nunfinished $unfinished\nhidden_ranges $timeline->{hiddenRanges}\n";
print "calls_of_ranges $in_ranges\n";
for (['copies', 'Copies (host time)', 5], ['waits', 'Waits', 3], ['kernels', 'Kernels (host time)', 2]) {
	my ($id, $title, $column) = @$_;
	my ($table) = grep { $_->{id} eq $id } @{$all->{tables}};
	my $calls = 0;
	$calls += $_->[$column] for @{$table->{rows}};
	wrong("$id: '$table->{title}'") if $table->{title} ne $title;
	print "calls_of_$id $calls\n";
}
print "bytes ", length $page, "\n";
print "$_ $all->{totals}{$_}\n" for qw(calls errors processes threads);
print "ns $all->{totals}{total_ns}\n";
print "launches $launches\n";
for my $key (qw(allocated held peak)) {
	my $sum = 0;
	$sum += $_->{$key} for @{$all->{memory}};
	print "$key $sum\n";
}
print "rows $count{rows}\ncomplete $count{complete}\nshown $count{shown}\ntexts $count{text}\n";
print "drawn_ns ", $count{ns} // 0, "\nfailed ", $count{failed} // 0, "\n";
print "last_start ", $count{last_start} // 0, "\n";
print "bins $timeline->{bins}\nopen ", scalar @{$timeline->{open}}, "\n";
print "marks ", scalar @{$timeline->{marks}}, "\nhidden $timeline->{hidden}\n";
print "warning $_\n" for @{$all->{warnings}};
