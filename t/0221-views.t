#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Typed views beside the <cuda.h> of each toolkit, before and after it.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/gen/toolkits.sh"
. "$top_srcdir/t/gen/views.sh"

for package in $packages; do
	version=${package##*=}
	headers=$cache/$version
	toolkit=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$headers/cuda.h")
	ok "$version: CUDA $toolkit" test "$toolkit" -ge 11040
	for compiler in "$CC" "$CXX"; do
		compiles "$toolkit" "$version before" $compiler -DBEFORE -isystem "$headers"
		compiles "$toolkit" "$version after" $compiler -DAFTER -isystem "$headers"
	done
	compiles 99999 "$version, our types" "$CC" -DCUAUDIT_OWN_TYPES -isystem "$headers"
done
done_testing
