#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The committed tables against the headers of other toolkits, from PyPI.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/gen/check.sh"

: "${PYTHON3:=python3}"
cache=${CUAUDIT_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cuaudit-test}
packages='
	nvidia-cuda-runtime-cu11==11.7.99
	nvidia-cuda-runtime-cu11==11.8.89
	nvidia-cuda-runtime-cu12==12.0.146
	nvidia-cuda-runtime-cu12==12.4.127
	nvidia-cuda-runtime-cu12==12.6.77
	nvidia-cuda-runtime-cu12==12.9.79
	nvidia-cuda-runtime==13.0.96
	nvidia-cuda-runtime==13.5.37
'

# fetch PACKAGE DIR: the package's headers into DIR, whole or not at all.
fetch() {
	rm -rf "$tmp/wheel" && mkdir -p "$tmp/wheel/all" "$tmp/wheel/$2" "$cache" &&
	$PYTHON3 -m pip download -q --no-deps -d "$tmp/wheel" "$1" &&
	$PYTHON3 -m zipfile -e "$tmp"/wheel/*.whl "$tmp/wheel/all" &&
	find "$tmp/wheel/all" -path '*/include/cuda*.h' ! -path '*/include/*/*' \
		-exec cp {} "$tmp/wheel/$2" ';' &&
	test -r "$tmp/wheel/$2/cudaVDPAUTypedefs.h" &&
	rm -rf "${cache:?}/$2" && mv "$tmp/wheel/$2" "$cache/$2"
}

for package in $packages; do
	version=${package##*=}
	test -r "$cache/$version/cuda.h" && continue
	long_test
	$PYTHON3 -m pip --version >"$tmp/pip" 2>&1 || skip_all "no pip"
	fetch "$package" "$version" >"$tmp/fetch" 2>&1 && continue
	diag "$(tail -n 3 "$tmp/fetch")"
	skip_all "cannot download $package"
done

mkdir "$tmp/newer"
for file in driver_api.def driver_enums.def driver_structs.def cuda_types.h; do
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
