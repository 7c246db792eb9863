#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The committed tables against the installed toolkit's headers.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/gen/check.sh"

: "${CUDA_HOME=/usr/local/cuda}"
headers=$CUDA_HOME/include
test -n "$CUDA_HOME" && test -r "$headers/cuda.h" || skip_all "no CUDA headers"
toolkit=$(toolkit_version "$headers")
diag "CUDA $toolkit in $headers"
test "$toolkit" -ge 11040 || skip_all "CUDA headers older than 11.4"
newest=$(sed -n 's/^ \* Newest headers read: CUDA //p' "$tables/driver_api.def")

mkdir "$tmp/out"
for file in driver_api.def driver_args.def driver_enums.def driver_params.def driver_structs.def cuda_types.h; do
	cp "$tables/$file" "$tmp/out/"
done
if test "$toolkit" -eq "$newest"; then
	ok "the generator would write the same tables anew" $PERL "$generator" \
		--cc "$CC" --cuda "$CUDA_HOME" --out "$tmp/out" --check --refresh
elif test "$toolkit" -lt "$newest"; then
	ok "older headers change nothing" $PERL "$generator" \
		--cc "$CC" --cuda "$CUDA_HOME" --out "$tmp/out" --check
else
	skip 1 "CUDA headers newer than the tables"
fi

ok "prepared" prepare_toolkit "$headers" "$tmp/work"
for compiler in gcc clang; do
	if command -v "$compiler" >"$tmp/which"; then
		ok "$compiler: every row is its function's prototype" \
			check_rows "$compiler" "$headers" "$tmp/work"
		ok "$compiler: enumerators, structures and fields are the headers'" \
			check_types "$compiler" "$headers" "$tmp/work"
	else
		skip 2 "no $compiler"
	fi
done

# wrong FILE CHECK SED-SCRIPT MESSAGE: what the script breaks does not compile.
wrong() {
	rm -rf "$tmp/wrong"
	cp -r "$tmp/work" "$tmp/wrong"
	sed "$3" "$tmp/work/$1" >"$tmp/wrong/$1"
	fails "does not compile: $4" "$2" "$CC" "$headers" "$tmp/wrong"
	like "$(cat "$tmp/tap.out")" "error: .*$4" "the compiler says so: $4"
}

wrong rows.def check_rows '/, cuMemAlloc_v2,/s/size_t, bytesize/int, bytesize/' cuMemAlloc_v2
wrong rows.def check_rows '/, cuInit,/s/P(VAL, unsigned int, Flags)//' cuInit
wrong rows.def check_rows '/, cuCtxSynchronize,/s/0, )/1, P(VAL, int, a))/' cuCtxSynchronize
wrong enums.def check_types 's/CUDA_ERROR_UNKNOWN, 999/CUDA_ERROR_UNKNOWN, 998/' CUDA_ERROR_UNKNOWN
wrong structs.def check_types 's/unsigned int, gridDimY/long, gridDimY/' CUlaunchConfig.gridDimY

# A type of our own that is not the headers'.
mkdir -p "$tmp/ours/cuaudit"
ours=$tmp/ours
cp "$tables/driver_enums.def" "$ours/cuaudit/"
sed 's/^typedef int CUdevice_v1;/typedef long CUdevice_v1;/' "$tables/cuda_types.h" \
	>"$ours/cuaudit/cuda_types.h"
fails "does not compile: our type is another" check_types "$CXX" "$headers" "$tmp/work"
like "$(cat "$tmp/tap.out")" "error: .*parameters of cuDeviceGetName" "the compiler says where"

for language in "$CC -std=gnu11 -x c" "$CXX -std=gnu++17 -x c++"; do
	for mode in "" -D__CUDA_API_VERSION_INTERNAL; do
		ok "types step aside for <cuda.h>: $language $mode" \
			$language -fsyntax-only -Wall -Wextra -Werror $mode \
			-I"$top_srcdir/include" -isystem "$headers" \
			-include cuda.h "$tables/cuda_types.h"
	done
done
done_testing
