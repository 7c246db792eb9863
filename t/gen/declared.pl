#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Prints the driver functions that a toolkit's headers declare: DIR CC.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../maint";
use Gen::Decl;
use Gen::Source;

my ($headers, $cc) = @ARGV;
my $found = Gen::Decl::parse(Gen::Source::tokens_of(Gen::Source::lines_of(
	{ cc => $cc, include => [$headers], headers => \@Gen::Source::HEADERS,
	versions => \@Gen::Source::VERSIONS },
	'-D__CUDA_API_VERSION_INTERNAL')));

print map { "$_\n" } sort keys %{$found->{function}};
