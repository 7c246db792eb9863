#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The committed tables against the headers of other toolkits, from PyPI.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/gen/check.sh"
. "$top_srcdir/t/gen/toolkits.sh"

mkdir "$tmp/newer"
for file in driver_api.def driver_args.def driver_enums.def driver_params.def driver_structs.def cuda_types.h; do
	cp "$tables/$file" "$tmp/newer/"
done
newest=$(sed -n 's/^ \* Newest headers read: CUDA //p' "$tables/driver_api.def")
for package in $packages; do
	version=${package##*=}
	headers=$cache/$version
	ok "$version: prepared" prepare_toolkit "$headers" "$tmp/$version"
	ok "$version: every row is its function's prototype" \
		check_rows "$CC" "$headers" "$tmp/$version"
	ok "$version: enumerators, structures and fields are the headers'" \
		check_types "$CXX" "$headers" "$tmp/$version"
	cp -r "$tmp/newer" "$tmp/grown"
	ok "$version: the generator reads it" $PERL "$generator" --cc "$CC" \
		--cuda "$headers" --out "$tmp/grown"
	if test "$toolkit" -le "$newest"; then
		ok "$version: changes nothing" diff -r "$tmp/newer" "$tmp/grown"
	else
		rows=$(grep -c '^CUAPI' "$tables/driver_api.def")
		is "$(grep '^CUAPI' "$tmp/grown/driver_api.def" | sed -n "1,${rows}p")" \
			"$(grep '^CUAPI' "$tables/driver_api.def")" "$version: changes no row"
		ok "$version: adds rows" test "$rows" -lt \
			"$(grep -c '^CUAPI' "$tmp/grown/driver_api.def")"
	fi
	is "$(awk -F ', ' -v version="$toolkit" '/^CUAPI/ && $7 <= version + 0 { print $2 }' \
		"$tmp/grown/driver_api.def" | sort)" \
		"$($PERL "$top_srcdir/t/gen/declared.pl" "$headers" "$CC" | sort)" \
		"$version: hdr tells which functions it declares"
	rm -rf "$tmp/grown"
done
done_testing
